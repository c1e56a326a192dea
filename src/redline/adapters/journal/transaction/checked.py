"""The second phase: every step fits what is on the disk; nothing has been written."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.adapters.files.os_errors import reading_failed
from redline.adapters.journal.steps.preconditions import Preconditions, split_kind_changes
from redline.adapters.journal.steps.staging import Step, needs_staging
from redline.adapters.journal.transaction.locked import LockedPaths
from redline.core.changes import Absent, ChangeSet, DirState, FileState, Rename, SpecialState
from redline.core.errors import StaleBase


@dataclass(frozen=True, slots=True)
class CheckedSteps:
    """The concrete steps of a change, what they were checked against, and what to report."""

    preconditions: Preconditions
    steps: list[Step] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_steps(change_set: ChangeSet, locked: LockedPaths) -> CheckedSteps:
    """Compare every base with the disk; the steps that change something, modes filled in."""
    store = locked.store
    preconditions = Preconditions(locked.handles, store.show, store.max_held)
    checked = CheckedSteps(preconditions)
    for step in split_kind_changes(change_set.steps):
        if not isinstance(step, Rename) and isinstance(step.after, SpecialState):
            checked.notes.append(f"the {step.after.kind} {store.show(step.path)} is not restored")
            continue
        try:
            concrete = preconditions.follow(step)
        except OSError as error:
            path = step.source if isinstance(step, Rename) else step.path
            raise reading_failed(error, store.show(path)) from None
        if isinstance(concrete, Rename) or concrete.before != concrete.after:
            checked.steps.append(concrete)
            checked.notes.extend(_losses(concrete, checked.preconditions, locked))
    return checked


def check_again(checked: CheckedSteps, locked: LockedPaths) -> None:
    """Raise StaleBase if a program that takes no locks has written since the bases were read."""
    preconditions = checked.preconditions
    locked.guards.lease()
    for path, mark in preconditions.marks.items():
        found = locked.handles.mark(path)
        is_directory = isinstance(preconditions.observed[path].state, DirState)
        if found[:2] != mark[:2] or (found != mark and not is_directory):
            raise StaleBase(locked.store.show(path))


def _losses(step: Step, preconditions: Preconditions, locked: LockedPaths) -> list[str]:
    """What a step cannot keep or bring back, for the operation's notes."""
    if isinstance(step, Rename):
        return []
    show = locked.store.show
    if isinstance(step.before, SpecialState):
        return [f"an undo will not restore the {step.before.kind} {show(step.path)}"]
    seen = preconditions.observed.get(step.path)
    if seen is None or not isinstance(seen.state, FileState):
        return []
    if needs_staging(step) and seen.links > 1:
        return [
            f"hard link: {seen.links - 1} other name(s) keep the old content of {show(step.path)}"
        ]
    if not isinstance(step.after, Absent):
        return []
    # The history keeps bytes and mode, so an undo cannot restore the rest.
    lost = [] if seen.is_plain else ["extended attributes (and access list)"]
    if not locked.store.disk.makes_files_of(seen.owner):
        lost.append("owner")
    return [f"an undo will not restore {' and '.join(lost)} of {show(step.path)}"] if lost else []
