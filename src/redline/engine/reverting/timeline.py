"""What later operations did to a path: where it is now, and through which contents it went."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from redline.core.changes import Absent, Change, FileState, Rename, State
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation
from redline.engine.reverting.outlook import moved


class Located(NamedTuple):
    """Where something is now; `moved_by` is the last operation that renamed it itself."""

    path: WorkspacePath
    moved_by: str = ""


class Passed(NamedTuple):
    """A later operation took a path from `before` to `after`."""

    operation: str
    before: State
    after: State


class Timeline:
    """The operations from some point on, oldest first."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._ids = [operation.id for operation in operations]
        self._numbers = {name: number for number, name in enumerate(self._ids)}
        self._renames: list[tuple[int, Rename]] = []
        self._changes: dict[WorkspacePath, list[tuple[int, Change]]] = {}
        for number, operation in enumerate(operations):
            self._take_in(number, operation)

    def number_of(self, operation_id: str) -> int:
        """Return the position of an operation; -1 if it is older than all of these."""
        return self._numbers.get(operation_id, -1)

    def locate(self, path: WorkspacePath, number: int) -> Located:
        """Return where later operations moved what was at *path* after operation *number*."""
        found = Located(path)
        for at, rename in self._later_renames(number):
            target = moved(found.path, rename)
            if target != found.path:
                itself = rename.source == found.path
                found = Located(target, self._ids[at] if itself else found.moved_by)
        return found

    def passed(self, path: WorkspacePath, number: int) -> Iterator[Passed]:
        """Yield what later operations made of the file at *path*, wherever they moved it."""
        start = number
        for at, rename in self._later_renames(number):
            target = moved(path, rename)
            if target != path:
                yield from self._changes_of(path, start, at)
                path, start = target, at - 1
        yield from self._changes_of(path, start, len(self._ids))

    def _changes_of(self, path: WorkspacePath, after: int, until: int) -> Iterator[Passed]:
        for at, change in self._changes.get(path, ()):
            if after < at <= until:
                yield Passed(self._ids[at], change.before, change.after)

    def _later_renames(self, number: int) -> Iterator[tuple[int, Rename]]:
        first = bisect_right(self._renames, number, key=lambda pair: pair[0])
        yield from self._renames[first:]

    def _take_in(self, number: int, operation: Operation) -> None:
        steps = operation.change_set.steps
        moves = _moves_by_content(steps)
        for step in steps:
            if isinstance(step, Rename):
                self._renames.append((number, step))
            elif not moves or step.path not in moves:
                self._changes.setdefault(step.path, []).append((number, step))
        for source, target in moves.items():
            if target is not None:
                self._renames.append((number, Rename(source, target)))


def _moves_by_content(
    steps: Sequence[Change | Rename],
) -> dict[WorkspacePath, WorkspacePath | None]:
    """Return files that were removed in one place and made with the same content in another.

    That is how a command's move is recorded. Sources map to targets, targets to None.
    """
    gone: dict[str, list[WorkspacePath]] = {}
    made: dict[str, list[WorkspacePath]] = {}
    for step in steps:
        if isinstance(step, Rename):
            continue
        if isinstance(step.before, FileState) and isinstance(step.after, Absent):
            gone.setdefault(step.before.digest, []).append(step.path)
        elif isinstance(step.before, Absent) and isinstance(step.after, FileState):
            made.setdefault(step.after.digest, []).append(step.path)
    found: dict[WorkspacePath, WorkspacePath | None] = {}
    for digest, sources in gone.items():
        targets = made.get(digest, [])
        if len(sources) == len(targets) == 1:
            found[sources[0]] = targets[0]
            found[targets[0]] = None
    return found
