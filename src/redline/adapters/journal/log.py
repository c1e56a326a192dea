"""The journal: one file that only grows, a checksummed line per operation.

An operation is committed the moment its line is durable. A line cut off by a crash fails its
checksum and counts for nothing. `R` lines are operations, `V` lines revoke one, `F` lines say that
one was carried out completely although its slot could not be closed. `C` lines are operations that
carry small contents; `K` lines keep contents whose operation was pruned.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.locks import LockFiles
from redline.adapters.journal.line_index import WINDOW, LineIndex, read_backwards
from redline.adapters.journal.records import (
    DIGEST,
    Line,
    body_of,
    format_content,
    format_line,
    tokens_of,
)


class Undecided(Exception):
    """A line may or may not survive a crash; `is_there` says whether the file has it now."""

    def __init__(self, *, is_there: bool) -> None:
        super().__init__()
        self.is_there = is_there


def write_or_take_back(disk: Disk, fd: int, data: bytes, end: int) -> None:
    """Write *data* durably at *end*, the end of a file, or remove what was written of it.

    Raises OSError when nothing was written, Undecided when that cannot be determined.
    """
    try:
        disk.pwrite(fd, data, end)
        disk.sync_data(fd)
    except OSError as error:
        _take_back(disk, fd, data, end, error)
        raise


def _take_back(disk: Disk, fd: int, data: bytes, end: int, error: OSError) -> None:
    whole = disk.pread(fd, len(data), end) == data
    try:
        disk.truncate(fd, end)
    except OSError:
        if whole:
            raise Undecided(is_there=True) from error
        return  # the part that was written fails its checksum
    try:
        disk.sync_data(fd)
    except OSError:
        if whole:
            raise Undecided(is_there=False) from error


NAME = "journal"
_LOCK = "journal.lock"
_NEXT = "journal.next"

CommitFence = Callable[[Disk, Dir], None]
"""Called under the journal's lock before a commit; raises LeaseLost to refuse the commit."""


class Journal:
    """The operations of one workspace, shared by every process that works on it."""

    def __init__(self, disk: Disk, directory: Dir, fence: CommitFence | None = None) -> None:
        self._disk = disk
        self._directory = directory
        self._check_fence: Callable[[], None] = (
            (lambda: None) if fence is None else partial(fence, disk, directory)
        )
        self._guard = threading.RLock()
        self._locks = LockFiles(partial(disk.open_own, directory))
        self._fd = -1
        self._identity = (0, 0)
        # The file's size at the last check, and where this process's latest run of lines lies.
        self.last_size = 0
        self._own_begin = 0
        self._own_end = 0
        # Bytes of blobs that this process's operations added and the index does not count yet.
        self._own_added = 0
        # What was read of the file; a new index once pruning has replaced the file.
        self.index = LineIndex(self._identity, self._read)
        # Contents this process has synced. Another process may still remove its own.
        self._durable: set[str] = set()
        self._open()

    # -- writing ------------------------------------------------------------------------------

    def commit(self, line: bytes, inline: Iterable[str] = (), added: int = 0) -> None:
        """Append and fsync an operation's line with its *inline* contents: the commit point.

        *added* is how many bytes it put into blobs, as the line says too. Raises OSError when the
        line is not in the file and never will be, Undecided when that cannot be determined.
        """
        with self._guard, self._locks.alone(_LOCK):
            self._check_fence()
            self._refresh_size()
            self._append_alone(line)
            self._note_own(inline, added)

    def commit_after(
        self,
        since: str,
        line_before: Callable[[str | None], bytes],
        inline: Iterable[str] = (),
        added: int = 0,
    ) -> None:
        """Commit an operation that happened right after operation *since*, which may be old by now.

        *line_before* formats the line. It gets the operation that was journalled right after
        *since*, which the new one precedes, or None if there is none.
        """
        with self._guard, self._locks.alone(_LOCK):
            self._check_fence()
            self.refresh()
            self._append_alone(line_before(self.index.follower_of(since)))
            self._note_own(inline, added)

    def raise_fence(self) -> None:
        """Refuse later commits by servers with an older lease; LeaseLost if ours is the older."""
        with self._guard, self._locks.alone(_LOCK):
            self._check_fence()

    def _note_own(self, inline: Iterable[str], added: int) -> None:
        self._durable.update(inline)
        self._own_added += added

    def revoke(self, operation_id: str) -> None:
        """Durably revoke an operation."""
        self._append(format_line(b"V " + operation_id.encode()))

    def finish(self, operation_id: str) -> None:
        """Durably record that an operation was carried out."""
        self._append(format_line(b"F " + operation_id.encode()))

    def _append(self, data: bytes) -> None:
        with self._guard, self._locks.alone(_LOCK):
            self._refresh_size()
            self._append_alone(data)

    def _append_alone(self, data: bytes) -> None:
        end = self.last_size
        if end not in (0, self._own_end) and self._disk.pread(self._fd, 1, end - 1) != b"\n":
            data = b"\n" + data
        write_or_take_back(self._disk, self._fd, data, end)
        if end != self._own_end:
            self._own_begin = end
        self._own_end = end + len(data)

    def replace(self, keep: Iterable[Line], wanted: Iterable[str]) -> None:
        """Rewrite the file with only the lines *keep* and the contents *wanted*.

        The caller prevents commits meanwhile.
        """
        with self._guard, self._locks.alone(_LOCK):
            self._check_fence()
            self.refresh()
            kept = self._select(keep, wanted)
            with suppress(FileNotFoundError):  # left half written by a crash
                self._disk.unlink(self._directory, _NEXT)
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

    def close(self) -> None:
        """Close the files."""
        self._locks.close()
        if self._fd >= 0:
            self._disk.close_fd(self._fd)
            self._fd = -1

    # -- reading ------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Index the lines that any process has written since the last read."""
        with self._guard:
            self._refresh_size()
            if self.last_size < self.index.end:  # another process removed a line we have read
                self._reopen()
            size, read_to = self.last_size, self.index.end
            if size > read_to:
                self.index.take_in(self._disk.pread(self._fd, size - read_to, read_to))
                self._own_added = 0

    def position(self) -> tuple[tuple[int, int], int]:
        """Return a version token for polling: the file and its size. Nothing is read."""
        with self._guard:
            self._refresh_size()
            return self._identity, self.last_size

    def read_since(self, position: tuple[tuple[int, int], int], most: int) -> bytes | None:
        """Return the lines after *position*, up to the size last seen.

        None if they are more than *most* bytes, or pruning has replaced the file.
        """
        file, size = position
        with self._guard:
            length = self.last_size - size
            is_here = file == self._identity and 0 <= length <= most
            return self._disk.pread(self._fd, length, size) if is_here else None

    def arrived_since(self, position: tuple[tuple[int, int], int]) -> list[str]:
        """Return the ids of operations that any process added after *position*.

        Empty where pruning has replaced the file.
        """
        with self._guard:
            self.refresh()
            file, size = position
            return self.index.arrived_since(size) if file == self._identity else []

    def read_again(self) -> None:
        """Index the whole file again."""
        with self._guard:
            self._reopen()
            self.refresh()

    def weight(self) -> tuple[int, float]:
        """Return about how many bytes the history takes, and when its oldest operation was made.

        Lines are not read for this where only this process has written since the last read.
        """
        with self._guard:
            self._refresh_size()
            is_ours = self._own_begin <= self.index.end and self._own_end == self.last_size
            if not self.index.ids or not is_ours:
                self.refresh()
            first = self.index.find(self.index.ids[0]) if self.index.ids else None
            oldest = math.inf if first is None else first.head.time
            return self.last_size + self.index.added + self._own_added, oldest

    def durable(self) -> set[str]:
        """Return the contents that are durable here, as long as the caller prevents pruning."""
        with self._guard:
            self._refresh_size()
            return self._durable

    def note_contents(self, line: Line, raw: bytes) -> None:
        """Index the contents of a line that was just read: often they are read next."""
        with self._guard:
            if line.file == self.index.file:
                self.index.contents.look_at(raw, line.offset)

    def content(self, digest: str) -> bytes | None:
        """Return a content in base64; None if the journal does not hold it."""
        with self._guard:
            self.refresh()
            found = self._content(digest)
            if found is None and self.index.contents.locate(digest) is not None:
                self.read_again()  # its line was removed and another written in its place
                found = self._content(digest)
            return found

    def _content(self, digest: str) -> bytes | None:
        offset, length = self.index.contents.locate(digest) or (0, 0)
        token = self._disk.pread(self._fd, length, offset)
        return token[DIGEST + 1 :] if token[:DIGEST] == digest.encode() else None

    def body(self, line: Line) -> bytes:
        """Return the body of an operation's record; LookupError if it was pruned meanwhile."""
        return body_of(self._raw(line))

    def raw_newest_first(
        self, end: int, having: Sequence[bytes] = ()
    ) -> Iterator[tuple[str, bytes]]:
        """See `read_backwards`."""
        index = self.index
        return read_backwards(index, end, having, partial(self._window_before, index))

    def session_starts(self, without: Collection[str]) -> dict[bytes, str]:
        """See `LineIndex.find_session_starts`."""
        index = self.index
        return index.find_session_starts(without, partial(self._window_before, index))

    def _window_before(self, index: LineIndex, name: str) -> tuple[bytes, int]:
        """Return the line of an operation with the bytes before it, and their offset."""
        with self._guard:
            offset, length = index.span(name)
            if index.file != self._identity:  # replaced by pruning
                found = index.find(name)
                assert found is not None
                return self._raw(found), offset
            start = max(0, offset + length - max(WINDOW, length))
            return self._read(offset + length - start, start), start

    def _raw(self, line: Line) -> bytes:
        with self._guard:
            if line.file != self._identity:
                self.refresh()
                found = self.index.find(line.head.id)
                if found is None:
                    raise LookupError(line.head.id)
                line = found
            return self._disk.pread(self._fd, line.length, line.offset)

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
        self._own_begin = self._own_end = 0
        self._own_added = 0
        self.index = LineIndex(self._identity, self._read)
        self._durable = set()

    def _read(self, length: int, offset: int) -> bytes:
        return self._disk.pread(self._fd, length, offset)

    def _refresh_size(self) -> None:
        """Update `last_size`; open the file again when pruning has replaced it."""
        found = None
        with suppress(FileNotFoundError):
            found = self._disk.stat(self._directory, NAME)
        if found is None or (found.st_dev, found.st_ino) != self._identity:
            self._reopen()
        else:
            self.last_size = found.st_size

    def _reopen(self) -> None:
        self._disk.close_fd(self._fd)
        self._open()
