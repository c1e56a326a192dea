"""The journal: one file that only grows, a checksummed line per operation.

An operation is committed the moment its line is durable. A line cut off by a crash fails its
checksum and counts for nothing. `R` lines are operations, `V` lines revoke one, `F` lines say that
one was carried out to the end although its slot could not be closed. `C` lines are operations that
carry small contents; `K` lines keep contents whose operation was pruned.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable, Iterator
from functools import partial
from zlib import crc32

from redline.adapters.files.disk import Disk
from redline.adapters.files.disk_read import Dir
from redline.adapters.files.locks import LockFiles, OneLock
from redline.adapters.journal.format.lines import (
    DIGEST,
    FIELDS,
    Head,
    Line,
    body_of,
    format_content,
    format_line,
    tokens_of,
)
from redline.adapters.journal.inline_contents import InlineContents
from redline.adapters.journal.undecided import Undecided

NAME = "journal"
_LOCK = "journal.lock"
_NEXT = "journal.next"
# How much is read at once where many lines are looked at.
_WINDOW = 1 << 18
# How long the fixed fields of a line usually are.
_MAX_HEAD = 160


class Journal:
    """The operations of one workspace, shared by every process that works on it."""

    def __init__(self, disk: Disk, directory: Dir) -> None:
        self._disk = disk
        self._directory = directory
        self._guard = threading.RLock()
        self._lock = OneLock(LockFiles(partial(disk.open_own, directory)), _LOCK)
        self._fd = -1
        self._identity = (0, 0)
        # The size when it was last looked at, and where our own last lines begin and end.
        self.last_size = 0
        self._own_begin = 0
        self._own_end = 0
        self._read_to = 0
        # Bytes of blobs that the operations up to `_read_to` added, and ours after that.
        self._added = 0
        self._own_added = 0
        self._lines: list[Line] = []
        self._numbers: dict[str, int] = {}
        self._contents = InlineContents()
        # Contents this process has synced; other processes may still take theirs back.
        self._durable: set[str] = set()
        # Lines that fail their checksum: cut off by a crash, or damaged.
        self.unreadable = 0
        self.revoked: set[str] = set()
        self.finished: set[str] = set()
        self._open()

    # -- writing ------------------------------------------------------------------------------

    def commit(self, line: bytes, inline: Iterable[str] = (), added: int = 0) -> None:
        """Append and fsync an operation's line with its *inline* contents: the commit point.

        *added* is what it put into blobs, as the line says too. OSError means that the line is not
        there and never will be; Undecided that this cannot be determined.
        """
        with self._guard:
            self._append(line)
            self._durable.update(inline)
            self._own_added += added

    def revoke(self, operation_id: str) -> None:
        """Durably take an operation's line back."""
        self._append(format_line(b"V " + operation_id.encode()))

    def finish(self, operation_id: str) -> None:
        """Durably say that an operation was carried out."""
        self._append(format_line(b"F " + operation_id.encode()))

    def _append(self, data: bytes) -> None:
        with self._guard, self._lock:
            self._follow()
            end = self.last_size
            if end not in (0, self._own_end) and self._disk.pread(self._fd, 1, end - 1) != b"\n":
                data = b"\n" + data
            self._write_or_take_back(data, end)
            if end != self._own_end:
                self._own_begin = end
            self._own_end = end + len(data)

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

    def replace(self, keep: Iterable[Line], wanted: Iterable[str]) -> None:
        """Rewrite the file with only *keep* and contents *wanted*; the caller holds off commits."""
        with self._guard, self._lock:
            self.refresh()
            kept = self._select(keep, wanted)
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

    def _select(self, keep: Iterable[Line], wanted: Iterable[str]) -> bytes:
        lines = [self._raw(line) for line in keep]
        inline = {token[:DIGEST].decode() for raw in lines for token in tokens_of(raw)}
        inherited = []
        for digest in sorted(set(wanted) - inline):
            text = self.content(digest)
            if text is not None:
                inherited.append(format_line(b"K " + format_content(digest, text)))
        return b"".join(inherited + lines)

    def _discard_half_written(self) -> None:
        try:
            self._disk.unlink(self._directory, _NEXT)
        except FileNotFoundError:
            return

    def close(self) -> None:
        """Close the files."""
        self._lock.close()
        if self._fd >= 0:
            self._disk.close_fd(self._fd)
            self._fd = -1

    # -- reading ------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take in what any process has written since."""
        with self._guard:
            self._follow()
            if self.last_size < self._read_to:  # another process took back what we have read
                self._reopen()
            size = self.last_size
            if size > self._read_to:
                self._take_in(self._disk.pread(self._fd, size - self._read_to, self._read_to))
                self._own_added = 0

    def read_again(self) -> None:
        """Take in everything from the start."""
        with self._guard:
            self._reopen()
            self.refresh()

    def weight(self) -> tuple[int, float]:
        """About how many bytes the history takes, and when its oldest operation was made.

        Lines that only this process wrote since the last read need not be read for that.
        """
        with self._guard:
            self._follow()
            is_ours = self._own_begin <= self._read_to and self._own_end == self.last_size
            if not self._lines or not is_ours:
                self.refresh()
            oldest = next((line.head.time for line in self.lines), math.inf)
            return self.last_size + self._added + self._own_added, oldest

    def durable(self) -> set[str]:
        """Contents that are durable here, as long as the caller prevents pruning."""
        with self._guard:
            self._follow()
            return self._durable

    def location(self, digest: str) -> tuple[int, int] | None:
        """The offset and length of a content, as of the last refresh."""
        return self._contents.locate(digest)

    def content(self, digest: str) -> bytes | None:
        """A content in base64, if it is here."""
        with self._guard:
            self.refresh()
            found = self._content(digest)
            if found is None and self._contents.locate(digest) is not None:
                self.read_again()  # its line was taken back and another written there
                found = self._content(digest)
            return found

    def _content(self, digest: str) -> bytes | None:
        offset, length = self._contents.locate(digest) or (0, 0)
        token = self._disk.pread(self._fd, length, offset)
        return token[DIGEST + 1 :] if token[:DIGEST] == digest.encode() else None

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
        place = self._numbers.get(operation_id)
        return None if place is None else self._lines[place]

    def body(self, line: Line) -> bytes:
        """The body of an operation's record; LookupError when it was pruned since."""
        return body_of(self._raw(line))

    def raw_newest_first(self, end: int) -> Iterator[tuple[Line, bytes]]:
        """Yield the lines before number *end* as bytes, reading many of them at once.

        Ends where the rest was pruned since.
        """
        lines = self.lines
        window, start = b"", 0
        for number in range(end - 1, -1, -1):
            line = lines[number]
            with self._guard:
                if line.file != self._identity:
                    try:
                        raw = self._raw(line)
                    except LookupError:
                        return
                else:
                    if not start <= line.offset < start + len(window):
                        stop = line.offset + line.length
                        start = max(0, stop - max(_WINDOW, line.length))
                        window = self._disk.pread(self._fd, stop - start, start)
                    raw = window[line.offset - start : line.offset - start + line.length]
            yield line, raw

    def _raw(self, line: Line) -> bytes:
        with self._guard:
            if line.file != self._identity:
                self.refresh()
                line = self._lines[self._numbers[line.head.id]]
            return self._disk.pread(self._fd, line.length, line.offset)

    def _take_in(self, data: bytes) -> None:
        offset = self._read_to
        start = 0
        view = memoryview(data)
        while (end := data.find(b"\n", start)) >= 0:
            checksum = data[start : start + 8]
            if checksum == b"%08x" % crc32(view[start + 9 : end]) and end > start + 9:
                self._take_line(data, start, end, offset)
            else:
                self.unreadable += end > start
            start = end + 1
        self._read_to = offset + start

    def _take_line(self, data: bytes, start: int, end: int, offset: int) -> None:
        """Take in a line whose checksum fits: data[start:end], in the file *offset* further on."""
        fields = data[start + 9 : min(end, start + _MAX_HEAD)].split(b" ", FIELDS - 1)
        kind, name = fields[0], fields[1].decode()
        if kind in (b"R", b"C"):
            if len(fields) < FIELDS:  # it reverts many operations
                fields = data[start + 9 : end].split(b" ", FIELDS - 1)
            if name not in self._numbers:
                reverts = None if fields[3] == b"-" else fields[3].decode()
                head = Head(name, fields[2].decode(), reverts, float(fields[4]), int(fields[5]))
                self._added += head.added
                self._numbers[name] = len(self._lines)
                line = Line(head, offset + start, end - start + 1, self._identity)
                self._lines.append(line)
        if kind == b"C":
            self._contents.note(data, start + 9 + sum(map(len, fields[:6])) + 6, end, offset)
        elif kind == b"K":
            self._contents.note(data, start + 11, end, offset)
        elif kind == b"V":
            self.revoked.add(name)
        elif kind == b"F":
            self.finished.add(name)

    def _open(self) -> None:
        try:
            self._disk.stat(self._directory, NAME)
        except FileNotFoundError:
            os.close(self._disk.open_own(self._directory, NAME))
            self._disk.sync_dir(self._directory)
        self._fd = self._disk.open_own(self._directory, NAME)
        found = self._disk.fstat(self._fd)
        self._identity = (found.st_dev, found.st_ino)
        self.last_size = found.st_size
        self._own_begin = 0
        self._own_end = 0
        self._read_to = 0
        self._added = 0
        self._own_added = 0
        self._lines = []
        self._numbers = {}
        self._contents = InlineContents()
        self._durable = set()
        self.unreadable = 0
        self.revoked = set()
        self.finished = set()

    def _follow(self) -> None:
        """Look at the size, opening the file again when pruning has put another in its place."""
        try:
            found = self._disk.stat(self._directory, NAME)
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._identity:
            self._reopen()
        else:
            self.last_size = found.st_size

    def _reopen(self) -> None:
        self._disk.close_fd(self._fd)
        self._open()
