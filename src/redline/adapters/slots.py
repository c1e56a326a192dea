"""Slots: one small file per change under way, locked by whoever carries it out.

A slot names what a transaction stages before it stages it, so that whoever finds the slot without
an owner can clean up or finish. Slots are used again and again; their number is the
largest number of changes that ever ran at once.

The sync that closes a change also names the next one: its id, and that it stages in the same
directories. A change for which that holds true needs no sync of its own before it stages. Until it
begins, the slot is `READY`; the switch from there to `ACTIVE` is not synced, so after a power
cut either may be found, and recovery looks after both.
"""

from __future__ import annotations

import json
import os
import threading
import time
import zlib
from dataclasses import dataclass
from typing import TypeAlias

from redline.adapters import platform
from redline.adapters.disk import Dir, Disk

ACTIVE, READY, DONE, ABANDONED = b"A", b"R", b"D", b"X"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
# The locks of a change stand in a block of their own, so that writing them, which is never synced,
# cannot damage the intent.
_INTENT = 4096
# A larger change leaves no guess for the next one.
_MOST_GUESSED = 8
# A directory that changed this lately may change again without its time telling.
_UNSURE_NS = 50_000_000


def new_id() -> str:
    """Eight random characters."""
    return "".join([_ALPHABET[byte % len(_ALPHABET)] for byte in os.urandom(8)])


# For each step of a transaction the directory it stages in: root path, path below.
Staging: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Intent:
    """What a transaction may leave behind if it dies: files staged in these directories."""

    transaction: str
    staging: Staging

    @property
    def blobs(self) -> int:
        """How many contents it may write at most."""
        return 2 * len(self.staging)


@dataclass(frozen=True, slots=True)
class Peeked:
    """What a slot says; `buckets` is None when it does not tell of its locks."""

    state: bytes
    intent: Intent | None = None
    buckets: frozenset[int] | None = None


_IDLE = Peeked(DONE)


class Slot:
    """One slot file, open and locked by us."""

    def __init__(self, disk: Disk, fd: int, name: str) -> None:
        self._disk = disk
        self._fd = fd
        self.name = name
        # What the next change has been promised to be.
        self.ready: Intent | None = None
        # What `finish` is going to write, made while the processor is still warm: behind a sync
        # everything costs twice as much.
        self._next: tuple[Intent, bytes] | None = None
        # The last directories as JSON: they rarely change from one change to the next.
        self._spelled: tuple[Staging, str] = (), "[]"

    def activate(self, staging: Staging, buckets: frozenset[int]) -> str:
        """Say durably what is about to be staged; the id of the transaction."""
        ready, self.ready = self.ready, None
        if len(staging) <= _MOST_GUESSED:
            following = Intent(new_id(), staging)
            self._next = following, READY + self._encoded(following)
        if ready is not None and ready.staging == staging:
            self.tell_locks(ready.transaction, buckets)
            self._disk.pwrite(self._fd, ACTIVE, _INTENT)
            return ready.transaction
        intent = Intent(new_id(), staging)
        self.tell_locks(intent.transaction, buckets)
        self._disk.pwrite(self._fd, ACTIVE + self._encoded(intent), _INTENT)
        self._disk.sync_data(self._fd)
        return intent.transaction

    def tell_locks(self, transaction: str, buckets: frozenset[int]) -> None:
        """Say to those who are alive which locks a transaction needs."""
        numbers = ",".join(map(str, buckets))
        self._disk.pwrite(self._fd, _line(f'["{transaction}",[{numbers}]]'.encode()), 0)

    def finish(self) -> None:
        """Durably say that the change is over, and that the next is likely to stage there too."""
        following, self._next = self._next, None
        self._disk.pwrite(self._fd, DONE if following is None else following[1], _INTENT)
        self._disk.sync_data(self._fd)
        self.ready = None if following is None else following[0]

    def _encoded(self, intent: Intent) -> bytes:
        if self._spelled[0] != intent.staging:
            self._spelled = intent.staging, json.dumps(intent.staging, separators=(",", ":"))
        return _line(f'["{intent.transaction}",{self._spelled[1]}]'.encode("ascii"))

    def mark(self, state: bytes) -> None:
        """Durably set the state."""
        self._disk.pwrite(self._fd, state, _INTENT)
        self._disk.sync_data(self._fd)

    def take_over(self) -> Peeked:
        """What it says; from now on everybody sees that somebody looks after it."""
        found = self._read()
        if found.state == READY:
            self._disk.pwrite(self._fd, ACTIVE, _INTENT)
        return found

    def _read(self) -> Peeked:
        return parse(self._disk.pread(self._fd, self._disk.fstat(self._fd).st_size, 0))

    def is_done(self) -> bool:
        """Whether nothing waits here."""
        return self._read().state == DONE

    def close(self) -> None:
        """Give the lock back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def retire(self) -> None:
        """Give the lock back and leave no promise behind."""
        if self.ready is not None:
            try:
                # If this does not last, recovery finds a promise that nobody made use of.
                self._disk.pwrite(self._fd, DONE, _INTENT)
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

    def take(self, staging: Staging) -> Slot:
        """A slot nobody uses, if possible one that is ready for *staging*."""
        with self._guard:
            for slot in self._free:
                if slot.ready is not None and slot.ready.staging == staging:
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

    def give_back(self, slot: Slot) -> None:
        """Let another change use *slot*."""
        with self._guard:
            self._free.append(slot)

    def leave(self, slot: Slot) -> None:
        """Leave *slot* as it is for recovery."""
        with self._guard:
            self._mine.discard(slot.name)
            slot.close()

    def orphans(self) -> list[Slot]:
        """Slots of changes whose owner died, locked by us now; give each back or leave it."""
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
        """Whether a change on one of *buckets*, which the caller holds, was left unfinished.

        Its owner cannot be alive: a living owner would hold the bucket, and tell of its locks.
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
        """The slots there are, listed again only when the directory has changed."""
        changed = self._disk.stat(self._directory, "").st_mtime_ns
        if self._listed[0] != changed:
            settled = changed < time.time_ns() - _UNSURE_NS
            self._listed = changed if settled else -1, self._disk.names(self._directory)
        return self._listed[1]

    def close(self) -> None:
        """Give every slot and the directory back."""
        with self._guard:
            while self._free:
                self._free.pop().retire()
            self._disk.close_dir(self._directory)

    def peek(self, name: str) -> Peeked:
        """What a slot of anybody says."""
        try:
            fd = self._disk.open_read(self._directory, (name,))
        except FileNotFoundError:
            return _IDLE
        try:
            if self._disk.pread(fd, 1, _INTENT) in (DONE, b"", b"\0"):
                return _IDLE
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
            self._disk.pwrite(fd, bytes(_INTENT) + DONE, 0)
            self._disk.sync_data(fd)
            self._disk.sync_dir(self._directory)
        except OSError:
            os.close(fd)
            raise
        self._mine.add(name)
        return Slot(self._disk, fd, name)


def parse(raw: bytes) -> Peeked:
    """What the bytes of a slot say; one whose intent was cut off counts as done."""
    state = raw[_INTENT : _INTENT + 1]
    body = _checked(raw[_INTENT + 1 :])
    if state not in (ACTIVE, READY, ABANDONED) or body is None:
        return _IDLE
    transaction, staging = json.loads(body)
    intent = Intent(transaction, tuple((root, below) for root, below in staging))
    locks = _checked(raw[:_INTENT])
    owner, buckets = json.loads(locks) if locks is not None else ("", ())
    return Peeked(state, intent, frozenset(buckets) if owner == transaction else None)


def _line(body: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(body), body)


def _checked(raw: bytes) -> bytes | None:
    checksum, _, body = raw.partition(b"\n")[0].partition(b" ")
    return body if checksum == b"%08x" % zlib.crc32(body) else None
