"""How far a change got, judged by its steps and by what is at their paths now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from redline.adapters.journal.steps.preconditions import steps_depend_on_each_other
from redline.adapters.journal.steps.staging import Step, needs_staging
from redline.core.changes import ABSENT, Absent, Change, DirState, FileState, Rename, State
from redline.core.paths import WorkspacePath

# What is at a path.
Look = Callable[[WorkspacePath], State]
_PRESENT = object()


class Verdict(Enum):
    """How far a step got on the disk."""

    DONE = "done"
    TO_DO = "to do"
    CONFLICT = "conflict"


def judge(steps: Sequence[Step], look: Look) -> list[Verdict]:
    """How far each step got; for dependent steps, the furthest point that fits the disk."""
    if not steps_depend_on_each_other(tuple(steps)):
        return [_judge(step, look) for step in steps]
    count = len(steps)
    seen = {path: look(path) for path in _paths(steps)}
    ways = {path: _values(path, steps) for path in seen}
    for done in range(count, -1, -1):
        if all(_agrees(ways[path][done], seen[path]) for path in seen):
            return [Verdict.DONE] * done + [Verdict.TO_DO] * (count - done)
    return [Verdict.CONFLICT] * count


def _judge(step: Step, look: Look) -> Verdict:
    if isinstance(step, Rename):
        there = look(step.source) != ABSENT, look(step.target) != ABSENT
        return {(True, False): Verdict.TO_DO, (False, True): Verdict.DONE}.get(
            there, Verdict.CONFLICT
        )
    found = look(step.path)
    if is_state(step.after, found, step):
        return Verdict.DONE
    return Verdict.TO_DO if is_state(step.before, found, step) else Verdict.CONFLICT


def is_state(wanted: State, found: State, step: Change) -> bool:
    """Whether *found* is *wanted*, as far as *step* is concerned."""
    if isinstance(wanted, FileState) and isinstance(found, FileState):
        if wanted.digest != found.digest:
            return False
        return needs_staging(step) or wanted.mode is None or wanted.mode == found.mode
    if isinstance(wanted, DirState) and isinstance(found, DirState):
        changes_mode = isinstance(step.before, DirState) and isinstance(step.after, DirState)
        return not changes_mode or wanted.mode is None or wanted.mode == found.mode
    return wanted == found


def _paths(steps: Sequence[Step]) -> list[WorkspacePath]:
    found: dict[WorkspacePath, None] = {}
    for step in steps:
        if isinstance(step, Rename):
            found[step.source] = found[step.target] = None
        else:
            found[step.path] = None
    return list(found)


def _values(path: WorkspacePath, steps: Sequence[Step]) -> list[object]:
    """What is at *path* after 0, 1, ... steps; None where the steps do not determine it."""
    values: list[object] = [None] * (len(steps) + 1)
    begin = 0
    for number, step in enumerate(steps):
        effect = _effect(path, step)
        if effect is None:
            values[number + 1] = values[number]
            continue
        before, after = effect
        for earlier in range(begin, number + 1):
            if values[earlier] is None:
                values[earlier] = before
        values[number + 1] = after
        begin = number + 1
    return values


def _effect(path: WorkspacePath, step: Step) -> tuple[object, object] | None:
    if isinstance(step, Change):
        return (step.before, step.after) if step.path == path else None
    if path == step.source:
        return _PRESENT, ABSENT
    if path == step.target:
        return ABSENT, _PRESENT
    if path.is_beneath(step.source):
        return None, ABSENT
    return (ABSENT, None) if path.is_beneath(step.target) else None


def _agrees(wanted: object, found: State) -> bool:
    if wanted is None:
        return True
    if wanted is _PRESENT:
        return not isinstance(found, Absent)
    if isinstance(wanted, FileState) and isinstance(found, FileState):
        return wanted.digest == found.digest and wanted.mode in (None, found.mode)
    if isinstance(wanted, DirState) and isinstance(found, DirState):
        return True
    return wanted == found
