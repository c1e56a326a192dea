"""What may be changed at all: asked before a commit, and by a dry run instead of one."""

from __future__ import annotations

from redline.core.changes import ChangeSet
from redline.core.errors import ReadOnlyMode, ReadOnlyRoot
from redline.core.paths import show_name
from redline.core.ports.history import Origin
from redline.core.ports.store import Store
from redline.core.ports.tree import PathResolver


class Approval:
    """See `core.ports.history.ChangeApproval`.

    Apart from the editor, so that a dry run does not load what undo, redo and held changes need.
    """

    def __init__(self, workspace: PathResolver, store: Store, *, read_only: bool = False) -> None:
        self._workspace = workspace
        self._store = store
        self._read_only = read_only

    def refuse_read_only(self, change_set: ChangeSet) -> None:
        """Raise ReadOnlyMode, or ReadOnlyRoot for a path in a root that is not writable."""
        if self._read_only:
            raise ReadOnlyMode(
                "The server was started read-only",
                hint="restart it without --read-only to change files",
            )
        roots = self._workspace.roots
        for path in change_set.paths:
            if path.root < len(roots) and not roots[path.root].writable:
                raise ReadOnlyRoot(show_name(self._workspace.absolute(path)))

    def check(self, change_set: ChangeSet, origin: Origin) -> None:
        """Raise what keeps a commit from making *change_set* as it is."""
        self.refuse_read_only(change_set)
        if not change_set.is_empty:
            self._store.check(change_set, origin)
