"""Refuse a change that a commit would not make; a dry run runs these checks alone."""

from __future__ import annotations

from typing import TypeGuard

from redline.core.changes import Change, ChangeSet, FileState, Rename
from redline.core.errors import NotWritable, ReadOnlyMode, ReadOnlyRoot
from redline.core.paths import show_name
from redline.core.ports.history import Origin
from redline.core.ports.store import Store
from redline.core.ports.tree import PathResolver, Tree


class Approval:
    """See `core.ports.history.ChangeApproval`.

    It is separate from the editor, so that a dry run does not load what undo, redo and held
    changes need.
    """

    def __init__(
        self, workspace: PathResolver, tree: Tree, store: Store, *, read_only: bool = False
    ) -> None:
        self._workspace = workspace
        self._tree = tree
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

    def refuse_unwritable(self, change_set: ChangeSet, origin: Origin) -> None:
        """Raise NotWritable for new content of a file that this process may not write.

        A commit renames a new file over the old one, so the kernel would not refuse it. Changes
        by the owner of the machine pass, such as restoring what a rule denies.
        """
        if origin.as_owner:
            return
        for step in change_set.steps:
            if _gives_new_content(step) and not self._tree.may_write(step.path):
                shown = show_name(self._workspace.absolute(step.path))
                raise NotWritable(
                    f"Permission denied, the file is read-only; nothing was changed: {shown}",
                    hint="a person can make it writable (chmod u+w), or leave it as it is",
                    details={"errno": "EACCES"},
                )

    def check(self, change_set: ChangeSet, origin: Origin) -> None:
        """Raise the error with which a commit of *change_set* would be refused."""
        self.refuse_read_only(change_set)
        self.refuse_unwritable(change_set, origin)
        if not change_set.is_empty:
            self._store.check(change_set, origin)


def _gives_new_content(step: Change | Rename) -> TypeGuard[Change]:
    if isinstance(step, Rename):
        return False
    before, after = step.before, step.after
    return (
        isinstance(before, FileState)
        and isinstance(after, FileState)
        and before.digest != after.digest
    )
