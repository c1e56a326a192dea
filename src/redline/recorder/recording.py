"""Compares the workspace with what was known of it, and journals what Redline did not do itself."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Container, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from functools import partial
from itertools import islice
from threading import Lock
from typing import NamedTuple

from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileState,
    Rename,
    State,
    in_order,
)
from redline.core.errors import HistoryError, PathDenied
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import OUTSIDE, PROMPT, ChangeEditor, Operation, Origin
from redline.core.ports.store import Store
from redline.core.ports.tree import Entry
from redline.core.records import dataclass, field, replace
from redline.engine.ignore_rules import IgnoreRules
from redline.recorder.claims import ChangeTime, Claim, Claims
from redline.recorder.entries import EntryReader, is_same, mark_of
from redline.recorder.known_entries import KnownEntries
from redline.recorder.ports import HookEvent, KnownEntry, KnownFiles, Mark, SavedPosition
from redline.search.ignore import IGNORE_FILE

# What one operation holds at most; a larger burst is several operations.
MAX_CHANGES = 5_000
MAX_CHANGED = 64 << 20
_MAX_SHOWN = 200
_MAX_ID = 64

Claiming = Callable[[Change], tuple[Claim, ...]]


class Part(NamedTuple):
    """Changes of one run of a tool, or of none that is known."""

    claims: tuple[Claim, ...]
    changes: list[Change]


def split(changes: Sequence[Change], claiming: Claiming) -> list[Part]:
    """Return the parts of *changes*, in an order in which they can be carried out.

    A directory in which several made or removed something has a part before or after theirs.
    """
    owners = {change.path: claiming(change) for change in changes}
    shared = _shared_directories(owners)
    first: dict[tuple[Claim, ...], list[Change]] = {}
    middle: dict[tuple[Claim, ...], list[Change]] = {}
    last: dict[tuple[Claim, ...], list[Change]] = {}
    for change in changes:
        stage = middle
        if change.path in shared:
            stage = last if isinstance(change.before, DirState) else first
        stage.setdefault(owners[change.path], []).append(change)
    return [Part(*part) for stage in (first, middle, last) for part in stage.items()]


def _shared_directories(owners: dict[WorkspacePath, tuple[Claim, ...]]) -> set[WorkspacePath]:
    """Return the changed paths that have changes of several owners at or beneath them."""
    found: set[WorkspacePath] = set()
    for path, owner in owners.items():
        above = path
        while above.parts:
            above = above.parent
            if owners.get(above, owner) != owner:
                found.add(above)
    return found


def origin_of(claims: tuple[Claim, ...], person: str, cause: str) -> Origin:
    """Return what is known of who made a change; *cause* is what else is known of it."""
    if len(claims) == 1:
        event = claims[0].event
        parts = [_shorten(event.command or _name_files(event.files)), cause]
        parts += [f"prompt {_shorten(event.prompt, _MAX_ID)}"] if event.prompt else []
        summary = "; ".join(text for text in parts if text)
        return Origin(
            _shorten(event.tool, _MAX_ID),
            event.client,
            person,
            summary,
            session=_shorten(event.session, _MAX_ID),
        )
    names = " or ".join(
        sorted(
            f"{claim.event.client} session {_shorten(claim.event.session, _MAX_ID)}"
            for claim in claims
        )
    )
    summary = "; ".join(text for text in (cause, names) if text)
    return Origin(OUTSIDE, principal=person, summary=summary)


def origin_of_prompt(event: HookEvent, person: str) -> Origin:
    """Return the origin of a prompt's record; its summary is the first words."""
    words, session = _shorten(event.words), _shorten(event.session, _MAX_ID)
    return Origin(PROMPT, event.client, person, words, session=session)


def _name_files(files: frozenset[str]) -> str:
    return ", ".join(sorted(files))


def _shorten(text: str, length: int = _MAX_SHOWN) -> str:
    shown = show_name(text)
    return shown if len(shown) <= length else f"{shown[: length - 1]}…"


def in_slices(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Yield *changes* in order, as many at a time as one operation holds."""
    held: list[Change] = []
    size = 0
    for change in changes:
        sizes = [s.size for s in (change.before, change.after) if isinstance(s, FileState)]
        if held and (len(held) >= MAX_CHANGES or size + sum(sizes) > MAX_CHANGED):
            yield held
            held, size = [], 0
        held.append(change)
        size += sum(sizes)
    if held:
        yield held


def login_name() -> str:
    """Return the name of the person this runs for, empty where the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


# Something is there that was left out so far.
UNKNOWN = KnownEntry(None, None)


def finished_since(store: Store, position: str, own: Container[str]) -> list[Operation]:
    """Return the operations journalled after *position*, oldest first.

    Each is visible when this returns: one that was revoked is left out. *own* are the recorder's.
    """
    written = _operations_since(store, position)
    paths = {path for each in written if each.id not in own for path in each.change_set.paths}
    if not paths:
        return written
    store.wait_for(paths)
    names = {operation.id for operation in written}
    return [operation for operation in _operations_since(store, position) if operation.id in names]


def _operations_since(store: Store, position: str) -> list[Operation]:
    found: list[Operation] = []
    for operation in store.newest_first():
        if operation.id == position:
            break
        found.append(operation)
    found.reverse()
    return found


class Preceding(NamedTuple):
    """What other programs had changed when an operation found it."""

    follower: Operation
    changes: list[Change]


@dataclass(slots=True)
class CaughtUp:
    """What operations touched, and what other programs had changed there before them."""

    preceding: list[Preceding] = field(default_factory=list)
    touched: set[WorkspacePath] = field(default_factory=set)
    # What ignore files held before them.
    rules: dict[WorkspacePath, State] = field(default_factory=dict)


def apply_operation(
    entries: KnownEntries, operation: Operation, caught_up: CaughtUp, rules: IgnoreRules
) -> None:
    """Carry out an operation on *entries*.

    What *rules* leave out was there before it, though it is not among them.
    """
    found: list[Change] = []
    for step in operation.change_set.steps:
        if isinstance(step, Rename):
            _move(entries, step.source, step.target, caught_up)
            if rules.leave_out(step.source, ABSENT) or rules.leave_out(step.source, DirState()):
                entries.put(step.target, UNKNOWN)
            continue
        known = entries.at(step.path)
        before: State | None = ABSENT if known is None else known.state
        if (
            before is not None
            and not _agrees(before, step.before)
            and (known is not None or not rules.leave_out(step.path, step.before))
        ):
            found.append(Change(step.path, before, step.before))
        caught_up.touched.add(step.path)
        if step.path.name == IGNORE_FILE:
            caught_up.rules.setdefault(step.path, step.before)
        _put(entries, step.path, step.after)
    if found:
        caught_up.preceding.append(Preceding(operation, found))


def _agrees(known: State, said: State) -> bool:
    if isinstance(known, FileState) and isinstance(said, FileState):
        return known.digest == said.digest
    return type(known) is type(said)


def _put(entries: KnownEntries, path: WorkspacePath, state: State) -> None:
    if isinstance(state, Absent):
        entries.remove(path)
        entries.remove_all(path)
        return
    if isinstance(state, FileState):
        state = replace(state, content=None)
    entries.put(path, KnownEntry(None, state))


def _move(
    entries: KnownEntries, source: WorkspacePath, target: WorkspacePath, caught_up: CaughtUp
) -> None:
    """Give an entry and all below it another name."""
    caught_up.touched |= {source, target}
    moved = entries.remove(source)
    if moved is not None:
        entries.put(target, KnownEntry(None, moved.state))
    for directory in entries.beneath(source):
        place = target.child(*directory.parts[len(source.parts) :])
        for name, entry in entries.remove_all(directory).items():
            entries.put(place.child(name), KnownEntry(None, entry.state))
            caught_up.touched |= {directory.child(name), place.child(name)}


# What was read at each path; without a mark it is gone, or there but ignored if its state is None.
Seen = dict[WorkspacePath, tuple[Mark | None, State | None]]


@dataclass(slots=True)
class Found:
    """What differs from what was known, and what is known from now on."""

    changes: list[Change] = field(default_factory=list)
    entries: dict[WorkspacePath, KnownEntry | None] = field(default_factory=dict)
    contents: list[bytes] = field(default_factory=list)
    uncovered: list[str] = field(default_factory=list)
    size: int = 0


# Two writes within one tick of the file system's clock look alike.
_TICK_NS = 20_000_000
# What is learned of the workspace is saved in parts of at most this.
_MAX_BATCH_BYTES, _MAX_BATCH_ENTRIES = 16 << 20, 10_000
_MAX_NAMED = 100
# How many of the latest operations may not be visible yet.
_MAX_IN_FLIGHT = 64


class Recorder:
    """Keeps what is known of the workspace up to date; one at a time for a workspace."""

    def __init__(
        self,
        entries: EntryReader,
        files: KnownFiles,
        editor: ChangeEditor,
        store: Store,
        claims: Claims,
        hear_hooks: Callable[[], None] = lambda: None,
    ) -> None:
        self._entries = entries
        self._rules = entries.rules
        self._claims = claims
        # Waits until the claims have what hooks said so far.
        self._hear_hooks = hear_hooks
        self._looked_ns = 0
        self._files = files
        self._editor = editor
        self._store = store
        self._person = login_name()
        self._lock = Lock()
        self._known = KnownEntries()
        self._position = SavedPosition()
        self._doubtful: set[WorkspacePath] = set()
        self._uncovered: dict[str, None] = {}

    @property
    def uncovered(self) -> Sequence[str]:
        """The latest paths that changed and could not be recorded."""
        return tuple(self._uncovered)

    @property
    def unreadable(self) -> frozenset[WorkspacePath]:
        """What may not be read: changes there are unknown."""
        return self._entries.unreadable

    @property
    def is_waiting(self) -> bool:
        """Whether something must be looked at again: it was being written."""
        return bool(self._doubtful)

    def start(
        self, now_ns: int, wait_for_commands: Callable[[], object] = lambda: None
    ) -> Sequence[Operation]:
        """Learn the workspace, or record what changed since it was last known."""
        with self._lock:
            self._known = KnownEntries()
            position = self._files.load(self._known.put)
            if position is None:
                self._learn(wait_for_commands)
                return ()
            self._position = position
            return self._settle(None, now_ns, "while not watching")

    def settle(
        self, paths: Iterable[WorkspacePath] | None, now_ns: int, cause: str = ""
    ) -> Sequence[Operation]:
        """Record what changed at *paths*, or anywhere with None; *cause* is what is known of it."""
        with self._lock:
            return self._settle(paths, now_ns, cause)

    def note_prompt(self, event: HookEvent) -> None:
        """Journal that a person gave an agent a prompt."""
        self._editor.note_prompt(origin_of_prompt(event, self._person))

    # -- learning -----------------------------------------------------------------------------

    def _learn(self, wait_for_commands: Callable[[], object]) -> None:
        """Take everything as it is; nothing is known to have changed. LimitReached."""
        for _ in self._entries.everywhere():
            pass  # if there are too many files, none is read
        recent = list(islice(self._store.newest_first(steps=0), _MAX_IN_FLIGHT + 1))
        start = recent[-1].id if len(recent) > _MAX_IN_FLIGHT else ""
        finished = finished_since(self._store, start, ())
        self._position = SavedPosition(finished[-1].id if finished else "")
        found = Found()
        for directory, listing in self._entries.everywhere():
            for name, entry in listing.items():
                path = directory.child(name)
                self._note(found, path, self._state(path, entry), mark_of(entry))
                if found.size > _MAX_BATCH_BYTES or len(found.entries) >= _MAX_BATCH_ENTRIES:
                    self._save(found, is_whole=False)
                    found = Found()
        for path in self._entries.unreadable:
            if (closed := self._known.at(path)) is not None:
                self._note(found, path, None, closed.mark)
        # What a command had written was perhaps learned already; its operation comes with its end.
        wait_for_commands()
        # What they found was not known, so it may have been learned from before or after them.
        self._doubtful |= (touched := self._catch_up().touched)
        found.entries |= {path: self._known.at(path) for path in touched}
        self._save(found)

    def _state(self, path: WorkspacePath, entry: Entry) -> State | None:
        try:
            return self._entries.state(path, entry)
        except PathDenied:
            return None

    def _note(
        self, found: Found, path: WorkspacePath, state: State | None, mark: Mark | None
    ) -> None:
        """Keep what is at a path from now on."""
        if isinstance(state, FileState) and state.content is not None:
            found.contents.append(state.content)
            found.size += state.size
            state = replace(state, content=None)
        entry = None if isinstance(state, Absent) else KnownEntry(mark, state)
        found.entries[path] = entry
        if entry is None:
            self._known.remove(path)
        else:
            self._known.put(path, entry)

    def _save(self, found: Found, *, is_whole: bool = True) -> None:
        self._files.save(found.entries, found.contents, self._position, is_whole=is_whole)

    # -- comparing ----------------------------------------------------------------------------

    def _settle(
        self, paths: Iterable[WorkspacePath] | None, now_ns: int, cause: str
    ) -> Sequence[Operation]:
        before = self._catch_up()
        self._doubtful |= before.touched
        # Read before the journal is: what an operation made visible is in the journal by then.
        seen = self._look(paths, now_ns)
        meanwhile = self._catch_up()
        since = self._position.operation
        found = self._compare(seen, meanwhile.touched)
        self._name_uncovered(found.uncovered)
        preceding = (*before.preceding, *meanwhile.preceding)
        if found.changes or preceding:
            self._hear_hooks()
        recorded = self._record_preceding(preceding)
        for part in split(found.changes, partial(self._find_claims, seen=seen, now_ns=now_ns)):
            made = self._record(part, cause, since=since)
            since = made[-1].id if made else since
            recorded += made
        self._looked_ns = now_ns
        own = frozenset(operation.id for operation in recorded)
        self._keep(found, before.touched | meanwhile.touched, own)
        if not meanwhile.rules:
            self._rules.clear()
        return recorded

    def _record_preceding(self, preceding: Iterable[Preceding]) -> list[Operation]:
        """Record what others changed before operations of Redline."""
        recorded: list[Operation] = []
        for follower, changes in preceding:
            for part in split(changes, partial(self._find_naming_claims, follower)):
                recorded += self._record(part, "before an edit", before=follower.id)
        return recorded

    def _keep(self, found: Found, touched: Set[WorkspacePath], own: frozenset[str]) -> None:
        """Save what is known after a look, if anything is new."""
        self._position = SavedPosition(self._position.operation, self._position.own | own)
        for path in touched - found.entries.keys():
            found.entries[path] = self._known.at(path)
        if found.entries or own:
            self._save(found)

    def _look(self, paths: Iterable[WorkspacePath] | None, now_ns: int) -> Seen:
        """Read everything at *paths* that may have changed, or everywhere."""
        if paths is None:
            listings = self._entries.everywhere()
        else:
            changed = {*paths, *self._doubtful}
            wanted = {path.parent for path in changed}
            wanted |= {path for path in changed if path in self._known}
            listings = iter(self._entries.some(wanted, self._known).items())
        seen: Seen = {}
        doubtful: set[WorkspacePath] = set()
        for directory, listing in listings:
            known = self._known.of(directory)
            for name in known.keys() - listing.keys():
                with suppress(PathDenied):
                    self._look_below(seen, directory.child(name))
            for name, entry in listing.items():
                path, before = directory.child(name), known.get(name)
                mark = mark_of(entry)
                if before is not None and before.mark == mark and path not in self._doubtful:
                    continue
                with suppress(PathDenied):  # it stays what it was when it could be read
                    seen[path] = self._entries.read(path, entry)
                    if entry.ctime_ns > now_ns - _TICK_NS or seen[path][0] != mark:
                        doubtful.add(path)
        self._doubtful = doubtful
        return seen

    def _look_below(self, seen: Seen, path: WorkspacePath) -> None:
        """Note that an entry is no longer listed: it is gone, or ignored from now on."""
        for name in self._known.of(path):
            self._look_below(seen, path.child(name))
        there = self._entries.entry(path)
        if there is not None and not self._entries.is_ignored(path):
            seen[path] = self._entries.read(path, there)  # it came back while we looked
        else:
            seen[path] = (None, ABSENT if there is None else None)

    def _catch_up(self) -> CaughtUp:
        """Bring what is known up to the journal."""
        position = self._position
        new = finished_since(self._store, position.operation, position.own)
        caught_up = CaughtUp()
        for operation in new:
            if operation.id not in position.own:
                apply_operation(self._known, operation, caught_up, self._rules)
        for path, before in caught_up.rules.items():
            self._rules.note(path, self._with_content(before))
        if new:
            self._position = SavedPosition(new[-1].id)
        return caught_up

    def _compare(self, seen: Seen, touched: Set[WorkspacePath]) -> Found:
        """Return what differs from what is known.

        A path that operations *touched* while it was looked at is looked at again.
        """
        found = Found()
        self._doubtful |= touched - seen.keys()
        for path in seen:
            if path.name == IGNORE_FILE:
                entry = self._known.at(path)
                state = ABSENT if entry is None or entry.state is None else entry.state
                self._rules.note(path, self._with_content(state))
        opened = {path for path, (_, now) in seen.items() if self._is_opened(path, now)}
        for path, (mark, now) in seen.items():
            entry = self._known.at(path)
            then: State | None = ABSENT if entry is None else entry.state
            if not is_same(then, now):
                if path in touched:
                    self._doubtful.add(path)
                    continue
                is_learned = entry == UNKNOWN or any(path.is_beneath(each) for each in opened)
                is_learned |= (
                    entry is None and now is not None and self._rules.used_to_leave_out(path, now)
                )
                if (mark is not None or now is not None) and not is_learned:
                    self._add(found, path, then, now)
            is_gone = mark is None
            self._note(found, path, ABSENT if is_gone else now, mark)
            if is_gone:
                self._known.remove_all(path)
        return found

    def _is_opened(self, path: WorkspacePath, now: State | None) -> bool:
        """Return whether a directory can be read of which nothing was known until now."""
        entry = self._known.at(path)
        return isinstance(now, DirState) and entry is not None and entry.state is None

    def _add(
        self, found: Found, path: WorkspacePath, before: State | None, after: State | None
    ) -> None:
        """Add a change to what is recorded, if both states can be."""
        if before is None or after is None:
            found.uncovered.append(show_name(path.relative))
        else:
            found.changes.append(Change(path, before, after))

    def _name_uncovered(self, names: Iterable[str]) -> None:
        self._uncovered |= dict.fromkeys(names)
        while len(self._uncovered) > _MAX_NAMED:
            del self._uncovered[next(iter(self._uncovered))]

    def _with_contents(self, change: Change) -> Change | None:
        """Return the change with both contents; None, and it is named, when one is lost."""
        before, after = self._with_content(change.before), self._with_content(change.after)
        if before is None or after is None:
            self._name_uncovered([show_name(change.path.relative)])
            return None
        return Change(change.path, before, after)

    def _with_content(self, state: State) -> State | None:
        """Return the state with its content; None when that is lost."""
        if not isinstance(state, FileState) or state.content is not None:
            return state
        content = self._files.content(state)
        if content is not None:
            return replace(state, content=content)
        try:
            return self._store.load_content(state)
        except HistoryError:
            return None

    def _record(
        self, part: Part, cause: str, *, before: str | None = None, since: str | None = None
    ) -> list[Operation]:
        """Journal what happened right before an operation, or before everything since another."""
        origin = origin_of(part.claims, self._person, cause)
        recorded: list[Operation] = []
        for changes in in_slices(in_order(part.changes)):
            filled = [full for change in changes if (full := self._with_contents(change))]
            change_set = ChangeSet(tuple(filled))
            if not change_set.is_empty:
                made = self._editor.record(change_set, origin, before=before, since=since)
                since = None if since is None else made.id
                recorded.append(made)
        return recorded

    def _find_claims(self, change: Change, seen: Seen, now_ns: int) -> tuple[Claim, ...]:
        """Return the runs of clients' tools that may have made a change."""
        mark = seen[change.path][0] if isinstance(change.after, FileState) else None
        at_ns = mark[-1] if mark else self._entries.time_of(change.path, now_ns)
        since_ns = self._looked_ns if change.after == ABSENT else at_ns
        path = self._entries.absolute(change.path)
        return self._claims.matching(path, ChangeTime(min(since_ns, at_ns), at_ns))

    def _find_naming_claims(self, follower: Operation, change: Change) -> tuple[Claim, ...]:
        """Return the runs that named a file before an operation found it changed."""
        when = ChangeTime(self._looked_ns, int(follower.time * 1e9))
        found = self._claims.matching(self._entries.absolute(change.path), when)
        return tuple(claim for claim in found if claim.event.files)
