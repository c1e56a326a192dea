"""The journal: one file that only grows, a checksummed line per operation.

An operation is committed the moment its line lasts on disk. A line cut off by a crash fails its
checksum and counts for nothing. `R` lines are operations, `V` lines revoke one, `F` lines say that
one was carried out to the end although its slot could not be closed.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from redline.adapters import platform
from redline.adapters.disk import Dir, Disk

NAME = "journal"
_LOCK = "journal.lock"
_NEXT = "journal.next"
_FIELDS = 7


class Undecided(Exception):
    """A line was neither made to last nor durably taken back; `is_there` as the file reads now."""

    def __init__(self, *, is_there: bool) -> None:
        super().__init__()
        self.is_there = is_there


@dataclass(frozen=True, slots=True)
class Head:
    """The fixed fields of an operation's line."""

    id: str
    kind: str
    reverts: str | None
    time: float
    added: int


@dataclass(frozen=True, slots=True)
class Line:
    """Where an operation stands in the file; pruning makes a new file, with other places."""

    head: Head
    offset: int
    length: int
    file: tuple[int, int]


class Journal:
    """The operations of one workspace, shared by every process that works on it."""

    def __init__(self, disk: Disk, directory: Dir) -> None:
        self._disk = disk
        self._directory = directory
        self._guard = threading.RLock()
        self._fd = -1
        self._identity = (0, 0)
        self._read_to = 0
        self._lines: list[Line] = []
        self._places: dict[str, int] = {}
        self.revoked: set[str] = set()
        self.finished: set[str] = set()
        self._open()

    # -- writing ------------------------------------------------------------------------------

    def commit(self, head: Head, body: bytes) -> None:
        """Make an operation's line last: the commit point.

        OSError means it is not there and never will be; Undecided that nobody can tell.
        """
        fields = (head.id, head.kind, head.reverts or "-", f"{head.time:.6f}", str(head.added))
        self._append(b"R " + " ".join(fields).encode() + b" " + body)

    def revoke(self, operation_id: str) -> None:
        """Durably take an operation's line back."""
        self._append(b"V " + operation_id.encode())

    def finish(self, operation_id: str) -> None:
        """Durably say that an operation was carried out."""
        self._append(b"F " + operation_id.encode())

    def _append(self, payload: bytes) -> None:
        with self._guard:
            lock = self._locked()
            try:
                self._follow()
                end = self._disk.fstat(self._fd).st_size
                data = _line(payload)
                if end and self._disk.pread(self._fd, 1, end - 1) != b"\n":
                    data = b"\n" + data
                self._write_or_take_back(data, end)
            finally:
                os.close(lock)

    def _write_or_take_back(self, data: bytes, end: int) -> None:
        try:
            self._disk.pwrite(self._fd, data, end)
            self._disk.sync_data(self._fd)
        except OSError as error:
            self._take_back(data, end, error)
            raise

    def _take_back(self, data: bytes, end: int, error: OSError) -> None:
        whole = self._disk.pread(self._fd, len(data), end) == data
        try:
            self._disk.truncate(self._fd, end)
        except OSError:
            if whole:
                raise Undecided(is_there=True) from error
            return  # what is there fails its checksum
        try:
            self._disk.sync_data(self._fd)
        except OSError:
            if whole:
                raise Undecided(is_there=False) from error

    def replace(self, keep: Iterable[Line]) -> None:
        """Rewrite the file with only *keep*; the caller holds off every commit."""
        with self._guard:
            lock = self._locked()
            try:
                self.refresh()
                kept = b"".join(self._raw(line) for line in keep)
                self._discard_half_written()
                fd = self._disk.create(self._directory, _NEXT)
                try:
                    self._disk.append(fd, kept)
                    self._disk.sync_data(fd)
                finally:
                    self._disk.close_fd(fd)
                self._disk.close_fd(self._fd)  # Windows does not rename over an open file
                try:
                    self._disk.rename(self._directory, _NEXT, self._directory, NAME)
                    self._disk.sync_dir(self._directory)
                finally:
                    self._open()
            finally:
                os.close(lock)

    def _discard_half_written(self) -> None:
        try:
            self._disk.unlink(self._directory, _NEXT)
        except FileNotFoundError:
            return

    def _locked(self) -> int:
        fd = self._disk.open_own(self._directory, _LOCK)
        platform.lock(fd, exclusive=True, wait=True)
        return fd

    def close(self) -> None:
        """Give the file back."""
        if self._fd >= 0:
            self._disk.close_fd(self._fd)
            self._fd = -1

    # -- reading ------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take in what any process has written since."""
        with self._guard:
            self._follow()
            size = self._disk.fstat(self._fd).st_size
            if size > self._read_to:
                self._take_in(self._disk.pread(self._fd, size - self._read_to, self._read_to))

    @property
    def lines(self) -> list[Line]:
        """Operations that were not revoked, oldest first, as of the last refresh."""
        if not self.revoked:
            return self._lines
        return [line for line in self._lines if line.head.id not in self.revoked]

    @property
    def version(self) -> tuple[object, ...]:
        """Differs whenever the operations do."""
        return self._identity, len(self._lines), len(self.revoked)

    def find(self, operation_id: str) -> Line | None:
        """The line of an operation, revoked or not."""
        place = self._places.get(operation_id)
        return None if place is None else self._lines[place]

    def body(self, line: Line) -> bytes:
        """The body of an operation's record; LookupError when it was pruned meanwhile."""
        return self._raw(line).rstrip(b"\n").split(b" ", _FIELDS)[_FIELDS]

    def _raw(self, line: Line) -> bytes:
        with self._guard:
            if line.file != self._identity:
                self.refresh()
                line = self._lines[self._places[line.head.id]]
            return self._disk.pread(self._fd, line.length, line.offset)

    def _take_in(self, data: bytes) -> None:
        offset = self._read_to
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._take_line(data[start:end], offset + start)
            start = end + 1
        self._read_to = offset + start

    def _take_line(self, text: bytes, offset: int) -> None:
        checksum, _, payload = text.partition(b" ")
        if not payload or checksum != _checksum(payload):
            return
        fields = payload.split(b" ", _FIELDS - 1)
        name = fields[1].decode()
        if fields[0] == b"V":
            self.revoked.add(name)
        elif fields[0] == b"F":
            self.finished.add(name)
        elif fields[0] == b"R" and name not in self._places:
            reverts = None if fields[3] == b"-" else fields[3].decode()
            head = Head(name, fields[2].decode(), reverts, float(fields[4]), int(fields[5]))
            self._places[name] = len(self._lines)
            self._lines.append(Line(head, offset, len(text) + 1, self._identity))

    def _open(self) -> None:
        try:
            self._disk.stat(self._directory, NAME)
        except FileNotFoundError:
            os.close(self._disk.open_own(self._directory, NAME))
            self._disk.sync_dir(self._directory)
        self._fd = self._disk.open_own(self._directory, NAME)
        found = self._disk.fstat(self._fd)
        self._identity = (found.st_dev, found.st_ino)
        self._read_to = 0
        self._lines = []
        self._places = {}
        self.revoked = set()
        self.finished = set()

    def _follow(self) -> None:
        """Open the file again when pruning has put another in its place."""
        try:
            found = self._disk.stat(self._directory, NAME)
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._identity:
            self._disk.close_fd(self._fd)
            self._open()


def _checksum(payload: bytes) -> bytes:
    return b"%08x" % zlib.crc32(payload)


def _line(payload: bytes) -> bytes:
    return _checksum(payload) + b" " + payload + b"\n"
