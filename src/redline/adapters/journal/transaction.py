"""One change on the disk, a type for each phase: locked, checked, announced, staged, committed.

Whatever fails before `StagedChange.swap` leaves nothing behind; that commits the change.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from redline.adapters.files.locks import Held
from redline.adapters.files.os_errors import reading_failed, writing_failed
from redline.adapters.journal import records
from redline.adapters.journal.content_store import bases_of
from redline.adapters.journal.intent_slots import Slot, Slots
from redline.adapters.journal.log import Undecided
from redline.adapters.journal.records import Head, format_operation
from redline.adapters.journal.steps.apply import (
    Displaced,
    Step,
    Swap,
    kept_name,
    needs_staging,
    staging_directory,
)
from redline.adapters.journal.steps.file_guards import FileGuards
from redline.adapters.journal.steps.handles import DirectoryHandles, Observed
from redline.adapters.journal.steps.preconditions import (
    Preconditions,
    split_kind_changes,
    steps_depend_on_each_other,
)
from redline.core.changes import (
    Change,
    ChangeSet,
    DirState,
    FileAttributes,
    FileState,
    Rename,
    SpecialState,
)
from redline.core.errors import LeaseLost, RedlineError, StaleBase
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.core.records import dataclass, replace

if TYPE_CHECKING:
    from redline.adapters.journal.store import DiskStore


class ChangeRequest(NamedTuple):
    """Who asked for a change, and what kind of operation it becomes."""

    origin: Origin
    kind: str
    reverts: str | None


@dataclass(slots=True)
class LockedPaths:
    """Everything one change holds on to, from its first lock to `release`."""

    store: DiskStore
    path_locks: Held
    handles: DirectoryHandles
    guards: FileGuards
    blob_lock: int | None = None

    def hold_blobs(self) -> None:
        """Keep pruning from removing contents that no journal line names yet."""
        self.blob_lock = self.store.hold_blobs()

    def release(self) -> None:
        """Release every lock and close every handle; harmless when called twice."""
        self.store.release_blobs(self.blob_lock)
        self.blob_lock = None
        self.handles.close()
        self.guards.release()
        self.path_locks.release()


def hold(store: DiskStore, path_locks: Held, handles: DirectoryHandles) -> LockedPaths:
    """Everything that a change of *store* with these locks holds on to."""
    return LockedPaths(store, path_locks, handles, FileGuards(store.disk, store.show))


@dataclass(slots=True)
class CommittedChange:
    """A change that is in the journal; see `ports.CommittedTransaction`."""

    request: ChangeRequest
    locked: LockedPaths
    swap: Swap
    time: float
    notes: list[str]
    # None once the rest is left to recovery.
    slot: Slot | None

    def make_visible(self) -> None:
        """Carry the steps out; if one is refused, revoke the change and raise."""
        try:
            self.swap.carry_out(range(len(self.swap.steps)))
            self._report_late_writes()
        except OSError as error:
            self._revoke(error)

    def finish(self) -> Operation:
        """Free the slot, release the locks and return the operation."""
        try:
            self._close()
        except BaseException:
            self.leave()
            raise
        return Operation(
            self.swap.transaction,
            self.time,
            self.request.origin,
            ChangeSet(tuple(self.swap.steps)),
            self.request.kind,
            self.request.reverts,
            None,
            tuple(self.notes),
        )

    def _close(self) -> None:
        if self.slot is not None:
            try:
                self._free(self.slot)
            except OSError:
                self._finish_in_journal()
        self.locked.release()

    def leave(self) -> None:
        """Leave the rest to recovery, which any later change or start runs."""
        if self.slot is not None:
            self.locked.store.slots.leave(self.slot)
            self.slot = None
        self.locked.release()

    def _free(self, slot: Slot, *, durably: bool = False) -> None:
        if durably:
            slot.mark_done_durably()
        else:
            slot.finish()
        self.locked.store.slots.free(slot)
        self.slot = None

    def _finish_in_journal(self) -> None:
        try:
            self.locked.store.journal.finish(self.swap.transaction)
        except (OSError, Undecided):
            self.notes.append("the journal could not be closed")
        self.leave()

    def _report_late_writes(self) -> None:
        """Look once more for programs that wrote while the files were being replaced.

        One that had found the old file before it was replaced, and opened it only after, wrote
        into a file without a name: what it wrote is kept beside the new file, and reported.
        """
        store, handles, guards = self.locked.store, self.locked.handles, self.locked.guards
        for path, content in guards.late_writes():
            name = kept_name(path.name, self.swap.transaction)
            parent = handles.parent(path)
            fd = store.disk.create(parent, name)
            try:
                store.disk.append(fd, content)
                store.disk.sync(fd)
            finally:
                store.disk.close_fd(fd)
            store.disk.sync_dir(parent)
            beside = store.show(path.parent.child(name))
            self.notes.append(f"another program saved at the same moment; its text is in {beside}")
        if not steps_depend_on_each_other(tuple(self.swap.steps)):
            self.notes += (
                f"another program wrote {store.show(path)} right after this change; read it again"
                for path in guards.overwritten(handles)
            )

    def _revoke(self, error: OSError) -> None:
        """Durably take back a change that met a refusal, or else finish it."""
        failed = self.swap.steps[self.swap.current]
        if not self._is_revoked():
            self._finish_anyway(error)
            return
        self._roll_back()
        shown = self.locked.store.show(failed.target if isinstance(failed, Rename) else failed.path)
        if isinstance(error, Displaced):
            hint = "another program saved it just now; read it again and repeat the edit"
            if error.beside:
                hint += f" (it saved twice: the older text is in {error.beside})"
            raise StaleBase(shown, hint=hint) from error
        if isinstance(error, FileExistsError):
            raise StaleBase(shown, hint="something new is there; look at it first") from error
        failure = writing_failed(error, shown)
        failure.path = shown
        raise failure from error

    def _is_revoked(self) -> bool:
        try:
            self.locked.store.journal.revoke(self.swap.transaction)
        except OSError:
            return False
        except Undecided as doubt:
            return doubt.is_there
        return True

    def _roll_back(self) -> None:
        try:
            self.locked.store.recovery.roll_back(self.swap)
            if self.slot is not None:
                # Durably: recovery would roll back a slot that is open after a power cut again.
                self._free(self.slot, durably=True)
        except (OSError, RedlineError):
            self.leave()
        else:
            self.locked.release()

    def _finish_anyway(self, error: OSError) -> None:
        """Finish a change that cannot be revoked durably, since recovery would finish it."""
        try:
            self.locked.store.recovery.roll_forward(self.swap)
        except (OSError, RedlineError):
            self.notes.append(
                f"not all files are written yet ({error.strerror}); the next start finishes them"
            )
            self.leave()


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
    if isinstance(step.before, SpecialState):
        shown = locked.store.show(step.path)
        return [f"an undo will not restore the {step.before.kind} {shown}"]
    if seen is None or seen.links < 2 or not needs_staging(step):
        return []
    shown = locked.store.show(step.path)
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


class AnnouncedChange(NamedTuple):
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


class JournalEntry(NamedTuple):
    """The line that commits an operation, with the contents it carries."""

    line: bytes
    contents: dict[str, bytes]
    # Bytes that the operation added to the blobs.
    added: int
    time: float


class StagedChange(NamedTuple):
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
    swap: Swap | None = None
    try:
        locked.guards.lock(change_set.steps, locked.handles)
        checked = check_steps(change_set, locked)
        announced = _announce(checked, locked)
        clean_up, swap = announced.withdraw, announced.swap
        return _write(request, checked, announced)
    except OSError as error:
        clean_up()
        name = error.filename2 or error.filename
        is_users = isinstance(name, str) and not name.startswith(".redline-")
        failure = writing_failed(error, name if is_users else "")
        if swap is not None and swap.current < len(swap.steps):
            failure.path = locked.store.show(_end(swap.steps[swap.current]))
        raise failure from error
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
    staging: list[WorkspacePath] = []
    named: list[tuple[str, str]] = []
    for step in steps:
        where = staging_directory(_end(step), locked.handles, avoided)
        staging.append(where)
        named.append((store.workspace.root_path(where.root), "/".join(where.parts)))
    directories = tuple(named)
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
        swap.current = number
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
