"""Slots: one small file per change under way, locked by the process that carries it out.

A slot names what a transaction stages before it stages it, so that a process that finds the slot
without an owner can clean up or finish. Slots are used again and again; their number is the
largest number of changes that ever ran at once.

A change of a single file or link, made or replaced, belongs to a *series*: one synced intent names
a run of ids that stage in the same directory, and each change of the run takes the next. That
one has finished is written without a sync: the sync of the directory has already made durable that
its staged file is gone, so a power cut leaves no doubt. Recovery looks at the newest of the series
that reached the journal; the others had finished before it began.

Other changes may need work after a power cut, so their end is synced. That sync also names the next
one: its id, and that it stages in the same directories. Until it begins, the slot is
`READY`; the switch from there to `ACTIVE` is not synced, so after a power cut either may be
found, and recovery looks after both.
"""

from __future__ import annotations

import json
import os
import threading
import time
import zlib
from typing import TypeAlias

from redline.adapters.files import platform
from redline.adapters.files.disk import Dir, Disk
from redline.core.records import dataclass

# The states of one change, or of the newest change of a series.
ACTIVE, READY, DONE, ABANDONED = b"A", b"R", b"D", b"X"
# Says that the state is in the first block: what is written there cannot damage the intent.
SERIES = b"S"
INTENT = 4096
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_ID = 8

# For each step of a transaction the directory it stages in: root path, path below.
Staging: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SlotIntent:
    """What transactions may leave behind if they die: files staged in these directories.

    Several transactions are a series: each begins when the one before has finished.
    """

    transactions: tuple[str, ...]
    staging: Staging

    @property
    def blobs(self) -> int:
        """How many contents each may write at most."""
        return 2 * len(self.staging)


@dataclass(frozen=True, slots=True)
class Peeked:
    """What a slot says; `buckets` is None when it does not name its locks."""

    state: bytes
    intent: SlotIntent | None = None
    buckets: frozenset[int] | None = None
    is_series: bool = False
    # The change the state belongs to.
    newest: str = ""

    def is_finished(self, transaction: str) -> bool:
        """Return whether a change of a series is known to have finished."""
        if self.intent is None or not self.newest:
            return False
        order = self.intent.transactions
        number, newest = order.index(transaction), order.index(self.newest)
        return number < newest or (number == newest and self.state == READY)


IDLE = Peeked(DONE)


def new_ids(count: int) -> tuple[str, ...]:
    """Names of eight random characters."""
    text = "".join([_ALPHABET[byte % len(_ALPHABET)] for byte in os.urandom(count * _ID)])
    return tuple([text[start : start + _ID] for start in range(0, count * _ID, _ID)])


def parse(raw: bytes) -> Peeked:
    """Return what the bytes of a slot say; one whose intent was cut off counts as done."""
    state = raw[INTENT : INTENT + 1]
    body = _verify(raw[INTENT + 1 :])
    if state not in (ACTIVE, READY, ABANDONED, SERIES) or body is None:
        return IDLE
    names, staging = json.loads(body)
    # A single change is written as its bare id.
    transactions = (names,) if isinstance(names, str) else tuple(names)
    intent = SlotIntent(transactions, tuple((root, below) for root, below in staging))
    is_series = state == SERIES
    state_of_newest = raw[:1] if raw[:1] in (ACTIVE, READY) else b""
    locks = _verify(raw[len(state_of_newest) : INTENT])
    newest, buckets = json.loads(locks) if locks is not None else ("", ())
    if newest not in transactions:  # of an earlier change
        return Peeked(ACTIVE if is_series else state, intent, None, is_series)
    if is_series:
        state = READY if state_of_newest == READY else ACTIVE
    return Peeked(state, intent, frozenset(buckets), is_series, newest)


def encode_locks(transaction: str, buckets: frozenset[int]) -> bytes:
    """Return which locks a change needs."""
    numbers = ",".join(map(str, buckets))
    return _line(f'["{transaction}",[{numbers}]]'.encode("ascii"))


def encode_intent(transactions: tuple[str, ...], staging: str, *, is_series: bool) -> bytes:
    """Return an intent; *staging* is its directories as JSON."""
    named = '","'.join(transactions)
    body = f'[["{named}"],{staging}]' if is_series else f'["{named}",{staging}]'
    return _line(body.encode("ascii"))


def _line(body: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(body), body)


def _verify(raw: bytes) -> bytes | None:
    checksum, _, body = raw.partition(b"\n")[0].partition(b" ")
    return body if checksum == b"%08x" % zlib.crc32(body) else None


# A larger change leaves no guess for the next one.
_MAX_GUESSED = 8
# How many changes one intent announces: as many as keep it within a sector of a disk.
_SERIES = 32
# A directory that changed this lately may change again with the same timestamp.
_UNSURE_NS = 50_000_000


class Slot:
    """One slot file, open and locked by us."""

    def __init__(self, disk: Disk, fd: int, name: str) -> None:
        self._disk = disk
        self._fd = fd
        self.name = name
        # What the slot announces the next change to be, and whether as one of a series.
        self.ready: tuple[Staging, bool] | None = None
        # Ids that are announced and not used yet, the next one last.
        self._unused: list[str] = []
        # The change under way, if it is one of a series.
        self._single: str = ""
        # What `finish` is going to write, built while the processor's caches are warm: after a
        # sync everything costs twice as much.
        self._next: tuple[str, bytes] | None = None
        # The last directories, and as JSON: they rarely change from one change to the next.
        self._staging: Staging = ()
        self._staging_json = "[]"

    def activate(self, staging: Staging, buckets: frozenset[int], *, single: bool) -> str:
        """Say durably what is about to be staged; return the id of the transaction."""
        is_ready, self.ready = self.ready == (staging, single), None
        self._remember(staging)
        if single:
            return self._activate_single(buckets, is_ready=is_ready)
        unused, self._unused = self._unused, []
        if len(staging) <= _MAX_GUESSED:
            following = new_ids(1)
            self._next = following[0], READY + self._intent(following)
        if is_ready:
            transaction = unused.pop()
            self.publish_locks(transaction, buckets)
            self._disk.pwrite(self._fd, ACTIVE, INTENT)
            return transaction
        ids = new_ids(1)
        self.publish_locks(ids[0], buckets)
        self._disk.pwrite(self._fd, ACTIVE + self._intent(ids), INTENT)
        self._disk.sync_data(self._fd)
        return ids[0]

    def _activate_single(self, buckets: frozenset[int], *, is_ready: bool) -> str:
        if is_ready:
            self._single = self._unused.pop()
            self.publish_locks(self._single, buckets, ACTIVE)
            return self._single
        self._unused = []
        ids = new_ids(_SERIES)
        self._single = ids[0]
        self.publish_locks(self._single, buckets, ACTIVE)
        self._disk.pwrite(self._fd, SERIES + self._intent(ids, is_series=True), INTENT)
        self._disk.sync_data(self._fd)
        self._unused = list(ids[:0:-1])
        return self._single

    def publish_locks(self, transaction: str, buckets: frozenset[int], state: bytes = b"") -> None:
        """Tell live processes which locks a transaction needs; *state* in a series."""
        self._disk.pwrite(self._fd, state + encode_locks(transaction, buckets), 0)

    def finish(self) -> None:
        """Say that the change has finished, and that the next is likely to stage there too.

        This is synced, unless the change is one of a series.
        """
        if self._single:
            self._disk.pwrite(self._fd, READY, 0)
            self._single = ""
            self.ready = (self._staging, True) if self._unused else None
            return
        following, self._next = self._next, None
        self._disk.pwrite(self._fd, DONE if following is None else following[1], INTENT)
        self._disk.sync_data(self._fd)
        if following is not None:
            self._unused = [following[0]]
            self.ready = self._staging, False

    def _remember(self, staging: Staging) -> None:
        if self._staging != staging:
            self._staging = staging
            self._staging_json = json.dumps(staging, separators=(",", ":"))

    def _intent(self, transactions: tuple[str, ...], *, is_series: bool = False) -> bytes:
        return encode_intent(transactions, self._staging_json, is_series=is_series)

    def abandon(self) -> None:
        """Durably say that recovery is to take the change back."""
        # The state of a series is not synced, so the change leaves it.
        alone = self._intent((self._single,)) if self._single else b""
        self._mark(ABANDONED + alone)

    def mark_done_durably(self) -> None:
        """Durably say that nothing waits here."""
        self._mark(DONE)
        self._single, self._next, self.ready = "", None, None

    def _mark(self, state: bytes) -> None:
        self._disk.pwrite(self._fd, state, INTENT)
        self._disk.sync_data(self._fd)

    def take_over(self) -> Peeked:
        """Read the slot of a dead process and show other processes that this one settles it."""
        found = self._read()
        if found.state == READY and not found.is_series:
            self._disk.pwrite(self._fd, ACTIVE, INTENT)
        return found

    def _read(self) -> Peeked:
        return parse(self._disk.pread(self._fd, self._disk.fstat(self._fd).st_size, 0))

    def is_done(self) -> bool:
        """Return whether nothing waits here."""
        return self._read().state == DONE

    def close(self) -> None:
        """Release the lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def close_and_discard(self) -> None:
        """Release the lock and cancel the announced next change."""
        try:
            # If a power cut loses this write, recovery finds an announced change that never
            # began, or a series of which every change has finished.
            self._disk.pwrite(self._fd, DONE, INTENT)
        except OSError:
            self.ready = None
        self.close()


class Slots:
    """The slots of one workspace."""

    def __init__(self, disk: Disk, directory: Dir) -> None:
        self._disk = disk
        self._directory = directory
        self._guard = threading.Lock()
        self._free: list[Slot] = []
        self._mine: set[str] = set()
        self._listed: tuple[int, list[str]] = -1, []

    def take(self, staging: Staging, *, single: bool) -> Slot:
        """Return a free slot, if possible one that is ready for such a change in *staging*."""
        with self._guard:
            for slot in self._free:
                if slot.ready == (staging, single):
                    self._free.remove(slot)
                    return slot
            return self._free.pop() if self._free else self._another()

    def _another(self) -> Slot:
        for name in sorted(self._disk.names(self._directory)):
            slot = self._lock(name) if name not in self._mine else None
            if slot is None:
                continue
            if slot.is_done():
                self._mine.add(name)
                return slot
            slot.close()
        return self._new()

    def free(self, slot: Slot) -> None:
        """Let another change use *slot*."""
        with self._guard:
            self._free.append(slot)

    def leave(self, slot: Slot) -> None:
        """Leave *slot* as it is for recovery."""
        with self._guard:
            self._mine.discard(slot.name)
            slot.close()

    def orphans(self) -> list[Slot]:
        """Slots of changes whose process died, locked by us now; `free` or `leave` each."""
        found = []
        with self._guard:
            for name in sorted(self._disk.names(self._directory)):
                if name in self._mine or self.peek(name).state == DONE:
                    continue
                slot = self._lock(name)
                if slot is not None:
                    self._mine.add(name)
                    found.append(slot)
        return found

    def unfinished_over(self, buckets: frozenset[int]) -> bool:
        """Return whether a change on one of *buckets*, which the caller holds, was left unfinished.

        Its process cannot be alive: a live one would hold the bucket, and publish its locks.
        """
        for name in self._names():
            if name in self._mine:
                continue
            found = self.peek(name)
            if found.state in (DONE, READY):
                continue
            if found.buckets is None or not buckets.isdisjoint(found.buckets):
                return True
        return False

    def _names(self) -> list[str]:
        """Return the slots there are, listed again only when the directory has changed."""
        changed = self._disk.stat(self._directory, "").st_mtime_ns
        if self._listed[0] != changed:
            settled = changed < time.time_ns() - _UNSURE_NS
            self._listed = changed if settled else -1, self._disk.names(self._directory)
        return self._listed[1]

    def close(self) -> None:
        """Close every slot and the directory."""
        with self._guard:
            while self._free:
                self._free.pop().close_and_discard()
            self._disk.close_dir(self._directory)

    def peek(self, name: str) -> Peeked:
        """Return what the slot of any process says."""
        try:
            fd = self._disk.open_read(self._directory, (name,))
        except FileNotFoundError:
            return IDLE
        try:
            if self._disk.pread(fd, 1, INTENT) in (DONE, b"", b"\0"):
                return IDLE
            return parse(self._disk.pread(fd, self._disk.fstat(fd).st_size, 0))
        finally:
            self._disk.close_fd(fd)

    def _lock(self, name: str) -> Slot | None:
        fd = self._disk.open_own(self._directory, name)
        if platform.lock(fd, exclusive=True, wait=False):
            return Slot(self._disk, fd, name)
        os.close(fd)
        return None

    def _new(self) -> Slot:
        name = os.urandom(6).hex()
        fd = self._disk.create(self._directory, name)
        platform.lock(fd, exclusive=True, wait=True)
        try:
            self._disk.pwrite(fd, bytes(INTENT) + DONE, 0)
            self._disk.sync_data(fd)
            self._disk.sync_dir(self._directory)
        except OSError:
            os.close(fd)
            raise
        self._mine.add(name)
        return Slot(self._disk, fd, name)
