"""Looks at the entries of the workspace that may be recorded: what git ignores is left out."""

from __future__ import annotations

import stat
from collections.abc import Container, Iterable, Iterator

from redline.core.changes import ABSENT, DirState, FileState, LinkState, State
from redline.core.errors import LimitReached, PathDenied, RedlineError, SymlinkEscape
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Entry, Kind, PathResolver, Tree
from redline.engine.ignore_rules import IgnoreRules
from redline.recorder.ports import Mark
from redline.search.ignore import EXCLUDED_DIRECTORIES, IgnoreScope

MAX_ENTRIES = 1_500_000
MAX_FILE = 4 << 20
_STAGED = ".redline-"
# How often a file is read again that changes while it is read.
_TRIES = 4

Listing = dict[str, Entry]


class EntryReader:
    """Lists directories and reads single entries.

    What may not be read is unknown, not gone: it is in no answer, and `unreadable` names it.
    """

    def __init__(
        self, tree: Tree, workspace: PathResolver, *, max_entries: int = MAX_ENTRIES
    ) -> None:
        self._tree = tree
        self._workspace = workspace
        self._max_entries = max_entries
        self._unreadable: set[WorkspacePath] = set()
        self.rules = IgnoreRules(tree)

    @property
    def unreadable(self) -> frozenset[WorkspacePath]:
        """What could not be read when it was last looked at."""
        return frozenset(self._unreadable)

    def everywhere(self) -> Iterator[tuple[WorkspacePath, Listing]]:
        """Yield the listing of every directory of every writable root; LimitReached."""
        for number, root in enumerate(self._workspace.roots):
            if root.writable:
                yield from self._descend(IgnoreScope.of_root(self._tree, number))

    def some(
        self, directories: Iterable[WorkspacePath], known: Container[WorkspacePath]
    ) -> dict[WorkspacePath, Listing]:
        """Return the listings of *directories*, and of all below them that are not *known*."""
        found: dict[WorkspacePath, Listing] = {}
        for directory in directories:
            try:
                scope = self._scope_of(directory)
            except PathDenied:
                continue
            if scope is None:
                found.setdefault(directory, {})
                continue
            listing = self._list(scope)
            if listing is None:
                continue
            found[directory] = listing
            for name, entry in listing.items():
                below = directory.child(name)
                if entry.kind is Kind.DIRECTORY and below not in known:
                    found.update(self._descend(scope.below(name)))
        return found

    def state(self, path: WorkspacePath, entry: Entry) -> State | None:
        """Return what is there with its content; None for what is not recorded. PathDenied."""
        mode = stat.S_IMODE(entry.mode)
        if entry.kind is Kind.DIRECTORY:
            return DirState(mode)
        try:
            if entry.kind is Kind.SYMLINK:
                return LinkState(self._tree.read_link(path))
            if entry.kind is Kind.FILE and entry.size <= MAX_FILE:
                found = FileState.of(self._tree.read(path, MAX_FILE), mode)
                self._unreadable.discard(path)
                return found
        except RedlineError as error:
            if self._is_unknown(path, error):
                raise
        return None

    def read(self, path: WorkspacePath, entry: Entry) -> tuple[Mark | None, State | None]:
        """Return a mark and the state that was there with it; no mark when it is gone.

        PathDenied when that cannot be known.
        """
        for _ in range(_TRIES):
            state, again = self.state(path, entry), self.entry(path)
            if again is None:
                return None, ABSENT
            if mark_of(again) == mark_of(entry):
                break
            entry = again
        return mark_of(entry), state

    def is_ignored(self, path: WorkspacePath) -> bool:
        """Return whether an entry that is there is left out of listings. PathDenied."""
        scope = self._scope_of(path.parent)
        return scope is None or path.name not in (self._list(scope) or ())

    def entry(self, path: WorkspacePath) -> Entry | None:
        """Return what is at *path* now; PathDenied when that cannot be known."""
        try:
            return self._tree.stat(path)
        except RedlineError as error:
            if self._is_unknown(path, error):
                raise
            return None

    def absolute(self, path: WorkspacePath) -> str:
        """Return a path as other programs name it."""
        root = self._workspace.roots[path.root].path
        return "/".join((root.rstrip("/"), *path.parts))

    def time_of(self, path: WorkspacePath, now_ns: int) -> int:
        """Return when an entry changed; of one that is gone, when the directory above did."""
        try:
            while (entry := self.entry(path)) is None and path.parts:
                path = path.parent
        except PathDenied:
            return now_ns
        return now_ns if entry is None else min(entry.ctime_ns, now_ns)

    def _descend(self, scope: IgnoreScope) -> Iterator[tuple[WorkspacePath, Listing]]:
        waiting = [scope]
        count = 0
        while waiting:
            scope = waiting.pop()
            listing = self._list(scope)
            if listing is None:
                continue
            count += len(listing)
            if count > self._max_entries:
                raise LimitReached(f"More than {self._max_entries:,} files to record")
            yield scope.directory, listing
            waiting += [
                scope.below(name, has_file=False).with_own_file()
                for name, entry in listing.items()
                if entry.kind is Kind.DIRECTORY
            ]

    def _list(self, scope: IgnoreScope) -> Listing | None:
        """Return the entries of a directory; None when it may not be read."""
        directory = scope.directory
        try:
            entries = self._tree.scan(directory)
        except RedlineError as error:
            return None if self._is_unknown(directory, error) else {}
        names = [entry.path.name for entry in entries]
        if self._unreadable:
            gone = {p for p in self._unreadable if p.parent == directory and p.name not in names}
            self._unreadable -= {directory} | gone
        directories = {e.path.name for e in entries if e.kind is Kind.DIRECTORY}
        ignored = scope.ignored_among(names, directories)
        return {
            entry.path.name: entry
            for entry in entries
            if entry.path.name not in ignored
            and not entry.path.name.startswith(_STAGED)
            and (entry.path.name not in EXCLUDED_DIRECTORIES or entry.kind is not Kind.DIRECTORY)
        }

    def _is_unknown(self, path: WorkspacePath, error: RedlineError) -> bool:
        """Return whether an error says that a path may not be read; note then what may not."""
        if not isinstance(error, PathDenied) or isinstance(error, SymlinkEscape):
            return False
        while path.parts and not self._is_seen(path):
            path = path.parent
        self._unreadable.add(path)
        return True

    def _is_seen(self, path: WorkspacePath) -> bool:
        try:
            return self._tree.stat(path) is not None
        except RedlineError:
            return False

    def _scope_of(self, directory: WorkspacePath) -> IgnoreScope | None:
        """Return the rules in *directory*; None when it is left out or not there. PathDenied."""
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
    """Return the facts of an entry that differ once it has changed."""
    size = 0 if entry.kind is Kind.DIRECTORY else entry.size
    written, changed = (0, 0) if entry.kind is Kind.DIRECTORY else (entry.mtime_ns, entry.ctime_ns)
    return (entry.mode, entry.identity, size, written, changed)


def is_same(one: State | None, other: State | None) -> bool:
    """Return whether two states are alike; a mode that is not said may be any."""
    if isinstance(one, FileState) and isinstance(other, FileState):
        return one.digest == other.digest and _is_same_mode(one.mode, other.mode)
    if isinstance(one, DirState) and isinstance(other, DirState):
        return _is_same_mode(one.mode, other.mode)
    return one == other


def _is_same_mode(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other
