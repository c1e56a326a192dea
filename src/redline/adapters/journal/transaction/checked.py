"""The second phase: every step fits what is on the disk; nothing has been written."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from redline.adapters.files.os_errors import reading_failed
from redline.adapters.journal.steps.handles import Observed
from redline.adapters.journal.steps.preconditions import Preconditions, split_kind_changes
from redline.adapters.journal.steps.staging import Step, needs_staging
from redline.adapters.journal.transaction.locked import LockedPaths
from redline.core.changes import (
    Change,
    ChangeSet,
    FileAttributes,
    FileState,
    Rename,
    SpecialState,
)
from redline.core.errors import StaleBase
from redline.core.paths import WorkspacePath

# Bytes of extended attributes that the history keeps of one file.
_MAX_ATTRIBUTES = 64 << 10


class CheckedSteps(NamedTuple):
    """The concrete steps of a change, what they were checked against, and what to report."""

    preconditions: Preconditions
    steps: list[Step]
    notes: list[str]


def check_steps(change_set: ChangeSet, locked: LockedPaths) -> CheckedSteps:
    """Compare every base with the disk; the steps that change something, modes filled in."""
    store = locked.store
    preconditions = Preconditions(locked.handles, store.show, store.max_held)
    checked = CheckedSteps(preconditions, [], [])
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
            _add_step(checked, concrete, locked)
    return checked


def _add_step(checked: CheckedSteps, step: Step, locked: LockedPaths) -> None:
    path = step.source if isinstance(step, Rename) else step.path
    seen = checked.preconditions.observed.get(path)
    recorded, unrestored = _record_attributes(step, seen, locked)
    checked.steps.append(recorded)
    checked.notes.extend((*_losses(step, seen, locked), *unrestored))


def check_again(checked: CheckedSteps, locked: LockedPaths) -> None:
    """Raise StaleBase if a program that takes no locks has written since the bases were read."""
    written = locked.guards.find_writer()
    if written is not None:
        raise StaleBase(locked.store.show(written))
    for path, mark in checked.preconditions.marks.items():
        found = locked.handles.mark(path)
        if found[: len(mark)] != mark or (found and not mark):
            raise StaleBase(locked.store.show(path))


def _losses(step: Step, seen: Observed | None, locked: LockedPaths) -> list[str]:
    """Return notes for the operation: a hard link that a step breaks, what it cannot restore."""
    if isinstance(step, Rename):
        return []
    shown = locked.store.show(step.path)
    if isinstance(step.before, SpecialState):
        return [f"an undo will not restore the {step.before.kind} {shown}"]
    if seen is None or seen.links < 2 or not needs_staging(step):
        return []
    return [f"hard link: {seen.links - 1} other name(s) keep the old content of {shown}"]


def _record_attributes(
    step: Step, seen: Observed | None, locked: LockedPaths
) -> tuple[Step, list[str]]:
    """Return a step that removes a file with what its undo restores, and what that cannot."""
    if isinstance(step, Rename) or isinstance(step.after, FileState):
        return step, []
    if seen is None or not isinstance(seen.state, FileState) or step.before != seen.state:
        return step, []
    disk = locked.store.disk
    owner = None if disk.makes_files_of(seen.owner) else seen.owner
    extended, lost = ((), ()) if seen.is_plain else _read_attributes(step.path, locked)
    if owner is not None and not disk.may_give_to(owner):
        lost = (*lost, "owner")
    notes = [f"an undo will not restore {', '.join(lost)} of {locked.store.show(step.path)}"]
    if owner is not None or extended:
        before = replace(step.before, attributes=FileAttributes(owner, extended))
        step = Change(step.path, before, step.after)
    return step, notes if lost else []


def _read_attributes(
    path: WorkspacePath, locked: LockedPaths
) -> tuple[tuple[tuple[str, bytes], ...], tuple[str, ...]]:
    """Return the extended attributes of a file, and what the history cannot keep of them."""
    disk = locked.store.disk
    fd = disk.open_read(locked.handles.parent(path), (path.name,))
    try:
        extended, unread = disk.read_attributes(fd)
    finally:
        disk.close_fd(fd)
    if sum(len(value) for _, value in extended) > _MAX_ATTRIBUTES:
        return (), ("extended attributes",)
    return extended, tuple(f"extended attribute {name}" for name in unread)
