"""The steps that a revert takes, and which of them are a move."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from redline.core.changes import Absent, Change, DirState, Rename


class RevertStep(NamedTuple):
    """A step to carry out: what takes back step `number` of an operation, or does it `again`."""

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
    """When a step can be taken among the others of an operation with moves."""
    if isinstance(step, Rename):
        return _MOVED
    if isinstance(step.before, DirState) and isinstance(step.after, Absent):
        return _EMPTIED
    if not isinstance(step.before, Absent):
        return _CHANGED
    return _MADE_DIRECTORY if isinstance(step.after, DirState) else _MADE
