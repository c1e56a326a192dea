"""Finishing or taking back what a dead process left behind."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from redline.adapters import records
from redline.adapters.places import Places
from redline.adapters.slots import ABANDONED, DONE, READY, Intent, Slot
from redline.adapters.swap import Swap, Verdict, remove_if_there, staged_name
from redline.core.changes import ChangeSet
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath

if TYPE_CHECKING:
    from redline.adapters.store import DiskStore
    from redline.adapters.transaction import DiskTransaction

_BACK = "r"


class Recovery:
    """Rolls changes forward or back; every step may be repeated without harm."""

    def __init__(self, store: DiskStore) -> None:
        self._store = store
        # How many changes of dead processes were finished or taken back so far.
        self.settled = 0

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
        intent = found.intent
        if intent is not None:
            store.journal.refresh()
            line = store.journal.find(intent.transaction)
            if line is None:
                self._clean_up(intent)
            elif intent.transaction not in store.journal.finished:
                self._settle_committed(intent, take_back=found.state == ABANDONED)
            if line is not None or found.state != READY:
                self.settled += 1
        slot.mark(DONE)
        store.slots.give_back(slot)

    def _narrow(self, slot: Slot) -> None:
        """Whoever cannot settle a change says which places of open roots wait for it."""
        store = self._store
        intent = slot.take_over().intent
        line = store.journal.find(intent.transaction) if intent is not None else None
        if intent is None or line is None:
            return
        body = store.journal.body(line)
        change_set, _, _ = records.decode_body(body, store.workspace.root_number)
        count = len(store.workspace.roots)
        places = Places(store.disk, store.workspace)
        try:
            buckets = places.buckets(path for path in change_set.paths if path.root < count)
        finally:
            places.forget()
        slot.tell_locks(intent.transaction, buckets)

    def _settle_committed(self, intent: Intent, *, take_back: bool) -> None:
        store = self._store
        line = store.journal.find(intent.transaction)
        assert line is not None
        change_set, _, _ = records.decode_body(
            store.journal.body(line), store.workspace.root_number
        )
        places, held = store.lock(change_set)
        try:
            forward = self._swap(places, change_set, intent)
            revoked = intent.transaction in store.journal.revoked
            if not revoked and not take_back:
                verdicts = forward.judge()
                if Verdict.CONFLICT not in verdicts:
                    self._carry_out(forward, verdicts)
                    self._sweep(places, intent)
                    return
            if not revoked:
                store.journal.revoke(intent.transaction)
            self._take_back(self._swap(places, change_set.inverse(), intent, back=True))
            self._sweep(places, intent)
        finally:
            places.forget()
            held.release()

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
        self._carry_out(swap, swap.judge())

    def _carry_out(self, swap: Swap, verdicts: list[Verdict]) -> None:
        todo = [n for n, verdict in enumerate(verdicts) if verdict is Verdict.TO_DO]
        for number in todo:
            swap.restage(number, self._store.contents.get)
        swap.carry_out(todo)
        # What was found done may not last yet.
        for number, verdict in enumerate(verdicts):
            if verdict is Verdict.DONE:
                for path in ChangeSet((swap.steps[number],)).paths:
                    swap.dirty[path.parent] = None
        swap.make_last()

    def _swap(
        self, places: Places, change_set: ChangeSet, intent: Intent, *, back: bool = False
    ) -> Swap:
        staging = [self._directory(root, below) for root, below in intent.staging]
        if back:
            staging.reverse()
        suffix = _BACK if back else ""
        return Swap(self._store.disk, places, intent.transaction, change_set.steps, staging, suffix)

    def _directory(self, root: str, below: str) -> WorkspacePath:
        parts = tuple(below.split("/")) if below else ()
        return WorkspacePath(self._store.workspace.root_number(root), parts)

    def _clean_up(self, intent: Intent) -> None:
        places = Places(self._store.disk, self._store.workspace)
        try:
            self._sweep(places, intent)
        finally:
            places.forget()
        self._store.blobs.forget(intent.transaction, intent.blobs)

    def _sweep(self, places: Places, intent: Intent) -> None:
        for number, (root, below) in enumerate(intent.staging):
            where = self._directory(root, below)
            name = staged_name(intent.transaction, number)
            for each in (name, name + _BACK):
                remove_if_there(self._store.disk, places, where, each)
        # Once the slot is done nobody looks for them again.
        for where in {self._directory(root, below) for root, below in intent.staging}:
            try:
                self._store.disk.sync_dir(places.directory(where))
            except (FileNotFoundError, NotADirectoryError):
                continue
