"""A part of an operation: some of its files, some hunks of its diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from redline.core.changes import Absent, Change, ChangeSet, FileState, LinkState, Rename
from redline.core.diff import ShownHunk, hunks_of_files
from redline.core.errors import InvalidArgument
from redline.core.line_diff import split_lines
from redline.core.paths import WorkspacePath
from redline.core.textfile import TextFile


class ChosenStep(NamedTuple):
    """What takes back step `number` of an operation, or a part of it."""

    number: int
    step: Change | Rename


def part_of(
    change_set: ChangeSet, paths: Sequence[WorkspacePath], hunks: frozenset[int]
) -> list[ChosenStep]:
    """Return the steps that take back what *paths* and *hunks* choose, in order."""
    steps: list[ChosenStep] = []
    number = 0
    for index, step in enumerate(change_set.steps):
        chosen = not paths or any(_touches(step, path) for path in paths)
        if not hunks:
            if chosen:
                steps.append(ChosenStep(index, step.inverse()))
            continue
        found = hunks_of(step)
        wanted = [h for n, h in enumerate(found, number + 1) if n in hunks]
        number += len(found)
        if chosen and wanted:
            steps.append(ChosenStep(index, _without(step, found, wanted)))
    if any(not 0 < each <= number for each in hunks):
        raise InvalidArgument(
            f"No hunk has this number: {max(hunks)}",
            field="hunks",
            hint=f"the change has hunks 1 to {number}" if number else "it has no hunks",
        )
    if not steps:
        raise InvalidArgument("The change touches none of these paths", field="paths")
    return steps[::-1]


def _touches(step: Change | Rename, path: WorkspacePath) -> bool:
    return any(end.is_beneath(path) for end in step.paths)


def hunks_of(step: Change | Rename) -> list[ShownHunk]:
    """The hunks that the diff of a step shows, as `Revert.hunks` counts them."""
    if isinstance(step, Rename):
        return []
    old, new = _content(step.before), _content(step.after)
    return [] if old is None or new is None else hunks_of_files(old, new)


def _content(state: object) -> bytes | None:
    if isinstance(state, Absent):
        return b""
    if isinstance(state, LinkState):
        return state.target.encode("utf-8", "surrogateescape")
    if isinstance(state, FileState) and state.content is not None:
        return None if TextFile(state.content).is_binary else state.content
    return None


def _without(
    step: Change | Rename, found: Sequence[ShownHunk], wanted: Sequence[ShownHunk]
) -> Change | Rename:
    """Return the step that takes back the *wanted* ones of a step's hunks."""
    if len(wanted) == len(found) or not isinstance(step, Change):
        return step.inverse()
    before, after = step.before, step.after
    assert isinstance(before, FileState)
    assert isinstance(after, FileState)
    old, new = split_lines(before.content or b""), split_lines(after.content or b"")
    for (i1, i2, j1, j2), _ in reversed(wanted):
        new[j1:j2] = old[i1:i2]
    return Change(step.path, after, FileState.of(b"".join(new), after.mode))
