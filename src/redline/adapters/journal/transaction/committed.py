"""The last phase: the journal names the change, so it becomes true or is durably revoked."""

from __future__ import annotations

from dataclasses import dataclass

from redline.adapters.files.os_errors import writing_failed
from redline.adapters.journal.intent_slots import Slot
from redline.adapters.journal.steps.apply import Displaced, Swap
from redline.adapters.journal.steps.preconditions import steps_depend_on_each_other
from redline.adapters.journal.steps.staging import kept_name
from redline.adapters.journal.transaction.locked import ChangeRequest, LockedPaths
from redline.adapters.journal.undecided import Undecided
from redline.core.changes import ChangeSet, Rename
from redline.core.errors import RedlineError, StaleBase
from redline.core.ports.history import Operation


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
        raise writing_failed(error, shown) from error

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
