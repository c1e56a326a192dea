"""The third phase: a slot announces the change, then contents and new files are written.

Whatever fails here leaves nothing behind: nothing is committed before `StagedChange.swap`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from redline.adapters.files.os_errors import writing_failed
from redline.adapters.journal.format import records
from redline.adapters.journal.format.deltas import bases_of
from redline.adapters.journal.format.lines import Head, format_operation
from redline.adapters.journal.intent_slots import Slot, Slots
from redline.adapters.journal.steps.apply import Swap
from redline.adapters.journal.steps.staging import Step, needs_staging, staging_directory
from redline.adapters.journal.transaction.checked import CheckedSteps, check_again, check_steps
from redline.adapters.journal.transaction.committed import CommittedChange
from redline.adapters.journal.transaction.locked import ChangeRequest, LockedPaths
from redline.adapters.journal.undecided import Undecided
from redline.core.changes import ChangeSet, DirState, FileState, Rename
from redline.core.errors import LeaseLost
from redline.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True)
class AnnouncedChange:
    """A change whose slot says durably where it stages: recovery can clean up after it."""

    locked: LockedPaths
    slot: Slot
    swap: Swap

    def withdraw(self) -> None:
        """Remove what was staged, free the slot and release the locks."""
        store, swap = self.locked.store, self.swap
        try:
            swap.sweep(range(len(swap.steps)))
            store.blobs.remove_half_written((swap.transaction,), 2 * len(swap.steps))
        except OSError:
            store.slots.leave(self.slot)
        else:
            _give_up(self.slot, store.slots)
        self.locked.release()


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """The line that commits an operation, with the contents it carries."""

    line: bytes
    contents: dict[str, bytes]
    # Bytes that the operation added to the blobs.
    added: int
    time: float


@dataclass(frozen=True, slots=True)
class StagedChange:
    """A change that is written, synced and checked, but not visible; see `ports.Transaction`."""

    request: ChangeRequest
    announced: AnnouncedChange
    entry: JournalEntry
    notes: list[str]

    def swap(self) -> CommittedChange:
        """Commit and make the change visible; on failure, durably restore what was there."""
        self._commit()
        announced = self.announced
        committed = CommittedChange(
            self.request,
            announced.locked,
            announced.swap,
            self.entry.time,
            self.notes,
            announced.slot,
        )
        try:
            committed.make_visible()
        except BaseException:
            committed.leave()
            raise
        return committed

    def _commit(self) -> None:
        entry = self.entry
        try:
            self.announced.locked.store.journal.commit(entry.line, entry.contents, entry.added)
        except OSError as error:
            self.announced.withdraw()
            raise writing_failed(error) from error
        except LeaseLost:
            self.announced.withdraw()
            raise
        except Undecided as error:
            self._decide(error)
        except BaseException:
            self._leave()  # the line may be there or not: recovery looks
            raise

    def _leave(self) -> None:
        self.announced.locked.store.slots.leave(self.announced.slot)
        self.announced.locked.release()

    def _decide(self, error: Undecided) -> None:
        """The line may or may not be durable: say durably that it does not count, or go on."""
        try:
            self.announced.slot.abandon()
        except OSError:
            if error.is_there:
                self.notes.append("the journal could not be synced")
                return
        self._leave()  # recovery takes the line back, if it is there
        cause = error.__cause__
        assert isinstance(cause, OSError)
        raise writing_failed(cause) from cause


def stage_change(
    change_set: ChangeSet, request: ChangeRequest, locked: LockedPaths
) -> StagedChange:
    """Check every base and stage what is new; on failure nothing is left behind."""
    clean_up = locked.release
    try:
        locked.guards.lock(change_set.steps, locked.handles)
        checked = check_steps(change_set, locked)
        announced = _announce(checked, locked)
        clean_up = announced.withdraw
        return _write(request, checked, announced)
    except OSError as error:
        clean_up()
        name = error.filename2 or error.filename
        is_users = isinstance(name, str) and not name.startswith(".redline-")
        raise writing_failed(error, name if is_users else "") from error
    except BaseException:
        clean_up()
        raise


def _announce(checked: CheckedSteps, locked: LockedPaths) -> AnnouncedChange:
    """Say durably what is about to be staged, before any of it is."""
    store, steps = locked.store, checked.steps
    avoided = {
        step.source if isinstance(step, Rename) else step.path
        for step in steps
        if isinstance(step, Rename)
        or (isinstance(step.before, DirState) and not isinstance(step.after, DirState))
    }
    staging = [staging_directory(_end(step), locked.handles, avoided) for step in steps]
    root_path = store.workspace.root_path
    directories = tuple((root_path(each.root), "/".join(each.parts)) for each in staging)
    single = len(steps) == 1 and needs_staging(steps[0]) and store.disk.syncs_directories
    slot = store.slots.take(directories, single=single)
    try:
        transaction = slot.activate(directories, locked.path_locks.buckets, single=single)
    except BaseException:
        _give_up(slot, store.slots)
        raise
    observed, guards = checked.preconditions.observed, locked.guards
    swap = Swap(
        store.disk,
        locked.handles,
        transaction,
        steps,
        staging,
        observed=observed,
        guards=guards,
    )
    return AnnouncedChange(locked, slot, swap)


def _give_up(slot: Slot, slots: Slots) -> None:
    """Free a slot whose change staged nothing, or leave it to recovery if it cannot be written."""
    try:
        slot.finish()
        slots.free(slot)
    except OSError:
        slots.leave(slot)


def _write(
    request: ChangeRequest, checked: CheckedSteps, announced: AnnouncedChange
) -> StagedChange:
    locked, swap = announced.locked, announced.swap
    locked.hold_blobs()
    contents, added = _save_contents(checked, announced)
    for number in range(len(checked.steps)):
        checked.steps[number], notes = swap.stage(number, locked.store.contents.pieces)
        checked.notes.extend(notes)
    # While the processor's caches are warm: a sync costs it its caches.
    entry = _journal_entry(request, checked, announced, contents, added)
    swap.sync_staged()
    check_again(checked, locked)
    return StagedChange(request, announced, entry, checked.notes)


def _save_contents(
    checked: CheckedSteps, announced: AnnouncedChange
) -> tuple[dict[str, bytes], int]:
    """Save what was and what will be, so that undo, redo and recovery need nothing else."""
    preconditions = checked.preconditions
    contents: dict[str, bytes | Callable[[], bytes]] = {
        digest: partial(preconditions.reread, digest) for digest in preconditions.unheld
    }
    for step in checked.steps:
        if isinstance(step, Rename):
            continue
        for state in (step.before, step.after):
            if isinstance(state, FileState) and state.content is not None:
                contents[state.digest] = state.content
    store = announced.locked.store
    return store.contents.save(contents, announced.swap.transaction, bases_of(checked.steps))


def _journal_entry(
    request: ChangeRequest,
    checked: CheckedSteps,
    announced: AnnouncedChange,
    contents: dict[str, bytes],
    added: int,
) -> JournalEntry:
    made_at = round(time.time(), 6)  # the precision of the journal
    change_set = ChangeSet(tuple(checked.steps))
    root_path = announced.locked.store.workspace.root_path
    body = records.encode_body(change_set, request.origin, tuple(checked.notes), root_path)
    transaction = announced.swap.transaction
    head = Head(transaction, request.kind, request.reverts, made_at, added)
    return JournalEntry(format_operation(head, body, contents), contents, added, made_at)


def _end(step: Step) -> WorkspacePath:
    return step.target if isinstance(step, Rename) else step.path
