"""Which entries the recorder leaves out: by the ignore files now, and by those of before."""

from __future__ import annotations

from redline.core.changes import DirState, FileState, State
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Entry, FileReader, Kind
from redline.search.ignore import EXCLUDED_DIRECTORIES, IGNORE_FILE, is_ignored


class IgnoreRules:
    """The rules in force, and what ignore files held before they changed."""

    def __init__(self, tree: FileReader) -> None:
        self._tree = tree
        self._former = _FormerFiles(tree)

    def leave_out(self, path: WorkspacePath, state: State) -> bool:
        """Return whether an entry is left out by its name, be it there or not."""
        return _is_left_out(self._tree, path, state)

    def used_to_leave_out(self, path: WorkspacePath, state: State) -> bool:
        """Return whether an entry was left out before ignore files changed."""
        return bool(self._former.contents) and _is_left_out(self._former, path, state)

    def note(self, path: WorkspacePath, before: State | None) -> None:
        """Keep what an ignore file held, unless an older content is kept already."""
        if path.name == IGNORE_FILE:
            content = before.content if isinstance(before, FileState) else None
            self._former.contents.setdefault(path, content or b"")

    def clear(self) -> None:
        """Take the files as they are from now on."""
        self._former.contents.clear()


class _FormerFiles:
    """The workspace with some files as they were."""

    def __init__(self, tree: FileReader) -> None:
        self._tree = tree
        self.contents: dict[WorkspacePath, bytes] = {}

    def stat(self, path: WorkspacePath) -> Entry | None:
        content = self.contents.get(path)
        if content is None:
            return self._tree.stat(path)
        return Entry(path, Kind.FILE, len(content), 0o644, 0)

    def read(self, path: WorkspacePath, limit: int | None = None) -> bytes:
        content = self.contents.get(path)
        return self._tree.read(path, limit) if content is None else content


def _is_left_out(tree: FileReader, path: WorkspacePath, state: State) -> bool:
    is_directory = isinstance(state, DirState)
    directories = path.parts if is_directory else path.parts[:-1]
    return not EXCLUDED_DIRECTORIES.isdisjoint(directories) or is_ignored(tree, path, is_directory)
