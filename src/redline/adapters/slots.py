"""Slots: one small file per change under way, locked by whoever carries it out.

A slot names what a transaction stages before it stages it, so that whoever finds the slot without
an owner can clean up or finish. Slots are used again and again; their number is the
largest number of changes that ever ran at once.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from dataclasses import dataclass
from typing import Any

from redline.adapters import platform
from redline.adapters.disk import Dir, Disk

_ENCODER = json.JSONEncoder(separators=(",", ":"))
ACTIVE, DONE, ABANDONED = b"A", b"D", b"X"


@dataclass(frozen=True, slots=True)
class Intent:
    """What a transaction is about to stage: (root path, directory, name) each."""

    transaction: str
    buckets: tuple[int, ...]
    staged: tuple[tuple[str, str, str], ...]
    blobs: int


class Slot:
    """One slot file, open and locked by us."""

    def __init__(self, disk: Disk, fd: int, name: str) -> None:
        self._disk = disk
        self._fd = fd
        self.name = name

    def activate(self, intent: Intent) -> None:
        """Durably say what is about to be staged."""
        parts = [intent.transaction, intent.buckets, intent.staged, intent.blobs]
        body = _ENCODER.encode(parts).encode("ascii")
        self._disk.pwrite(self._fd, ACTIVE + b"%08x " % zlib.crc32(body) + body + b"\n", 0)
        self._disk.sync_data(self._fd)

    def mark(self, state: bytes) -> None:
        """Durably set the state."""
        self._disk.pwrite(self._fd, state, 0)
        self._disk.sync_data(self._fd)

    def read(self) -> tuple[bytes, Intent | None]:
        """The state and the intent."""
        return parse(self._disk.pread(self._fd, self._disk.fstat(self._fd).st_size, 0))

    def close(self) -> None:
        """Give the lock back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class Slots:
    """The slots of one workspace."""

    def __init__(self, disk: Disk, directory: Dir) -> None:
        self._disk = disk
        self._directory = directory
        self._guard = threading.Lock()
        self._free: list[Slot] = []
        self._mine: set[str] = set()

    def take(self) -> Slot:
        """A slot nobody uses; its state is DONE. Orphans are left to `orphans`."""
        with self._guard:
            if self._free:
                return self._free.pop()
            for name in sorted(self._disk.names(self._directory)):
                slot = self._lock(name) if name not in self._mine else None
                if slot is None:
                    continue
                if slot.read()[0] == DONE:
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
                if name in self._mine or self.peek(name)[0] == DONE:
                    continue
                slot = self._lock(name)
                if slot is not None:
                    self._mine.add(name)
                    found.append(slot)
        return found

    def unfinished_over(self, buckets: frozenset[int]) -> bool:
        """Whether a change on one of *buckets*, which the caller holds, was left unfinished.

        Its owner cannot be alive: a living owner would hold the bucket.
        """
        for name in self._disk.names(self._directory):
            if name in self._mine:
                continue
            state, intent = self.peek(name)
            if state != DONE and intent is not None and not buckets.isdisjoint(intent.buckets):
                return True
        return False

    def close(self) -> None:
        """Give every slot and the directory back."""
        with self._guard:
            while self._free:
                self._free.pop().close()
            self._disk.close_dir(self._directory)

    def peek(self, name: str) -> tuple[bytes, Intent | None]:
        """What a slot of anybody says."""
        try:
            fd = self._disk.open_read(self._directory, (name,))
        except FileNotFoundError:
            return DONE, None
        try:
            if self._disk.pread(fd, 1, 0) in (DONE, b""):
                return DONE, None
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
            self._disk.pwrite(fd, DONE, 0)
            self._disk.sync_data(fd)
            self._disk.sync_dir(self._directory)
        except OSError:
            os.close(fd)
            raise
        self._mine.add(name)
        return Slot(self._disk, fd, name)


def parse(raw: bytes) -> tuple[bytes, Intent | None]:
    """State and intent of a slot; one whose intent was cut off counts as done."""
    state, line = raw[:1], raw[1:].partition(b"\n")[0]
    checksum, _, body = line.partition(b" ")
    if state not in (ACTIVE, ABANDONED) or checksum != b"%08x" % zlib.crc32(body):
        return DONE, None
    data: list[Any] = json.loads(body)
    staged = tuple((root, directory, name) for root, directory, name in data[2])
    return state, Intent(data[0], tuple(data[1]), staged, data[3])
