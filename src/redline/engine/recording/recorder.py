"""Compares the workspace with what was known of it, and journals what Redline did not do itself."""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from redline.core.changes import ABSENT, Absent, Change, ChangeSet, DirState, FileState, State
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import ChangeEditor, Operation, Origin, Store
from redline.core.ports.recording import KnownEntry, KnownFiles, KnownWorkspace, Mark
from redline.core.ports.tree import Entry
from redline.engine.recording.journal_steps import apply_operation, operations_since
from redline.engine.recording.looking import Listing, Looking, mark_of
from redline.engine.recording.ordering import in_order

# The tool that operations name which no tool of Redline's made.
OUTSIDE = "outside"
MAX_CHANGES = 5_000
MAX_CHANGED = 64 << 20
# Two writes within one tick of the file system's clock look alike.
_TICK_NS = 20_000_000
_BATCH = 16 << 20
_SHOWN = 5


@dataclass(slots=True)
class _Found:
    """What one look found."""

    changes: list[Change] = field(default_factory=list)
    entries: dict[WorkspacePath, KnownEntry | None] = field(default_factory=dict)
    contents: list[bytes] = field(default_factory=list)
    uncovered: list[str] = field(default_factory=list)
    size: int = 0


class Recorder:
    """Keeps what is known of the workspace up to date; one at a time for a workspace."""

    def __init__(
        self,
        looking: Looking,
        files: KnownFiles,
        editor: ChangeEditor,
        store: Store,
    ) -> None:
        self._looking = looking
        self._files = files
        self._editor = editor
        self._store = store
        self._person = getpass.getuser()
        self._lock = Lock()
        self._known = KnownWorkspace()
        self._doubtful: set[WorkspacePath] = set()
        self.uncovered: Sequence[str] = ()

    def start(self, now_ns: int) -> Sequence[Operation]:
        """Learn the workspace, or record what changed since it was last known."""
        with self._lock:
            known = self._files.load()
            if known is None:
                self._learn()
                return ()
            self._known = known
            return self._settle(None, now_ns, "while not watching")

    def settle(
        self, paths: Iterable[WorkspacePath] | None, now_ns: int, cause: str = ""
    ) -> Sequence[Operation]:
        """Record what changed at *paths*, or anywhere with None; *cause* is what is known of it."""
        with self._lock:
            return self._settle(paths, now_ns, cause)

    # -- learning -----------------------------------------------------------------------------

    def _learn(self) -> None:
        """Take everything as it is; nothing is known to have changed."""
        latest = next(self._store.newest_first(steps=0), None)
        self._known = KnownWorkspace(position=latest.id if latest else "")
        found = _Found()
        for directory, listing in self._looking.everywhere().items():
            for name, entry in listing.items():
                path = directory.child(name)
                self._note(found, path, self._looking.state(path, entry), mark_of(entry))
                if found.size > _BATCH:
                    self._save(found)
                    found = _Found()
        self._save(found)

    def _note(
        self, found: _Found, path: WorkspacePath, state: State | None, mark: Mark | None
    ) -> None:
        """Keep what is at a path from now on."""
        if isinstance(state, FileState) and state.content is not None:
            found.contents.append(state.content)
            found.size += state.size
            state = replace(state, content=None)
        entry = None if isinstance(state, Absent) else KnownEntry(mark, state)
        found.entries[path] = entry
        here = self._known.entries.setdefault(path.parent, {})
        if entry is None:
            here.pop(path.name, None)
        else:
            here[path.name] = entry

    def _save(self, found: _Found) -> None:
        self._files.save(found.entries, found.contents, self._known.position, self._known.own)

    # -- comparing ----------------------------------------------------------------------------

    def _settle(
        self, paths: Iterable[WorkspacePath] | None, now_ns: int, cause: str
    ) -> Sequence[Operation]:
        # Looked at first: what an operation made visible is in the journal by then.
        listings = self._look(paths)
        earlier, touched = self._catch_up()
        if touched:
            missing = {path.parent for path in touched} - listings.keys()
            listings |= self._looking.some(missing, self._known.entries)
        found = self._compare(listings, now_ns)
        self.uncovered = tuple(found.uncovered)
        recorded = [
            operation
            for changes, why in ((earlier, "before an edit"), (found.changes, cause))
            if (operation := self._record(changes, why)) is not None
        ]
        own = frozenset(operation.id for operation in recorded)
        self._known.own |= own
        if found.entries or own or touched:
            found.entries |= {path: self._entry(path) for path in touched - found.entries.keys()}
            self._save(found)
        return recorded

    def _look(self, paths: Iterable[WorkspacePath] | None) -> dict[WorkspacePath, Listing]:
        if paths is None:
            return self._looking.everywhere()
        wanted = {path.parent for path in paths} | {path.parent for path in self._doubtful}
        wanted |= {path for path in paths if path in self._known.entries}
        return self._looking.some(wanted, self._known.entries)

    def _catch_up(self) -> tuple[list[Change], set[WorkspacePath]]:
        """Bring what is known up to the journal: other programs' changes in between, and paths."""
        new = operations_since(self._store, self._known.position)
        between: list[Change] = []
        touched: set[WorkspacePath] = set()
        for operation in new:
            if operation.id not in self._known.own:
                apply_operation(self._known.entries, operation, between, touched)
        if new:
            self._known.position = new[-1].id
            self._known.own = frozenset()
        return [self._with_contents(change) for change in between], touched

    def _entry(self, path: WorkspacePath) -> KnownEntry | None:
        return self._known.entries.get(path.parent, {}).get(path.name)

    def _compare(self, listings: Mapping[WorkspacePath, Listing], now_ns: int) -> _Found:
        found = _Found()
        doubtful: set[WorkspacePath] = set()
        for directory, listing in listings.items():
            known = dict(self._known.entries.get(directory, {}))
            for name in known.keys() - listing.keys():
                self._forget(found, directory.child(name))
            for name, entry in listing.items():
                path, mark, before = directory.child(name), mark_of(entry), known.get(name)
                if before is not None and before.mark == mark and path not in self._doubtful:
                    continue
                if entry.ctime_ns > now_ns - _TICK_NS:
                    doubtful.add(path)
                self._compare_one(found, path, entry, before)
        self._doubtful = doubtful
        return found

    def _forget(self, found: _Found, path: WorkspacePath) -> None:
        """Note that an entry is gone, and everything below it."""
        there = self._looking.entry(path)
        if there is not None:
            listed = self._looking.some([path.parent], self._known.entries).get(path.parent, {})
            if path.name in listed:
                self._compare_one(found, path, there, self._entry(path))
                return
        for below in [path.child(name) for name in self._known.entries.get(path, {})]:
            self._forget(found, below)
        before = self._entry(path)
        if before is not None and there is None:
            self._add(found, path, before.state, ABSENT)
        # What is there but no longer listed is ignored from now on: that is no change.
        self._note(found, path, ABSENT, None)
        self._known.entries.pop(path, None)

    def _compare_one(
        self, found: _Found, path: WorkspacePath, entry: Entry, before: KnownEntry | None
    ) -> None:
        now = self._looking.state(path, entry)
        then: State | None = ABSENT if before is None else before.state
        if is_same(then, now):
            kept = then if now is None else now
            self._note(found, path, kept, mark_of(entry))
            return
        if isinstance(then, DirState) and not isinstance(now, DirState):
            for below in [path.child(name) for name in self._known.entries.pop(path, {})]:
                self._forget(found, below)
        self._add(found, path, then, now)
        self._note(found, path, now, mark_of(entry))

    def _add(
        self, found: _Found, path: WorkspacePath, before: State | None, after: State | None
    ) -> None:
        """Add a change to what is recorded, if both states are to be had."""
        old = before if before is None else self._with_content(before)
        if old is None or after is None:
            found.uncovered.append(show_name(path.relative))
            return
        size = sum(state.size for state in (old, after) if isinstance(state, FileState))
        if len(found.changes) >= MAX_CHANGES or size > MAX_CHANGED:
            found.uncovered.append(show_name(path.relative))
            return
        found.changes.append(Change(path, old, after))

    def _with_contents(self, change: Change) -> Change:
        before, after = (self._with_content(s) or s for s in (change.before, change.after))
        return Change(change.path, before, after)

    def _with_content(self, state: State) -> State | None:
        """Return the state with its content; None when that is lost."""
        if not isinstance(state, FileState) or state.content is not None:
            return state
        content = self._files.content(state)
        if content is None:
            content = next(self._journalled(state), None)
        return None if content is None else replace(state, content=content)

    def _journalled(self, state: FileState) -> Iterator[bytes]:
        """Yield the content from the operation that wrote it."""
        for operation in self._store.newest_first():
            for step in operation.change_set.steps:
                if isinstance(step, Change) and any(
                    isinstance(s, FileState) and s.digest == state.digest
                    for s in (step.before, step.after)
                ):
                    yield from _contents_in(self._store.load(operation.id), state.digest)

    def _record(self, changes: list[Change], cause: str) -> Operation | None:
        change_set = ChangeSet(in_order(changes))
        if change_set.is_empty:
            return None
        origin = Origin(OUTSIDE, principal=self._person, summary=cause)
        return self._editor.record(change_set, origin)


def _contents_in(operation: Operation, digest: str) -> Iterator[bytes]:
    for step in operation.change_set.steps:
        for state in (step.before, step.after) if isinstance(step, Change) else ():
            if (
                isinstance(state, FileState)
                and state.digest == digest
                and state.content is not None
            ):
                yield state.content


def is_same(one: State | None, other: State | None) -> bool:
    """Return whether two states are alike; a mode that is not said may be any."""
    if isinstance(one, FileState) and isinstance(other, FileState):
        return one.digest == other.digest and _is_same_mode(one.mode, other.mode)
    if isinstance(one, DirState) and isinstance(other, DirState):
        return _is_same_mode(one.mode, other.mode)
    return one == other


def _is_same_mode(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other
