"""One change set on its way to the disk: locked, checked, staged, committed, swapped, closed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from redline.adapters.files.locks import Held
from redline.adapters.files.os_errors import reading_failed, writing_failed
from redline.adapters.journal.format import records
from redline.adapters.journal.format.deltas import bases_of
from redline.adapters.journal.format.lines import Head, spell_operation
from redline.adapters.journal.format.slots import Staging
from redline.adapters.journal.intent_slots import Slot
from redline.adapters.journal.log import Undecided
from redline.adapters.journal.steps.apply import Swap
from redline.adapters.journal.steps.displaced import Displaced
from redline.adapters.journal.steps.file_guards import FileGuards
from redline.adapters.journal.steps.handles import Places
from redline.adapters.journal.steps.preconditions import Basis, is_tangled, one_kind_at_a_time
from redline.adapters.journal.steps.staging import Step, kept_name, needs_staging, staging_directory
from redline.core.changes import Absent, ChangeSet, DirState, FileState, Rename
from redline.core.errors import RedlineError, StaleBase
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import Operation, Origin

if TYPE_CHECKING:
    from redline.adapters.journal.store import DiskStore


@dataclass(slots=True)
class DiskTransaction:
    """See `core.ports.history.Transaction`; made by `DiskStore.begin`."""

    store: DiskStore
    origin: Origin
    kind: str
    reverts: str | None
    held: Held
    places: Places
    guards: FileGuards
    # Known as soon as a slot is taken.
    id: str = ""
    slot: Slot | None = None
    blob_lock: int | None = None
    swapper: Swap | None = None
    steps: list[Step] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    basis: Basis | None = None
    added: int = 0
    # Contents that the line brings along.
    brought: dict[str, bytes] = field(default_factory=dict)
    line: bytes = b""
    time: float = 0.0
    committed: bool = False

    # -- begin --------------------------------------------------------------------------------

    def prepare(self, change_set: ChangeSet) -> None:
        """Check every base and stage what is new; on failure nothing is left behind."""
        try:
            self.guards.lock(change_set.steps, self.places)
            self._check(change_set)
            self._announce()
            self._save()
            self._stage()
            self._spell()  # while the processor is still warm: a sync costs it its caches
            self._make_staged_last()
            self._check_again()
        except OSError as error:
            self.abandon()
            raise writing_failed(error, _name_of(error)) from error
        except BaseException:
            self.abandon()
            raise

    def _check(self, change_set: ChangeSet) -> None:
        self.basis = basis = Basis(self.places, self._show)
        for step in one_kind_at_a_time(change_set.steps):
            try:
                settled = basis.follow(step)
            except OSError as error:
                path = step.source if isinstance(step, Rename) else step.path
                raise reading_failed(error, self._show(path)) from None
            if isinstance(settled, Rename) or settled.before != settled.after:
                self.steps.append(settled)
                self._note_links(settled)
                self._note_unkept(settled)

    def _note_unkept(self, step: Step) -> None:
        """Say what an undo of a removal will not bring back: the history keeps bytes and mode."""
        if isinstance(step, Rename) or not isinstance(step.after, Absent) or self.basis is None:
            return
        seen = self.basis.observed.get(step.path)
        if seen is None or not isinstance(seen.state, FileState):
            return
        unkept = [] if seen.is_plain else ["extended attributes (and access list)"]
        if not self.store.disk.makes_files_of(seen.owner):
            unkept.append("owner")
        if unkept:
            self.notes.append(
                f"an undo will not restore {' and '.join(unkept)} of {self._show(step.path)}"
            )

    def _note_links(self, step: Step) -> None:
        if isinstance(step, Rename) or not needs_staging(step) or self.basis is None:
            return
        seen = self.basis.observed.get(step.path)
        if seen is not None and isinstance(seen.state, FileState) and seen.links > 1:
            self.notes.append(
                f"hard link: {seen.links - 1} other name(s) keep the old content of "
                f"{self._show(step.path)}"
            )

    def _announce(self) -> None:
        """Say what is about to be staged, before any of it is."""
        avoided = {
            s.source if isinstance(s, Rename) else s.path
            for s in self.steps
            if isinstance(s, Rename)
            or (isinstance(s.before, DirState) and not isinstance(s.after, DirState))
        }
        assert self.basis is not None
        staging = [staging_directory(_end(step), self.places, avoided) for step in self.steps]
        spelled = self._spelled(staging)
        single = (
            len(self.steps) == 1
            and needs_staging(self.steps[0])
            and self.store.disk.syncs_directories
        )
        self.slot = self.store.slots.take(spelled, single=single)
        self.id = self.slot.activate(spelled, self.held.buckets, single=single)
        self.swapper = Swap(
            self.store.disk,
            self.places,
            self.id,
            self.steps,
            staging,
            observed=self.basis.observed,
            guards=self.guards,
        )

    def _spelled(self, staging: list[WorkspacePath]) -> Staging:
        root_path = self.store.workspace.root_path
        return tuple((root_path(where.root), "/".join(where.parts)) for where in staging)

    def _save(self) -> None:
        """Keep what was and what will be, so undo, redo and recovery stand on their own."""
        assert self.basis is not None
        contents: dict[str, bytes | Callable[[], bytes]] = {
            digest: partial(self.basis.reread, digest) for digest in self.basis.unheld
        }
        for step in self.steps:
            if isinstance(step, Rename):
                continue
            for state in (step.before, step.after):
                if isinstance(state, FileState) and state.content is not None:
                    contents[state.digest] = state.content
        self.blob_lock = self.store.hold_blobs()
        bases = bases_of(self.steps)
        self.brought, self.added = self.store.contents.save(contents, self.id, bases)

    def _stage(self) -> None:
        assert self.swapper is not None
        for number in range(len(self.steps)):
            self.steps[number], notes = self.swapper.stage(number, self.store.contents.pieces)
            self.notes += notes

    def _spell(self) -> None:
        """What the journal is going to say."""
        self.time = round(time.time(), 6)  # as the journal writes it
        steps, root_path = ChangeSet(tuple(self.steps)), self.store.workspace.root_path
        body = records.encode_body(steps, self.origin, tuple(self.notes), root_path)
        head = Head(self.id, self.kind, self.reverts, self.time, self.added)
        self.line = spell_operation(head, body, self.brought)

    def _make_staged_last(self) -> None:
        assert self.swapper is not None
        self.swapper.sync_staged()

    def _check_again(self) -> None:
        """A program that takes no locks may have written since the bases were read."""
        assert self.basis is not None
        self.guards.lease()
        for path, mark in self.basis.marks.items():
            found = self.places.mark(path)
            is_directory = isinstance(self.basis.observed[path].state, DirState)
            if found[:2] != mark[:2] or (found != mark and not is_directory):
                raise StaleBase(self._show(path))

    # -- swap ---------------------------------------------------------------------------------

    def swap(self) -> None:
        """Commit and make it visible; on failure everything is as before, for good."""
        self._commit()
        assert self.swapper is not None
        try:
            self.swapper.carry_out(range(len(self.steps)))
            self._check_late()
        except OSError as error:
            self._revoke(error)

    def _check_late(self) -> None:
        """Look once more for programs that wrote while the files were being replaced.

        One that had found the old file before it was replaced, and opened it only after, wrote
        into a file without a name: what it wrote is kept beside the new file, and said.
        """
        for path, content in self.guards.late_writes():
            name = kept_name(path.name, self.id)
            parent = self.places.parent(path)
            fd = self.store.disk.create(parent, name)
            try:
                self.store.disk.append(fd, content)
                self.store.disk.sync(fd)
            finally:
                self.store.disk.close_fd(fd)
            self.store.disk.sync_dir(parent)
            beside = self._show(path.parent.child(name))
            self.notes.append(f"another program saved at the same moment; its text is in {beside}")
        if not is_tangled(tuple(self.steps)):
            self.notes += (
                f"another program wrote {self._show(path)} right after this change; read it again"
                for path in self.guards.overwritten(self.places)
            )

    def _commit(self) -> None:
        try:
            self.store.journal.commit(self.line, self.brought, self.added)
        except OSError as error:
            self.abandon()
            raise writing_failed(error) from error
        except Undecided as error:
            self._decide(error)
        self.committed = True

    def _decide(self, error: Undecided) -> None:
        """The line may or may not last: say durably that it does not count, or go on."""
        assert self.slot is not None
        try:
            self.slot.abandon()
        except OSError:
            if error.is_there:
                self.notes.append("the journal could not be synced")
                return
        self.committed = True  # recovery takes the line back, if it is there
        self.leave()
        cause = error.__cause__
        assert isinstance(cause, OSError)
        raise writing_failed(cause) from cause

    def _revoke(self, error: OSError) -> None:
        """A committed change met a refusal: take it back for good, or leave it to be finished."""
        assert self.swapper is not None
        failed = self.swapper.current
        if not self._is_revoked():
            self._finish_anyway(error)
            return
        try:
            self.store.recovery.roll_back(self)
            self._close_slot(for_good=True)
        except (OSError, RedlineError):
            self.leave()
        else:
            self._release()
        shown = self._show(_end(self.steps[failed]))
        if isinstance(error, Displaced):
            hint = "another program saved it just now; read it again and repeat the edit"
            if error.beside:
                hint += f" (it saved twice: the older text is in {error.beside})"
            raise StaleBase(shown, hint=hint) from error
        if isinstance(error, FileExistsError):
            raise StaleBase(shown, hint="something new stands there; look at it first") from error
        raise writing_failed(error, shown) from error

    def _is_revoked(self) -> bool:
        try:
            self.store.journal.revoke(self.id)
        except OSError:
            return False
        except Undecided as doubt:
            return doubt.is_there
        return True

    def _finish_anyway(self, error: OSError) -> None:
        """The change cannot be taken back durably, so it is going to be true: finish it."""
        try:
            self.store.recovery.roll_forward(self)
        except (OSError, RedlineError):
            self.notes.append(
                f"not all files are written yet ({error.strerror}); the next start finishes them"
            )
            self.leave()

    # -- finish -------------------------------------------------------------------------------

    def finish(self) -> Operation:
        """Close the books, let go of the locks, and say what was done."""
        if self.slot is not None:
            try:
                self._close_slot()
            except OSError:
                self._finish_in_journal()
        self._release()
        return Operation(
            self.id,
            self.time,
            self.origin,
            ChangeSet(tuple(self.steps)),
            self.kind,
            self.reverts,
            None,
            tuple(self.notes),
        )

    def _finish_in_journal(self) -> None:
        try:
            self.store.journal.finish(self.id)
        except (OSError, Undecided):
            self.notes.append("the journal could not be closed")
        self.leave()

    def _close_slot(self, *, for_good: bool = False) -> None:
        assert self.slot is not None
        if for_good:  # whoever found it open after a power cut would take it back once more
            self.slot.close_books()
        else:
            self.slot.finish()
        self.store.slots.give_back(self.slot)
        self.slot = None

    def abandon(self) -> None:
        """Forget a transaction that was not swapped; harmless after `finish`."""
        if self.committed:
            self.leave()
            return
        try:
            if self.slot is not None:
                if self.swapper is not None:
                    self.swapper.sweep(range(len(self.steps)))
                self.store.blobs.forget((self.id,), 2 * len(self.steps))
                self._close_slot()
        except OSError:
            self.leave()
        self._release()

    def leave(self) -> None:
        """Leave the rest to recovery, which any later change or start sets off."""
        if self.slot is not None:
            self.store.slots.leave(self.slot)
            self.slot = None
        self._release()

    def _release(self) -> None:
        # The basis knows this transaction: without it nothing keeps the contents alive.
        self.basis = self.swapper = None
        self.store.release_blobs(self.blob_lock)
        self.blob_lock = None
        self.places.forget()
        self.guards.release()
        self.held.release()

    def _show(self, path: WorkspacePath) -> str:
        return show_name(self.store.workspace.absolute(path))


def _end(step: Step) -> WorkspacePath:
    return step.target if isinstance(step, Rename) else step.path


def _name_of(error: OSError) -> str:
    name = error.filename2 or error.filename
    return name if isinstance(name, str) and not name.startswith(".redline-") else ""
