"""Which file each step of the journal was about, through all its names, and what became of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from redline.core.changes import ABSENT, Absent, Change, DirState, FileState, Rename, State
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation


class Passed(NamedTuple):
    """Step number `at` of all operations took a file from `before` to `after`."""

    at: int
    operation: str
    before: State
    after: State


class TrackedEntry:
    """A file, link or directory through all its names.

    One that was removed keeps the place it had, and is the same again when it comes back there.
    """

    __slots__ = ("entries", "gone", "is_there", "life", "moved_by", "name", "parent", "passed")

    def __init__(self, parent: TrackedEntry | None, name: str) -> None:
        self.parent = parent
        self.name = name
        self.is_there = True
        # The last operation that renamed the entry itself.
        self.moved_by = ""
        # Which step made it, 0 if it was there from the beginning; an undo leads back to that.
        self.life = 0
        self.passed: list[Passed] = []
        self.entries: dict[str, TrackedEntry] = {}
        # What was removed, by name, the latest last.
        self.gone: dict[str, list[TrackedEntry]] = {}
        if parent is not None:
            parent.entries[name] = self

    def was(self, state: State | None) -> bool:
        """Return whether it had this state when it was removed."""
        if not self.passed:
            return False
        last = self.passed[-1]
        lost = last.before if isinstance(last.after, Absent) else last.after
        return _is_alike(lost, state)

    @property
    def is_recorded(self) -> bool:
        """Whether an operation made it, or something that is in it."""
        return bool(self.life) or any(each.is_recorded for each in self.entries.values())

    def passed_since(self, at: int) -> list[Passed]:
        """Return what became of it from step *at* on."""
        return self.passed[bisect_left(self.passed, at, key=lambda each: each.at) :]

    def passed_at(self, at: int) -> Passed | None:
        """Return what step *at* made of it; None if that step only moved it."""
        number = bisect_left(self.passed, at, key=lambda each: each.at)
        is_found = number < len(self.passed) and self.passed[number].at == at
        return self.passed[number] if is_found else None

    def become(self, *, is_there: bool, life: int) -> None:
        """Note that it is removed, or that it comes back in a life it had."""
        if self.is_there and not is_there:
            self.remove()
        elif is_there and not self.is_there:
            self.come_back()
            self.life = life

    def remove(self) -> None:
        """Note that it is no longer there."""
        assert self.parent is not None
        self._leave()
        self.is_there = False
        self.parent.gone.setdefault(self.name, []).append(self)

    def come_back(self) -> None:
        """Note that it is there again."""
        assert self.parent is not None
        self.parent.gone[self.name].remove(self)
        self._arrive()

    def move(self, parent: TrackedEntry, name: str) -> None:
        """Note that it has another name; it has to be there."""
        self._leave()
        self.parent, self.name = parent, name
        self._arrive()

    def _leave(self) -> None:
        assert self.parent is not None
        if self.parent.entries.get(self.name) is self:
            del self.parent.entries[self.name]

    def _arrive(self) -> None:
        assert self.parent is not None
        there = self.parent.entries.get(self.name)
        if there is not None:
            there.remove()  # another program must have removed it
        self.parent.entries[self.name] = self
        self.is_there = True


class TrackedPlace(NamedTuple):
    """A name in a directory, which may be moved."""

    directory: TrackedEntry
    name: str


class Traced(NamedTuple):
    """What a step of an operation was about; `at` numbers the steps of all operations.

    A rename led from `source` to `target`; for a change both are where the entry was. `life` is
    the one that the step began, ended or changed something in.
    """

    at: int
    entry: TrackedEntry
    source: TrackedPlace
    target: TrackedPlace
    life: int = 0


class Timeline:
    """The operations from some point on, oldest first."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._roots: dict[int, TrackedEntry] = {}
        self._numbers: dict[TrackedEntry, int] = {}
        self._traced: dict[str, list[Traced]] = {}
        self._moves: dict[str, dict[int, int]] = {}
        # The undos and redos among the operations.
        self._reverts: set[str] = set()
        self._count = 0
        for operation in operations:
            self._traced[operation.id] = self._replay(operation)
            if operation.reverts:
                self._reverts.add(operation.id)

    def trace(self, operation_id: str, step: int) -> Traced:
        """Return what a step of one of the operations was about."""
        return self._traced[operation_id][step]

    def moves_in(self, operation_id: str) -> dict[int, int]:
        """Return which steps of an operation made a file that another one removed elsewhere."""
        return self._moves.get(operation_id, {})

    def path_of(self, entry: TrackedEntry) -> WorkspacePath:
        """Return where an entry is, or was last."""
        names: list[str] = []
        while entry.parent is not None:
            names.append(entry.name)
            entry = entry.parent
        return WorkspacePath(self._numbers[entry], tuple(reversed(names)))

    def directories_above(self, entry: TrackedEntry) -> Iterator[TrackedEntry]:
        """Yield the directories that an entry is in, or was last, from the inside out."""
        while entry.parent is not None and entry.parent.parent is not None:
            entry = entry.parent
            yield entry

    def is_taken_back(self, entry: TrackedEntry) -> bool:
        """Return whether an undo or redo removed an entry last."""
        last = entry.passed[-1] if entry.passed else None
        return last is not None and last.after == ABSENT and last.operation in self._reverts

    def path_at(self, place: TrackedPlace) -> WorkspacePath:
        """Return the path of a place, wherever its directory is now."""
        return self.path_of(place.directory).child(place.name)

    def makers_at(self, path: WorkspacePath) -> tuple[str, ...]:
        """Return which operation put there what is at *path*; nothing if none did."""
        place = self._place(path)
        entry = place.directory.entries.get(place.name)
        if entry is None:
            return ()
        made = [each.operation for each in entry.passed if isinstance(each.before, Absent)]
        return (entry.moved_by,) if entry.moved_by else tuple(made[-1:])

    # -- replaying ----------------------------------------------------------------------------

    def _replay(self, operation: Operation) -> list[Traced]:
        steps = operation.change_set.steps
        moves = operation.change_set.moves_by_content()
        if moves:
            self._moves[operation.id] = _step_numbers(steps, moves)
        carried = {target: self._require_entry(source) for source, target in moves.items()}
        returning = self._trace_reverted(operation)
        traced: list[Traced] = []
        for step in steps:
            self._count += 1
            if isinstance(step, Rename):
                traced.append(self._move(self._require_entry(step.source), step.target, operation))
            elif step.path in carried:
                traced.append(self._move(carried[step.path], step.path, operation))
            elif step.path in moves:
                # What a part of the undo would bring back is a copy, not the file that was moved.
                place = self._place(step.path)
                copy = TrackedEntry(*place)
                copy.remove()
                traced.append(Traced(self._count, copy, place, place))
            else:
                traced.append(self._change(step, operation, returning))
        return traced

    def _move(self, entry: TrackedEntry, target: WorkspacePath, operation: Operation) -> Traced:
        assert entry.parent is not None
        source, place = TrackedPlace(entry.parent, entry.name), self._place(target)
        entry.move(*place)
        entry.moved_by = operation.id
        return Traced(self._count, entry, source, place, entry.life)

    def _change(self, step: Change, operation: Operation, returning: list[Traced]) -> Traced:
        place = self._place(step.path)
        if isinstance(step.before, Absent):
            entry = self._bring_back(place, step.after, operation, returning)
            entry = entry or _make(place, step.after)
            if operation.kind == "change":
                entry.life = self._count
        else:
            entry = self._require_entry(step.path, step.before)
        entry.passed.append(Passed(self._count, operation.id, step.before, step.after))
        if isinstance(step.after, Absent) and entry.parent is not None:
            entry.remove()
        return Traced(self._count, entry, place, place, entry.life)

    def _trace_reverted(self, operation: Operation) -> list[Traced]:
        """Return the steps that an undo or redo turns round or repeats to make something, in order.

        What it takes back it goes through backwards, what it does again forwards.
        """
        found: list[Traced] = []
        for token in (operation.reverts or "").split(","):
            name = token.strip("+~")
            steps = self._traced.get(name, [])
            if operation.kind == "redo":
                is_again = name not in self._reverts
            else:
                is_again = token.startswith("+")
            ordered = steps if is_again else reversed(steps)
            found += [each for each in ordered if _makes(each, is_again=is_again)]
        return found

    def _bring_back(
        self, place: TrackedPlace, state: State, operation: Operation, returning: list[Traced]
    ) -> TrackedEntry | None:
        """Restore what an undo or redo is about, even with other content than it had."""
        gone = place.directory.gone.get(place.name)
        if not gone or not operation.reverts:
            return None
        names = _reverted_by(operation)
        about = [traced for name in names for traced in self._traced.get(name, ())]
        found = [each for each in (*returning, *reversed(about)) if each.entry in gone]
        alike = [each for each in found if each.entry.was(state)]
        if not alike and not (found and all(name in self._traced for name in names)):
            return None
        traced = (alike or found)[0]
        if traced in returning:
            del returning[: returning.index(traced) + 1]
        traced.entry.become(is_there=True, life=traced.life)
        return traced.entry

    def _require_entry(self, path: WorkspacePath, state: State | None = None) -> TrackedEntry:
        """Return what has to be at *path*, even if no operation so far knew of it."""
        if not path.parts:
            return self._root(path.root)
        place = self._place(path)
        return place.directory.entries.get(place.name) or _make(place, state)

    def _place(self, path: WorkspacePath) -> TrackedPlace:
        directory = self._root(path.root)
        for name in path.parts[:-1]:
            place = TrackedPlace(directory, name)
            directory = directory.entries.get(name) or _make(place, DirState())
        return TrackedPlace(directory, path.name)

    def _root(self, number: int) -> TrackedEntry:
        if number not in self._roots:
            self._roots[number] = root = TrackedEntry(None, "")
            self._numbers[root] = number
        return self._roots[number]


def removers(operation: Operation) -> set[str]:
    """Return operations that may have removed what an undo or redo brings back."""
    steps = operation.change_set.steps
    if operation.reverts and any(isinstance(s, Change) and s.before == ABSENT for s in steps):
        return set(_reverted_by(operation))
    return set()


def _makes(traced: Traced, *, is_again: bool) -> bool:
    """Return whether doing a step again, or else taking it back, makes something."""
    passed = traced.entry.passed_at(traced.at)
    return passed is not None and isinstance(passed.before if is_again else passed.after, Absent)


def _reverted_by(operation: Operation) -> list[str]:
    return [token.strip("+~") for token in (operation.reverts or "").split(",")]


def _make(place: TrackedPlace, state: State | None) -> TrackedEntry:
    """Return a new entry, or the removed one that is back there as it was."""
    there = place.directory.entries.get(place.name)
    if there is not None:
        there.remove()  # another program must have removed it
    for entry in reversed(place.directory.gone.get(place.name, ())):
        if entry.was(state):
            entry.come_back()
            return entry
    return TrackedEntry(*place)


def _is_alike(lost: State, found: State | None) -> bool:
    if isinstance(lost, FileState) and isinstance(found, FileState):
        return lost.digest == found.digest
    return lost == found or (isinstance(lost, DirState) and isinstance(found, DirState))


def _step_numbers(
    steps: Sequence[Change | Rename], moves: dict[WorkspacePath, WorkspacePath]
) -> dict[int, int]:
    """Return which step made each moved file, and which one removed it."""
    changes = {s.path: n for n, s in enumerate(steps) if isinstance(s, Change)}
    if len(changes) < len(steps):
        return {}  # what happened to a path more than once is taken step by step
    return {changes[target]: changes[source] for source, target in moves.items()}


class RevertStep(NamedTuple):
    """A step to carry out: it reverts step `number` of an operation, or makes it `again`."""

    step: Change | Rename
    operation: str
    number: int
    again: bool = False


def with_moves(
    steps: Sequence[RevertStep], moves_in: Callable[[str], Mapping[int, int]]
) -> list[RevertStep]:
    """Take a removal and a creation that moved a file as its move, where both are to be taken.

    *moves_in* names such steps of an operation, see `Timeline.moves_in`. A move keeps what the file
    holds by now.
    """
    found: list[RevertStep] = []
    for operation, group in groupby(steps, key=lambda each: each.operation):
        found += _take_moves(list(group), moves_in(operation))
    return found


def _take_moves(steps: list[RevertStep], moves: Mapping[int, int]) -> list[RevertStep]:
    named = {each.number: each.step for each in steps}
    halves: set[int] = set()
    found: list[RevertStep] = []
    for each in steps:
        made, removed = each.step, named.get(moves.get(each.number, -1))
        if isinstance(made, Change) and isinstance(removed, Change):
            halves.add(moves[each.number])
            first, last = (removed, made) if each.again else (made, removed)
            if first.before != last.after:  # its mode was changed too
                found.append(each._replace(step=Change(made.path, first.before, last.after)))
            each = each._replace(step=Rename(first.path, last.path))
        found.append(each)
    if not halves:
        return steps
    # A moved file needs the directory it goes to, and leaves empty the one it was in.
    found = [each for each in found if each.number not in halves]
    return sorted(found, key=lambda each: _rank(each.step))


_CHANGED, _MADE_DIRECTORY, _MOVED, _EMPTIED, _MADE = range(5)


def _rank(step: Change | Rename) -> int:
    """Return when a step can be taken among the others of an operation with moves."""
    if isinstance(step, Rename):
        return _MOVED
    if isinstance(step.before, DirState) and isinstance(step.after, Absent):
        return _EMPTIED
    if not isinstance(step.before, Absent):
        return _CHANGED
    return _MADE_DIRECTORY if isinstance(step.after, DirState) else _MADE
