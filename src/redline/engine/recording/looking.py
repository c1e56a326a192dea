"""Looks at the entries of the workspace that may be recorded: what git ignores is left out."""

from __future__ import annotations

import stat
from collections.abc import Iterable

from redline.core.changes import ABSENT, DirState, FileState, LinkState, State
from redline.core.errors import LimitReached, RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.recording import Mark
from redline.core.ports.tree import Entry, Kind, PathResolver, Tree
from redline.search.ignore import EXCLUDED_DIRECTORIES, IgnoreScope

MAX_ENTRIES = 200_000
MAX_FILE = 4 << 20
_STAGED = ".redline-"
# How often a file is read again that changes while it is read.
_TRIES = 4

Listing = dict[str, Entry]


class Looking:
    """Lists directories and reads single entries; what cannot be read counts as not there."""

    def __init__(
        self, tree: Tree, workspace: PathResolver, *, max_entries: int = MAX_ENTRIES
    ) -> None:
        self._tree = tree
        self._workspace = workspace
        self._max_entries = max_entries

    def everywhere(self) -> dict[WorkspacePath, Listing]:
        """Return the listing of every directory of every writable root; LimitReached."""
        found: dict[WorkspacePath, Listing] = {}
        for number, root in enumerate(self._workspace.roots):
            if root.writable:
                self._descend(IgnoreScope.of_root(self._tree, number), found)
        return found

    def some(
        self, directories: Iterable[WorkspacePath], known: Iterable[WorkspacePath]
    ) -> dict[WorkspacePath, Listing]:
        """Return the listings of *directories*, and of all below them that are not *known*."""
        found: dict[WorkspacePath, Listing] = {}
        before = set(known)
        for directory in directories:
            scope = self._scope_of(directory)
            if scope is None:
                found.setdefault(directory, {})
                continue
            found[directory] = listing = self._list(scope)
            for name, entry in listing.items():
                below = directory.child(name)
                if entry.kind is Kind.DIRECTORY and below not in before:
                    self._descend(scope.below(name), found)
        return found

    def state(self, path: WorkspacePath, entry: Entry) -> State | None:
        """Return what is there with its content; None for what is not recorded."""
        mode = stat.S_IMODE(entry.mode)
        if entry.kind is Kind.DIRECTORY:
            return DirState(mode)
        try:
            if entry.kind is Kind.SYMLINK:
                return LinkState(self._tree.read_link(path))
            if entry.kind is Kind.FILE and entry.size <= MAX_FILE:
                return FileState.of(self._tree.read(path, MAX_FILE), mode)
        except RedlineError:
            return None
        return None

    def read(self, path: WorkspacePath, entry: Entry) -> tuple[Mark | None, State | None]:
        """Return a mark and the state that was there with it; no mark when it is gone."""
        for _ in range(_TRIES):
            state, again = self.state(path, entry), self.entry(path)
            if again is None:
                return None, ABSENT
            if mark_of(again) == mark_of(entry):
                break
            entry = again
        return mark_of(entry), state

    def is_ignored(self, path: WorkspacePath) -> bool:
        """Return whether an entry that is there is left out of listings."""
        scope = self._scope_of(path.parent)
        return scope is None or path.name not in self._list(scope)

    def entry(self, path: WorkspacePath) -> Entry | None:
        """Return what is at *path* now."""
        try:
            return self._tree.stat(path)
        except RedlineError:
            return None

    def absolute(self, path: WorkspacePath) -> str:
        """Return a path as other programs name it."""
        root = self._workspace.roots[path.root].path
        return "/".join((root.rstrip("/"), *path.parts))

    def time_of(self, path: WorkspacePath, now_ns: int) -> int:
        """Return when an entry changed; of one that is gone, when the directory above did."""
        while (entry := self.entry(path)) is None and path.parts:
            path = path.parent
        return now_ns if entry is None else min(entry.ctime_ns, now_ns)

    def _descend(self, scope: IgnoreScope, found: dict[WorkspacePath, Listing]) -> None:
        waiting = [scope]
        count = 0
        while waiting:
            scope = waiting.pop()
            found[scope.directory] = listing = self._list(scope)
            count += len(listing)
            if count > self._max_entries:
                raise LimitReached(f"More than {self._max_entries} files to record")
            waiting += [
                scope.below(name, has_file=False).with_own_file()
                for name, entry in listing.items()
                if entry.kind is Kind.DIRECTORY
            ]

    def _list(self, scope: IgnoreScope) -> Listing:
        try:
            entries = self._tree.scan(scope.directory)
        except RedlineError:
            return {}
        names = [entry.path.name for entry in entries]
        directories = {e.path.name for e in entries if e.kind is Kind.DIRECTORY}
        ignored = scope.ignored_among(names, directories)
        return {
            entry.path.name: entry
            for entry in entries
            if entry.path.name not in ignored
            and not entry.path.name.startswith(_STAGED)
            and (entry.path.name not in EXCLUDED_DIRECTORIES or entry.kind is not Kind.DIRECTORY)
        }

    def _scope_of(self, directory: WorkspacePath) -> IgnoreScope | None:
        """Return the rules in *directory*; None when it is left out or is not there."""
        entry = self.entry(directory)
        if entry is None or entry.kind is not Kind.DIRECTORY:
            return None
        scope = IgnoreScope.of_root(self._tree, directory.root)
        for name in directory.parts:
            if name in EXCLUDED_DIRECTORIES or scope.ignores(name, True):
                return None
            scope = scope.below(name)
        return scope


def mark_of(entry: Entry) -> Mark:
    """Return what tells whether an entry was changed since."""
    size = 0 if entry.kind is Kind.DIRECTORY else entry.size
    written, changed = (0, 0) if entry.kind is Kind.DIRECTORY else (entry.mtime_ns, entry.ctime_ns)
    return (entry.mode, entry.identity, size, written, changed)
