"""Keep the workspace as it was before a command, so that what the command changed can be undone.

A walk stats every entry once. Contents are copied into one private file, and only those of files
that changed since they were last copied. The walk does not enter directories that git ignores or
that listings exclude; the ignore files as they were before the command decide which these are.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from threading import Lock

from redline.core.changes import (
    ABSENT,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    State,
    in_order,
)
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.commands import Difference
from redline.core.ports.tree import Entry, FileReader, Kind, PathResolver, Tree
from redline.core.records import dataclass, field
from redline.search.ignore import EXCLUDED_DIRECTORIES, IGNORE_FILE, IgnoreScope, is_ignored

MAX_ENTRIES = 50_000
MAX_FILE = 4 << 20
MAX_KEPT = 256 << 20
MAX_CHANGED = 64 << 20
MAX_CHANGES = 5_000
READING_TIME = 2.0
_STAGED = ".redline-"
# Two writes within one tick of the file system's clock leave the same times; such files are
# compared by content.
_TICK_NS = 20_000_000
_FORMAT = 0o170000
_OPEN_DIR = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)

Mark = tuple[int, int, int, int, int]
# A path as one string, root number first: building WorkspacePaths would be half a walk's cost.
Key = str


def _path(key: Key) -> WorkspacePath:
    number, *parts = key.split("/")
    return WorkspacePath(int(number), tuple(parts))


def _key(path: WorkspacePath) -> Key:
    return "/".join((str(path.root), *path.parts))


@dataclass(slots=True)
class _Walk:
    """What one pass over every root found.

    `not_entered` are excluded directories; `doubtful` entries changed within the clock tick of
    the walk, so that their marks may not show a later write.
    """

    entries: dict[Key, Mark] = field(default_factory=dict)
    not_entered: dict[Key, tuple[int, int]] = field(default_factory=dict)
    links: list[Key] = field(default_factory=list)
    doubtful: set[Key] = field(default_factory=set)
    since: int = 0
    # Names that Redline keeps for files it is about to swap in.
    staged: set[Key] = field(default_factory=set)
    too_many: bool = False
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The workspace as it was; `kept` has the offset and length of each copied content."""

    walk: _Walk
    kept: Mapping[Key, tuple[Mark, int, int]]
    links: Mapping[Key, str]


class Marks:
    """What was at each path when a command started, without contents.

    For a path that the walk did not see, the time of its last change decides.
    """

    def __init__(self, walk: _Walk) -> None:
        self._walk = walk
        self._since = time.time_ns()
        self._is_known = not walk.failure

    def is_as_it_was(self, path: WorkspacePath, entry: Entry | None) -> bool:
        """Return whether *entry*, found at *path* now, is unchanged since the command started."""
        key = _key(path)
        mark = self._walk.entries.get(key) if self._is_known else None
        if mark is not None:
            return entry is not None and _is_same(mark, entry)
        if self._is_known and self._was_seen(path):
            return entry is None  # there was nothing
        return entry is None or entry.kind is Kind.DIRECTORY or entry.ctime_ns <= self._since

    def _was_seen(self, path: WorkspacePath) -> bool:
        """Return whether the walk listed the directory of *path* and did not exclude *path*."""
        above = _key(path.parent)
        is_listed = len(path.parts) == 1 or above in self._walk.entries
        return is_listed and _key(path) not in self._walk.not_entered


def _is_same(mark: Mark, entry: Entry) -> bool:
    if stat.S_ISDIR(mark[0]) or entry.kind is Kind.DIRECTORY:
        return stat.S_ISDIR(mark[0]) and entry.identity[1] == mark[1]
    found = (entry.identity[1], entry.size, entry.mtime_ns, entry.ctime_ns)
    return found == mark[1:]


class _IgnoreFilesBefore:
    """Read ignore files as a snapshot has them; see `core.ports.tree.FileReader`."""

    def __init__(self, store: WorkspaceSnapshots, tree: Tree, before: Snapshot) -> None:
        self._store = store
        self._tree = tree
        self._before = before

    def stat(self, path: WorkspacePath) -> Entry | None:
        """Return what the snapshot has at the path of an ignore file."""
        mark = self._before.walk.entries.get(_key(path))
        if path.name != IGNORE_FILE:
            return self._tree.stat(path)  # git's own list, which commands cannot write
        if mark is None or not stat.S_ISREG(mark[0]):
            return None
        return Entry(path, Kind.FILE, mark[2], stat.S_IMODE(mark[0]), mark[3])

    def read(self, path: WorkspacePath, limit: int | None = None) -> bytes:
        """Return the snapshot's content of an ignore file; empty when it was not copied."""
        if path.name != IGNORE_FILE:
            return self._tree.read(path, limit)
        kept = self._before.kept.get(_key(path))
        return b"" if kept is None else self._store.read_kept(kept[1], kept[2])


class WorkspaceSnapshots:
    """See `core.ports.commands.Snapshots`."""

    def __init__(
        self,
        workspace: PathResolver,
        tree: Tree,
        *,
        max_entries: int = MAX_ENTRIES,
        max_file: int = MAX_FILE,
    ) -> None:
        self._workspace = workspace
        self._tree = tree
        self._max_entries = max_entries
        self._max_file = max_file
        self._lock = Lock()
        self._pack = tempfile.TemporaryFile(prefix="redline-")  # noqa: SIM115 - kept open
        self._known: dict[Key, tuple[Mark, int, int]] = {}
        self._end = 0

    def close(self) -> None:
        """Delete the kept contents."""
        self._pack.close()

    def take(self) -> Snapshot:
        """Walk every root and copy the contents that a command may overwrite."""
        with self._lock:
            walk = self._look(self._tree)
            if walk.failure:
                return Snapshot(walk, {}, {})
            self._read_changed(walk)
            return Snapshot(walk, dict(self._known), self._read_links(walk))

    def mark(self) -> Marks:
        """Walk every root and copy no contents."""
        with self._lock:
            return Marks(self._look(self._tree))

    def compare(self, snapshot: object) -> Difference:
        """Return what changed since *snapshot* was taken, and what the comparison cannot cover."""
        assert isinstance(snapshot, Snapshot)
        with self._lock:
            rules = _IgnoreFilesBefore(self, self._tree, snapshot)
            after = self._look(rules, snapshot.walk)
            failure = snapshot.walk.failure or after.failure
            if failure:
                return Difference(ChangeSet(), (f"everything: {failure}",))
            return _Comparison(self, snapshot, after, rules).difference()

    # -- looking ------------------------------------------------------------------------------

    def _look(self, rules: FileReader, earlier: _Walk | None = None) -> _Walk:
        """Walk every root; *rules* reads the ignore files, *earlier* has their paths."""
        walk = _Walk(since=time.time_ns() - _TICK_NS)
        places = earlier.entries if earlier else {}
        for number, root in enumerate(self._workspace.roots):
            if root.writable:
                try:
                    descriptor = os.open(root.path, _OPEN_DIR)
                    scope = IgnoreScope.of_root(rules, number)
                    self._enter(walk, descriptor, f"{number}/", scope, rules, places)
                except OSError as error:
                    walk.failure = error.strerror or "it cannot be read"
        if walk.too_many:
            walk.failure = f"more than {self._max_entries} files"
        return walk

    def _enter(
        self,
        walk: _Walk,
        descriptor: int,
        prefix: str,
        scope: IgnoreScope,
        rules: FileReader,
        earlier: Mapping[Key, Mark],
    ) -> None:
        """Note every entry of the directory, walk its subdirectories and close *descriptor*."""
        try:
            below: list[str] = []
            has_rules = prefix + IGNORE_FILE in earlier
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    has_rules = has_rules or entry.name == IGNORE_FILE
                    self._note(walk, entry, prefix, below)
            if len(walk.entries) > self._max_entries:
                walk.too_many = True
                return
            if has_rules and prefix.count("/") > 1:
                scope = IgnoreScope.at(rules, scope.directory)
            for name in below:
                key = prefix + name
                inner = self._open_below(walk, descriptor, name, key, scope)
                if inner is not None:
                    scope_below = scope.below(name, has_file=False)
                    self._enter(walk, inner, key + "/", scope_below, rules, earlier)
        finally:
            os.close(descriptor)

    def _note(self, walk: _Walk, entry: os.DirEntry[str], prefix: str, below: list[str]) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return
        key = prefix + entry.name
        if entry.name.startswith(_STAGED):
            walk.staged.add(key)
            return
        mode, changed = found.st_mode, found.st_ctime_ns
        if mode & _FORMAT == stat.S_IFDIR:
            below.append(entry.name)
        elif mode & _FORMAT == stat.S_IFLNK:
            walk.links.append(key)
        if changed > walk.since:
            walk.doubtful.add(key)
        walk.entries[key] = (mode, found.st_ino, found.st_size, found.st_mtime_ns, changed)

    def _open_below(
        self, walk: _Walk, above: int, name: str, key: Key, scope: IgnoreScope
    ) -> int | None:
        """Open a subdirectory to walk; return None for one that is excluded or unreadable."""
        if walk.too_many:
            return None
        if name in EXCLUDED_DIRECTORIES or scope.ignores(name, True):
            mark = walk.entries.pop(key)
            walk.not_entered[key] = (mark[1], mark[3])
            walk.doubtful.discard(key)
            return None
        try:
            return os.open(name, _OPEN_DIR, dir_fd=above)
        except OSError:
            return None

    # -- contents -----------------------------------------------------------------------------

    def _read_changed(self, walk: _Walk) -> None:
        if self._end > 2 * MAX_KEPT:
            self._known.clear()
            self._pack.truncate(0)
            self._end = 0
        until = time.monotonic() + READING_TIME
        room = MAX_KEPT
        known = self._known
        for key, mark in walk.entries.items():
            have = known.get(key)
            if have is not None and have[0] == mark and key not in walk.doubtful:
                continue
            if mark[0] & _FORMAT != stat.S_IFREG or mark[2] > self._max_file:
                continue
            if room < 0 or time.monotonic() > until:
                return
            room -= self._keep(key, mark)

    def _keep(self, key: Key, mark: Mark) -> int:
        content = self.read(_path(key))
        if content is None:
            return 0
        try:
            os.pwrite(self._pack.fileno(), content, self._end)
        except OSError:
            return 0  # no space left, so this file is not covered
        self._known[key] = (mark, self._end, len(content))
        self._end += len(content)
        return len(content)

    def _read_links(self, walk: _Walk) -> dict[Key, str]:
        found = ((key, self.read_link(_path(key))) for key in walk.links)
        return {key: target for key, target in found if target is not None}

    def read_kept(self, offset: int, length: int) -> bytes:
        """Return a copied content."""
        return os.pread(self._pack.fileno(), length, offset)

    def read(self, path: WorkspacePath) -> bytes | None:
        """Return the present content of a regular file; None when unreadable or too large."""
        try:
            return self._tree.read(path, self._max_file)
        except RedlineError:
            return None

    def read_link(self, path: WorkspacePath) -> str | None:
        """Return the present target of a link; None when it cannot be read."""
        try:
            return self._tree.read_link(path)
        except RedlineError:
            return None

    def is_there(self, path: WorkspacePath) -> bool:
        """Return whether anything is at *path* now; True when that cannot be determined."""
        try:
            return self._tree.stat(path) is not None
        except RedlineError:
            return True


class _Comparison:
    """The comparison of a snapshot with a later walk."""

    def __init__(
        self, store: WorkspaceSnapshots, before: Snapshot, after: _Walk, rules: FileReader
    ) -> None:
        self._store = store
        self._rules = rules
        self._before = before
        self._after = after
        self._uncovered: list[str] = []
        self._bytes = 0

    def difference(self) -> Difference:
        """Return the changes, ordered so that each can be carried out after those before it."""
        changes: list[Change] = []
        changed = {_path(key): key for key in self._changed_places()}
        for path in sorted(changed):
            if len(changes) >= MAX_CHANGES:
                self._uncovered.append(f"more than {MAX_CHANGES} files")
                break
            change = self._change(path, changed[path])
            if change is not None:
                changes.append(change)
        for path in sorted(map(_path, self._changed_not_entered())):
            self._uncovered.append(f"{show_name(path.relative)}/ (ignored)")
        for path in sorted(map(_path, self._after.staged - self._before.walk.staged)):
            if self._store.is_there(path):  # gone if it belonged to a commit that was under way
                self._uncovered.append(f"{show_name(path.relative)} (a name of Redline's own)")
        new = self._after.not_entered.keys() - self._before.walk.not_entered.keys()
        repositories = tuple(path for path in map(_path, new) if path.name == ".git")
        return Difference(ChangeSet(in_order(changes)), tuple(self._uncovered), repositories)

    def _changed_places(self) -> Iterator[Key]:
        old, new, doubtful = (
            self._before.walk.entries,
            self._after.entries,
            self._before.walk.doubtful,
        )
        for key, mark in old.items():
            now = new.get(key)
            if now == mark and key not in doubtful:
                continue
            if now is None or mark[0] & _FORMAT != stat.S_IFDIR or now[0] != mark[0]:
                yield key
        yield from new.keys() - old.keys()

    def _changed_not_entered(self) -> Iterator[Key]:
        old, new = self._before.walk.not_entered, self._after.not_entered
        for key in {*old, *new}:
            if old.get(key) != new.get(key) and not key.endswith("/.git"):
                yield key

    def _change(self, path: WorkspacePath, key: Key) -> Change | None:
        before, after = self._state_before(key), self._state_after(path, key)
        if before is None or after is None:
            if not is_ignored(self._rules, path, False):
                self._uncovered.append(f"{show_name(path.relative)} (too large or unreadable)")
            return None
        if before == after or self._is_ignored_file(path, before, after):
            return None
        for state in (before, after):
            if isinstance(state, FileState):
                self._bytes += state.size
        if self._bytes > MAX_CHANGED:
            self._uncovered.append(f"{show_name(path.relative)} (too much changed)")
            return None
        return Change(path, before, after)

    def _is_ignored_file(self, path: WorkspacePath, before: State, after: State) -> bool:
        if DirState in (type(before), type(after)):
            return False
        return is_ignored(self._rules, path, False)

    def _state_before(self, key: Key) -> State | None:
        mark = self._before.walk.entries.get(key)
        if mark is None:
            return ABSENT
        if stat.S_ISLNK(mark[0]):
            target = self._before.links.get(key)
            return None if target is None else LinkState(target)
        if stat.S_ISDIR(mark[0]):
            return DirState(stat.S_IMODE(mark[0]))
        kept = self._before.kept.get(key)
        if kept is None or kept[0] != mark:
            return None
        return FileState.of(self._store.read_kept(kept[1], kept[2]), stat.S_IMODE(mark[0]))

    def _state_after(self, path: WorkspacePath, key: Key) -> State | None:
        mark = self._after.entries.get(key)
        if mark is None:
            return ABSENT
        if stat.S_ISLNK(mark[0]):
            target = self._store.read_link(path)
            return None if target is None else LinkState(target)
        if stat.S_ISDIR(mark[0]):
            return DirState(stat.S_IMODE(mark[0]))
        content = self._store.read(path) if stat.S_ISREG(mark[0]) else None
        return None if content is None else FileState.of(content, stat.S_IMODE(mark[0]))
