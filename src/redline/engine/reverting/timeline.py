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
    """Where something is now; `moved_by` is the last operation that renamed it itself.

    `is_there` is False when an operation removed it and none brought it back.
    """

    path: WorkspacePath
    moved_by: str = ""
    is_there: bool = True


class Passed(NamedTuple):
    """A later operation took a path from `before` to `after`."""

    operation: str
    before: State
    after: State


class _Changed(NamedTuple):
    """A change of a path; `at` counts the steps of all operations."""

    at: int
    operation: str
    kind: str
    step: Change


class _Renamed(NamedTuple):
    """A rename; `at` counts the steps of all operations."""

    at: int
    operation: str
    step: Rename


class Timeline:
    """The operations from some point on, oldest first."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        # For each operation, how many steps there are up to its end.
        self._ends: dict[str, int] = {}
        self._renames: list[_Renamed] = []
        self._changes: dict[WorkspacePath, list[_Changed]] = {}
        count = 0
        for operation in operations:
            count = self._take_in(operation, count)
            self._ends[operation.id] = count

    def end_of(self, operation_id: str) -> int:
        """Return the moment after an operation; 0 if it is older than all of these."""
        return self._ends.get(operation_id, 0)

    def locate(self, path: WorkspacePath, moment: int) -> Located:
        """Return where later operations moved what was at *path* at a *moment*."""
        found = Located(path)
        since = moment
        for rename in self._later_renames(moment):
            target = self._follow(found.path, rename, since)
            if target != found.path:
                itself = target == rename.step.target
                found = Located(target, rename.operation if itself else found.moved_by)
                since = rename.at
        return found._replace(is_there=self._is_same(found.path, since, None))

    def passed(self, path: WorkspacePath, moment: int) -> Iterator[Passed]:
        """Yield what later operations made of the file at *path*, wherever they moved it."""
        since = moment
        for rename in self._later_renames(moment):
            target = self._follow(path, rename, since)
            if target != path:
                yield from self._changes_of(path, since, rename.at)
                path, since = target, rename.at
        yield from self._changes_of(path, since, None)

    def _follow(self, path: WorkspacePath, rename: _Renamed, since: int) -> WorkspacePath:
        """Return where a rename moves what has been at *path* since a moment."""
        itself = rename.step.source == path
        if itself and not self._is_same(path, since, rename.at):
            return path
        return moved(path, rename.step)

    def _is_same(self, path: WorkspacePath, since: int, until: int | None) -> bool:
        """Whether what was at *path* still is: not removed, or brought back by an undo or redo."""
        lost: State | None = None
        for moment in self._between(path, since, until):
            before, after = moment.step.before, moment.step.after
            if lost is None and isinstance(after, Absent):
                lost = before
            elif isinstance(before, Absent) and moment.kind != "change" and after == lost:
                lost = None
        return lost is None

    def _changes_of(self, path: WorkspacePath, since: int, until: int | None) -> Iterator[Passed]:
        for moment in self._between(path, since, until):
            yield Passed(moment.operation, moment.step.before, moment.step.after)

    def _between(self, path: WorkspacePath, since: int, until: int | None) -> Iterator[_Changed]:
        moments = self._changes.get(path, [])
        first = bisect_right(moments, since, key=lambda moment: moment.at)
        for moment in moments[first:]:
            if until is not None and moment.at >= until:
                return
            yield moment

    def _later_renames(self, moment: int) -> list[_Renamed]:
        return self._renames[bisect_right(self._renames, moment, key=lambda each: each.at) :]

    def _take_in(self, operation: Operation, count: int) -> int:
        steps = operation.change_set.steps
        moves = _moves_by_content(steps)
        for step in steps:
            count += 1
            if isinstance(step, Rename):
                self._renames.append(_Renamed(count, operation.id, step))
            elif not moves or step.path not in moves:
                changed = _Changed(count, operation.id, operation.kind, step)
                self._changes.setdefault(step.path, []).append(changed)
        for source, target in moves.items():
            if target is not None:
                count += 1
                self._renames.append(_Renamed(count, operation.id, Rename(source, target)))
        return count


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
