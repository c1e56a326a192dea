"""Finish or take back what a dead process left behind; see README.md for the whole table."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from redline.adapters.journal import records
from redline.adapters.journal.intent_slots import ABANDONED, ACTIVE, READY, Peeked, Slot, SlotIntent
from redline.adapters.journal.records import Line
from redline.adapters.journal.steps.apply import Swap, Verdict, remove_if_there, staged_name
from redline.adapters.journal.steps.handles import DirectoryHandles
from redline.core.changes import ChangeSet
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath

if TYPE_CHECKING:
    from redline.adapters.journal.store import DiskStore

# Suffix of the files that a roll-back stages.
_BACK = "r"


class Recovery:
    """Rolls changes forward or back; every step may be repeated without harm."""

    def __init__(self, store: DiskStore) -> None:
        self._store = store
        # How many changes of dead processes were finished or taken back so far.
        self.settled = 0
        # Names under which another program's saves were kept.
        self.kept_beside: list[str] = []

    def notices(self) -> list[str]:
        """How many changes were settled, and which saves of other programs are kept beside."""
        found = []
        if self.settled:
            changes = "1 change" if self.settled == 1 else f"{self.settled} changes"
            found.append(f"completed or reverted {changes} that a crash interrupted")
        return found + [
            f"another program's save, displaced by a change that a crash cut short, is in {name}"
            for name in self.kept_beside
        ]

    def run(self) -> int:
        """Settle every change whose owner died; how many could not be settled yet."""
        return self.settle(self._store.slots.orphans())

    def settle(self, orphans: Iterable[Slot]) -> int:
        """Settle the changes of these slots; how many could not be settled yet."""
        left = 0
        for slot in orphans:
            try:
                self._settle(slot)
            except (OSError, RedlineError):
                with suppress(OSError, RedlineError):
                    self._narrow(slot)
                self._store.slots.leave(slot)
                left += 1
        return left

    def _settle(self, slot: Slot) -> None:
        store = self._store
        found = slot.take_over()
        if found.intent is not None:
            store.journal.refresh()
            settle = self._settle_series if found.is_series else self._settle_one
            if settle(found, found.intent):
                self.settled += 1
        slot.mark_done_durably()
        store.slots.free(slot)

    def _settle_one(self, found: Peeked, intent: SlotIntent) -> bool:
        """Settle a change that has its slot to itself; whether there was any."""
        journal = self._store.journal
        line = journal.index.find(intent.transactions[0])
        if line is None:
            self._clean_up(intent)
        elif line.head.id not in journal.index.finished:
            self._settle_committed(line, intent, take_back=found.state == ABANDONED)
        return line is not None or found.state != READY

    def _settle_series(self, found: Peeked, intent: SlotIntent) -> bool:
        """Settle a series of changes of one file each; whether one was cut short.

        That a change of a series has finished is not synced. But each began when the one before
        had finished, so only the newest that reached the journal can be unfinished.
        """
        newest = self._newest_line(intent)
        was_revoked = False
        if newest is not None and not found.is_finished(newest.head.id):
            was_revoked = self._settle_newest(newest, intent)
        self._clean_up(intent)
        return was_revoked or found.state != READY

    def _newest_line(self, intent: SlotIntent) -> Line | None:
        lines = map(self._store.journal.index.find, reversed(intent.transactions))
        return next((line for line in lines if line is not None), None)

    def _settle_newest(self, line: Line, intent: SlotIntent) -> bool:
        """Finish or revoke a change of one file, or leave it; whether it is revoked.

        Before a client gets its answer, it is durable that the staged file is gone. So a change
        whose staged file is still there must be finished. If it is gone and the path is as it was
        before, either no client got an answer or a person has restored the file since: the file
        stays as it is, and the journal revokes the change.
        """
        store, name = self._store, line.head.id
        if name in store.journal.index.finished:
            return False
        change_set = self._change_set(line)
        handles, held = store.lock(change_set)
        try:
            store.journal.refresh()
            if name in store.journal.index.revoked:
                self._take_back(self._swap(handles, change_set.inverse(), intent, name, back=True))
            elif not self._was_followed(line, change_set):
                forward = self._swap(handles, change_set, intent, name)
                verdicts, put_back = self._judge(forward)
                if put_back:
                    store.journal.revoke(name)
                    return True
                if verdicts == [Verdict.TO_DO] and not forward.is_waiting(0):
                    store.journal.revoke(name)
                    return True
                self._carry_out(forward, verdicts)
        finally:
            handles.close()
            held.release()
        return False

    def _was_followed(self, line: Line, change_set: ChangeSet) -> bool:
        """Whether a later operation changed the path: it began when this one had finished."""
        wanted = set(change_set.paths)
        for each in reversed(self._store.journal.index.lines):
            if each.head.id == line.head.id:
                return False
            if not wanted.isdisjoint(self._change_set(each).paths):
                return True
        return False

    def _change_set(self, line: Line) -> ChangeSet:
        body = self._store.journal.body(line)
        return records.decode_body(body, self._store.workspace.root_number)[0]

    def _narrow(self, slot: Slot) -> None:
        """Publish which paths of open roots wait for a change that cannot be settled yet."""
        store = self._store
        found = slot.take_over()
        line = self._newest_line(found.intent) if found.intent is not None else None
        if line is None or (found.is_series and found.state == READY):
            return
        change_set = self._change_set(line)
        count = len(store.workspace.roots)
        handles = DirectoryHandles(store.disk, store.workspace)
        try:
            buckets = handles.buckets(path for path in change_set.paths if path.root < count)
        finally:
            handles.close()
        slot.publish_locks(line.head.id, buckets, ACTIVE if found.is_series else b"")

    def _settle_committed(self, line: Line, intent: SlotIntent, *, take_back: bool) -> None:
        store, name = self._store, line.head.id
        change_set = self._change_set(line)
        handles, held = store.lock(change_set)
        try:
            forward = self._swap(handles, change_set, intent, name)
            revoked = name in store.journal.index.revoked
            verdicts, _ = self._judge(forward)
            if not revoked and not take_back and Verdict.CONFLICT not in verdicts:
                self._carry_out(forward, verdicts)
                self._sweep(handles, intent)
                return
            if not revoked:
                store.journal.revoke(name)
            self._take_back(self._swap(handles, change_set.inverse(), intent, name, back=True))
            self._sweep(handles, intent)
        finally:
            handles.close()
            held.release()

    def _judge(self, swap: Swap) -> tuple[list[Verdict], bool]:
        """Return how far a change got, and whether a save of another program was put back."""
        found = swap.judge()
        verdicts = swap.rescue(found)
        swap.sync_directories()
        self.kept_beside += swap.kept.values()
        return verdicts, verdicts != found

    def roll_forward(self, swap: Swap) -> None:
        """Finish a change of this process, which holds its locks."""
        swap.handles.close()
        self._carry_out(swap, swap.judge())

    def roll_back(self, forward: Swap) -> None:
        """Take back a revoked change of this process, which holds its locks."""
        handles = forward.handles
        handles.close()
        steps = ChangeSet(tuple(forward.steps)).inverse().steps
        staging = tuple(reversed(forward.staging))
        back = Swap(self._store.disk, handles, forward.transaction, steps, staging, suffix=_BACK)
        self._take_back(back)
        back.sweep(range(len(steps)))
        forward.sweep(range(len(steps)))

    def _take_back(self, swap: Swap) -> None:
        """Undo what was done; leave a path that a person has changed since."""
        self._carry_out(swap, self._judge(swap)[0])

    def _carry_out(self, swap: Swap, verdicts: list[Verdict]) -> None:
        todo = [n for n, verdict in enumerate(verdicts) if verdict is Verdict.TO_DO]
        for number in todo:
            swap.restage(number, self._store.contents.pieces)
        swap.carry_out(todo)
        # What was found done may not be durable yet.
        for number, verdict in enumerate(verdicts):
            if verdict is Verdict.DONE:
                for path in ChangeSet((swap.steps[number],)).paths:
                    swap.dirty[path.parent] = None
        swap.sync_directories()

    def _swap(
        self,
        handles: DirectoryHandles,
        change_set: ChangeSet,
        intent: SlotIntent,
        transaction: str,
        *,
        back: bool = False,
    ) -> Swap:
        staging = [self._directory(root, below) for root, below in intent.staging]
        if back:
            staging.reverse()
        suffix = _BACK if back else ""
        return Swap(self._store.disk, handles, transaction, change_set.steps, staging, suffix)

    def _directory(self, root: str, below: str) -> WorkspacePath:
        parts = tuple(below.split("/")) if below else ()
        return WorkspacePath(self._store.workspace.root_number(root), parts)

    def _clean_up(self, intent: SlotIntent) -> None:
        handles = DirectoryHandles(self._store.disk, self._store.workspace)
        try:
            self._sweep(handles, intent)
        finally:
            handles.close()
        self._store.blobs.remove_half_written(intent.transactions, intent.blobs)

    def _sweep(self, handles: DirectoryHandles, intent: SlotIntent) -> None:
        for transaction in intent.transactions:
            for number, (root, below) in enumerate(intent.staging):
                where = self._directory(root, below)
                name = staged_name(transaction, number)
                for each in (name, name + _BACK):
                    if handles.mark(where.child(each)):
                        remove_if_there(self._store.disk, handles, where, each)
        # Once the slot is done no process looks for them again.
        for where in {self._directory(root, below) for root, below in intent.staging}:
            try:
                self._store.disk.sync_dir(handles.directory(where))
            except (FileNotFoundError, NotADirectoryError):
                continue
