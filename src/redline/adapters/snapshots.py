"""What stands in the workspace before a command, kept so that what it changed can be undone.

A walk looks at every entry once; contents are read only of files that changed since they were last
read, into one private file. Directories that git ignores or listings leave out are not entered.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, LinkState, State
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports import Difference, Tree, Workspace
from redline.search.ignore import EXCLUDED_DIRECTORIES, IgnoreScope, is_ignored

MAX_ENTRIES = 50_000
MAX_FILE = 4 << 20
MAX_KEPT = 256 << 20
MAX_CHANGED = 64 << 20
MAX_CHANGES = 5_000
READING_TIME = 2.0
_STAGED = ".redline-"
# Two writes within one tick of the file system's clock look alike; such files are compared whole.
_TICK_NS = 20_000_000
_OPEN_DIR = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_OPEN_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

Mark = tuple[int, int, int, int, int]


@dataclass(slots=True)
class _Walk:
    """One look at every root."""

    entries: dict[WorkspacePath, Mark] = field(default_factory=dict)
    passed_by: dict[WorkspacePath, tuple[int, int]] = field(default_factory=dict)
    too_many: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The workspace as it stood; `kept` says where each known content lies."""

    walk: _Walk
    kept: Mapping[WorkspacePath, tuple[int, int]]
    links: Mapping[WorkspacePath, str]
    doubtful: frozenset[WorkspacePath]


class WorkspaceSnapshots:
    """See `core.ports.Snapshots`."""

    def __init__(self, workspace: Workspace, tree: Tree) -> None:
        self._workspace = workspace
        self._tree = tree
        self._lock = Lock()
        self._pack = tempfile.TemporaryFile(prefix="redline-")  # noqa: SIM115 - kept open
        self._known: dict[WorkspacePath, tuple[Mark, int, int]] = {}
        self._end = 0

    def close(self) -> None:
        """Let the kept contents go."""
        self._pack.close()

    def take(self) -> Snapshot:
        """Look at everything and keep what a command may overwrite."""
        with self._lock:
            now = time.time_ns()
            walk = self._look()
            if walk.too_many:
                return Snapshot(walk, {}, {}, frozenset())
            self._read_changed(walk)
            kept = {
                path: (known[1], known[2])
                for path, mark in walk.entries.items()
                if (known := self._known.get(path)) is not None and known[0] == mark
            }
            doubtful = frozenset(p for p, m in walk.entries.items() if m[4] > now - _TICK_NS)
            return Snapshot(walk, kept, self._read_links(walk), doubtful)

    def compare(self, snapshot: object) -> Difference:
        """What is different now, as changes that already happened, and what is not covered."""
        assert isinstance(snapshot, Snapshot)
        if snapshot.walk.too_many:
            return Difference(ChangeSet(), (f"everything: more than {MAX_ENTRIES} files",))
        with self._lock:
            walk = self._look()
            found = _Found(self, snapshot, walk)
            return found.difference()

    # -- looking ------------------------------------------------------------------------------

    def _look(self) -> _Walk:
        walk = _Walk()
        for number, root in enumerate(self._workspace.roots):
            if root.writable:
                descriptor = os.open(root.path, _OPEN_DIR)
                scope = IgnoreScope.of_root(self._tree, number)
                self._enter(walk, descriptor, WorkspacePath(number, ()), scope)
        return walk

    def _enter(self, walk: _Walk, descriptor: int, at: WorkspacePath, scope: IgnoreScope) -> None:
        """Note every entry of the directory and go down; closes *descriptor*."""
        try:
            below: list[tuple[str, WorkspacePath]] = []
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    if entry.name.startswith(_STAGED):
                        continue
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    path = at.child(entry.name)
                    if stat.S_ISDIR(found.st_mode):
                        if self._is_passed_by(entry.name, scope):
                            walk.passed_by[path] = (found.st_ino, found.st_mtime_ns)
                            continue
                        below.append((entry.name, path))
                    walk.entries[path] = (
                        found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns,
                        found.st_ctime_ns,
                    )  # fmt: skip
            if len(walk.entries) > MAX_ENTRIES:
                walk.too_many = True
                return
            for name, path in below:
                self._go_down(walk, descriptor, name, path, scope)
        finally:
            os.close(descriptor)

    def _go_down(
        self, walk: _Walk, above: int, name: str, path: WorkspacePath, scope: IgnoreScope
    ) -> None:
        if walk.too_many:
            return
        try:
            descriptor = os.open(name, _OPEN_DIR, dir_fd=above)
        except OSError:
            return
        self._enter(walk, descriptor, path, scope.below(name))

    def _is_passed_by(self, name: str, scope: IgnoreScope) -> bool:
        return name in EXCLUDED_DIRECTORIES or scope.ignores(name, True)

    # -- contents -----------------------------------------------------------------------------

    def _read_changed(self, walk: _Walk) -> None:
        if self._end > 2 * MAX_KEPT:
            self._known.clear()
            self._pack.truncate(0)
            self._end = 0
        until = time.monotonic() + READING_TIME
        live = sum(length for _, _, length in self._known.values())
        for path, mark in walk.entries.items():
            known = self._known.get(path)
            if (known and known[0] == mark) or not stat.S_ISREG(mark[0]) or mark[2] > MAX_FILE:
                continue
            if live > MAX_KEPT or time.monotonic() > until:
                return
            live += self._keep(path, mark)

    def _keep(self, path: WorkspacePath, mark: Mark) -> int:
        content = self.read(path)
        if content is None:
            return 0
        os.pwrite(self._pack.fileno(), content, self._end)
        self._known[path] = (mark, self._end, len(content))
        self._end += len(content)
        return len(content)

    def _read_links(self, walk: _Walk) -> dict[WorkspacePath, str]:
        links = (path for path, mark in walk.entries.items() if stat.S_ISLNK(mark[0]))
        return {path: text for path in links if (text := self.read_link(path)) is not None}

    def kept(self, place: tuple[int, int]) -> bytes:
        """A content as it was when it was kept."""
        return os.pread(self._pack.fileno(), place[1], place[0])

    def read(self, path: WorkspacePath) -> bytes | None:
        """The content of a regular file now, None when it cannot be had or is too large."""
        try:
            return self._tree.read(path, MAX_FILE)
        except Exception:
            return None

    def read_link(self, path: WorkspacePath) -> str | None:
        """The target of a link now."""
        try:
            return self._tree.read_link(path)
        except Exception:
            return None

    def is_ignored(self, path: WorkspacePath) -> bool:
        """Whether git ignores the file."""
        return is_ignored(self._tree, path, False)


class _Found:
    """The comparison of a snapshot with a later walk."""

    def __init__(self, store: WorkspaceSnapshots, before: Snapshot, after: _Walk) -> None:
        self._store = store
        self._before = before
        self._after = after
        self._uncovered: list[str] = []
        self._bytes = 0

    def difference(self) -> Difference:
        """Removals children first, then what is new or other, parents first."""
        removals: list[Change] = []
        others: list[Change] = []
        for path in sorted(self._changed_places(), key=lambda p: (p.root, p.parts)):
            if len(removals) + len(others) >= MAX_CHANGES:
                self._uncovered.append(f"more than {MAX_CHANGES} files")
                break
            change = self._change(path)
            if change is None:
                continue
            if type(change.before) is not type(change.after) and change.before != ABSENT:
                removals.append(Change(path, change.before, ABSENT))
                if change.after != ABSENT:
                    others.append(Change(path, ABSENT, change.after))
            else:
                others.append(change)
        for path in self._changed_passed_by():
            self._uncovered.append(f"{show_name(path.relative)}/ (ignored)")
        return Difference(ChangeSet((*reversed(removals), *others)), tuple(self._uncovered))

    def _changed_places(self) -> Iterator[WorkspacePath]:
        old, new = self._before.walk.entries, self._after.entries
        for path, mark in old.items():
            now = new.get(path)
            if now == mark and path not in self._before.doubtful:
                continue
            if now is None or not stat.S_ISDIR(mark[0]) or now[0] != mark[0]:
                yield path
        yield from (path for path in new if path not in old)

    def _changed_passed_by(self) -> Iterator[WorkspacePath]:
        old, new = self._before.walk.passed_by, self._after.passed_by
        for path in sorted({*old, *new}, key=lambda p: p.parts):
            if old.get(path) != new.get(path) and path.name != ".git":
                yield path

    def _change(self, path: WorkspacePath) -> Change | None:
        before, after = self._state_before(path), self._state_after(path)
        if before is None or after is None:
            if not self._store.is_ignored(path):
                self._uncovered.append(f"{show_name(path.relative)} (too large or unreadable)")
            return None
        if before == after or self._is_of_no_interest(path, before, after):
            return None
        for state in (before, after):
            if isinstance(state, FileState):
                self._bytes += state.size
        if self._bytes > MAX_CHANGED:
            self._uncovered.append(f"{show_name(path.relative)} (too much changed)")
            return None
        return Change(path, before, after)

    def _is_of_no_interest(self, path: WorkspacePath, before: State, after: State) -> bool:
        is_directory = DirState in (type(before), type(after))
        return not is_directory and self._store.is_ignored(path)

    def _state_before(self, path: WorkspacePath) -> State | None:
        mark = self._before.walk.entries.get(path)
        if mark is None:
            return ABSENT
        if stat.S_ISLNK(mark[0]):
            target = self._before.links.get(path)
            return None if target is None else LinkState(target)
        if stat.S_ISDIR(mark[0]):
            return DirState(stat.S_IMODE(mark[0]))
        place = self._before.kept.get(path)
        if place is None:
            return None
        return FileState.of(self._store.kept(place), stat.S_IMODE(mark[0]))

    def _state_after(self, path: WorkspacePath) -> State | None:
        mark = self._after.entries.get(path)
        if mark is None:
            return ABSENT
        if stat.S_ISLNK(mark[0]):
            target = self._store.read_link(path)
            return None if target is None else LinkState(target)
        if stat.S_ISDIR(mark[0]):
            return DirState(stat.S_IMODE(mark[0]))
        content = self._store.read(path) if stat.S_ISREG(mark[0]) else None
        return None if content is None else FileState.of(content, stat.S_IMODE(mark[0]))
