"""Finishing or taking back what a dead process left behind."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from redline.adapters.journal.format import records
from redline.adapters.journal.format.lines import Line
from redline.adapters.journal.format.slots import ABANDONED, ACTIVE, READY, Intent, Peeked
from redline.adapters.journal.intent_slots import Slot
from redline.adapters.journal.steps.apply import Swap
from redline.adapters.journal.steps.handles import Places
from redline.adapters.journal.steps.progress import Verdict
from redline.adapters.journal.steps.staging import remove_if_there, staged_name
from redline.core.changes import ChangeSet
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath

if TYPE_CHECKING:
    from redline.adapters.journal.store import DiskStore
    from redline.adapters.journal.transaction import DiskTransaction

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
        """What was kept beside its place while changes were settled."""
        return [
            f"another program's save, displaced by a change that a crash cut short, is in {name}"
            for name in self.kept_beside
        ]

    def run(self) -> int:
        """Settle every change whose owner died; how many could not be settled yet."""
        left = 0
        for slot in self._store.slots.orphans():
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
        slot.close_books()
        store.slots.give_back(slot)

    def _settle_one(self, found: Peeked, intent: Intent) -> bool:
        """Settle a change that has its slot to itself; whether there was any."""
        journal = self._store.journal
        line = journal.find(intent.transactions[0])
        if line is None:
            self._clean_up(intent)
        elif line.head.id not in journal.finished:
            self._settle_committed(line, intent, take_back=found.state == ABANDONED)
        return line is not None or found.state != READY

    def _settle_series(self, found: Peeked, intent: Intent) -> bool:
        """Settle a series of changes of one file each; whether one was cut short.

        That a change of a series is over is not synced. But each began when the one before was
        over, so only the newest that reached the journal can be unfinished.
        """
        newest = self._newest_line(intent)
        was_struck = False
        if newest is not None and not found.is_over(newest.head.id):
            was_struck = self._settle_newest(newest, intent)
        self._clean_up(intent)
        return was_struck or found.state != READY

    def _newest_line(self, intent: Intent) -> Line | None:
        lines = map(self._store.journal.find, reversed(intent.transactions))
        return next((line for line in lines if line is not None), None)

    def _settle_newest(self, line: Line, intent: Intent) -> bool:
        """Finish or strike a change of one file, or let it be; whether it is struck.

        Before anybody is told that it was made, it lasts that the new file waits no longer. So one
        that waits has to be finished. If none does and the place is as it was before, either
        nobody was told or a person has taken the change back since: the place stays, and the
        history says so too.
        """
        store, name = self._store, line.head.id
        if name in store.journal.finished:
            return False
        change_set = self._change_set(line)
        places, held = store.lock(change_set)
        try:
            store.journal.refresh()
            if name in store.journal.revoked:
                self._take_back(self._swap(places, change_set.inverse(), intent, name, back=True))
            elif not self._was_followed(line, change_set):
                forward = self._swap(places, change_set, intent, name)
                verdicts, gave_back = self._judge(forward)
                if gave_back:
                    store.journal.revoke(name)
                    return True
                if verdicts == [Verdict.TO_DO] and not forward.is_waiting(0):
                    store.journal.revoke(name)
                    return True
                self._carry_out(forward, verdicts)
        finally:
            places.forget()
            held.release()
        return False

    def _was_followed(self, line: Line, change_set: ChangeSet) -> bool:
        """Whether a later operation has changed the place: it began when this one was over."""
        wanted = set(change_set.paths)
        for each in reversed(self._store.journal.lines):
            if each.head.id == line.head.id:
                return False
            if not wanted.isdisjoint(self._change_set(each).paths):
                return True
        return False

    def _change_set(self, line: Line) -> ChangeSet:
        body = self._store.journal.body(line)
        return records.decode_body(body, self._store.workspace.root_number)[0]

    def _narrow(self, slot: Slot) -> None:
        """Whoever cannot settle a change says which places of open roots wait for it."""
        store = self._store
        found = slot.take_over()
        line = self._newest_line(found.intent) if found.intent is not None else None
        if line is None or (found.is_series and found.state == READY):
            return
        change_set = self._change_set(line)
        count = len(store.workspace.roots)
        places = Places(store.disk, store.workspace)
        try:
            buckets = places.buckets(path for path in change_set.paths if path.root < count)
        finally:
            places.forget()
        slot.tell_locks(line.head.id, buckets, ACTIVE if found.is_series else b"")

    def _settle_committed(self, line: Line, intent: Intent, *, take_back: bool) -> None:
        store, name = self._store, line.head.id
        change_set = self._change_set(line)
        places, held = store.lock(change_set)
        try:
            forward = self._swap(places, change_set, intent, name)
            revoked = name in store.journal.revoked
            verdicts, _ = self._judge(forward)
            if not revoked and not take_back and Verdict.CONFLICT not in verdicts:
                self._carry_out(forward, verdicts)
                self._sweep(places, intent)
                return
            if not revoked:
                store.journal.revoke(name)
            self._take_back(self._swap(places, change_set.inverse(), intent, name, back=True))
            self._sweep(places, intent)
        finally:
            places.forget()
            held.release()

    def _judge(self, swap: Swap) -> tuple[list[Verdict], bool]:
        """How far a change got, and whether a save that it had displaced was given back."""
        found = swap.judge()
        verdicts = swap.rescue(found)
        swap.make_last()
        self.kept_beside += swap.kept.values()
        return verdicts, verdicts != found

    def roll_forward(self, transaction: DiskTransaction) -> None:
        """Finish a change whose owner is alive and holds its locks."""
        swap = transaction.swapper
        assert swap is not None
        transaction.places.forget()
        self._carry_out(swap, swap.judge())

    def roll_back(self, transaction: DiskTransaction) -> None:
        """Take back a revoked change whose owner is alive and holds its locks."""
        forward = transaction.swapper
        assert forward is not None
        transaction.places.forget()
        steps = ChangeSet(tuple(transaction.steps)).inverse().steps
        staging = tuple(reversed(forward.staging))
        back = Swap(
            self._store.disk, transaction.places, transaction.id, steps, staging, suffix=_BACK
        )
        self._take_back(back)
        back.sweep(range(len(steps)))
        forward.sweep(range(len(steps)))

    def _take_back(self, swap: Swap) -> None:
        """Undo what was done; a place that a person has changed since is left as it is."""
        self._carry_out(swap, self._judge(swap)[0])

    def _carry_out(self, swap: Swap, verdicts: list[Verdict]) -> None:
        todo = [n for n, verdict in enumerate(verdicts) if verdict is Verdict.TO_DO]
        for number in todo:
            swap.restage(number, self._store.contents.pieces)
        swap.carry_out(todo)
        # What was found done may not last yet.
        for number, verdict in enumerate(verdicts):
            if verdict is Verdict.DONE:
                for path in ChangeSet((swap.steps[number],)).paths:
                    swap.dirty[path.parent] = None
        swap.make_last()

    def _swap(
        self,
        places: Places,
        change_set: ChangeSet,
        intent: Intent,
        transaction: str,
        *,
        back: bool = False,
    ) -> Swap:
        staging = [self._directory(root, below) for root, below in intent.staging]
        if back:
            staging.reverse()
        suffix = _BACK if back else ""
        return Swap(self._store.disk, places, transaction, change_set.steps, staging, suffix)

    def _directory(self, root: str, below: str) -> WorkspacePath:
        parts = tuple(below.split("/")) if below else ()
        return WorkspacePath(self._store.workspace.root_number(root), parts)

    def _clean_up(self, intent: Intent) -> None:
        places = Places(self._store.disk, self._store.workspace)
        try:
            self._sweep(places, intent)
        finally:
            places.forget()
        self._store.blobs.forget(intent.transactions, intent.blobs)

    def _sweep(self, places: Places, intent: Intent) -> None:
        for transaction in intent.transactions:
            for number, (root, below) in enumerate(intent.staging):
                where = self._directory(root, below)
                name = staged_name(transaction, number)
                for each in (name, name + _BACK):
                    if places.mark(where.child(each)):
                        remove_if_there(self._store.disk, places, where, each)
        # Once the slot is done nobody looks for them again.
        for where in {self._directory(root, below) for root, below in intent.staging}:
            try:
                self._store.disk.sync_dir(places.directory(where))
            except (FileNotFoundError, NotADirectoryError):
                continue
