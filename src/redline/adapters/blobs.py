"""Larger contents by their digest, compressed, each stored once; flat, so one directory sync does.

Small ones stand in the journal, see `contents.py`.
"""

from __future__ import annotations

import errno
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from redline.adapters.disk import Disk
from redline.adapters.disk_reading import Dir

LEVEL = 1
# A large content is packed and unpacked in pieces of this size.
PIECE = 1 << 18


class Blobs:
    """Content-addressed storage in one directory."""

    def __init__(self, disk: Disk, directory: Dir) -> None:
        self._disk = disk
        self._directory = directory
        # Blobs whose directory entry is known to last; another process's may not yet.
        self._lasting: set[str] = set()

    def put(self, contents: Mapping[str, bytes | Callable[[], bytes]], transaction: str) -> int:
        """Make every content last, reading those given as a function; how many bytes this added."""
        added = 0
        unsure: list[str] = []
        for number, (digest, content) in enumerate(contents.items()):
            if self.has(digest):
                if digest not in self._lasting:
                    unsure.append(digest)
                continue
            data = content if isinstance(content, bytes) else content()
            added += self._write(digest, data, temporary_name(transaction, number))
            unsure.append(digest)
        if unsure:
            self._disk.sync_dir(self._directory)
            self._lasting.update(unsure)
        return added

    def has(self, digest: str) -> bool:
        """Whether the content is here."""
        try:
            self._disk.stat(self._directory, digest)
        except FileNotFoundError:
            return False
        return True

    def stored_size(self, digest: str) -> int:
        """How many bytes a content takes here, 0 when it is not here."""
        try:
            return self._disk.stat(self._directory, digest).st_size
        except FileNotFoundError:
            return 0

    def pieces(self, digest: str) -> Iterator[bytes]:
        """The content in pieces; EIO when it is gone or damaged."""
        try:
            fd = self._disk.open_read(self._directory, (digest,))
        except FileNotFoundError:
            raise OSError(errno.EIO, "a content of the history is gone", digest) from None
        try:
            yield from self._unpacked(fd)
        except zlib.error:
            raise OSError(errno.EIO, "a content of the history is damaged", digest) from None
        finally:
            self._disk.close_fd(fd)

    def _unpacked(self, fd: int) -> Iterator[bytes]:
        unpacker, offset = zlib.decompressobj(), 0
        while not unpacker.eof:
            packed = unpacker.unconsumed_tail
            if not packed:
                packed = self._disk.pread(fd, PIECE, offset)
                offset += len(packed)
            if not packed:
                raise zlib.error("cut short")
            yield unpacker.decompress(packed, PIECE)

    def keep_only(self, wanted: set[str]) -> None:
        """Drop every other content; nobody may be putting meanwhile."""
        for name in self._disk.names(self._directory):
            if name not in wanted:
                self._disk.unlink(self._directory, name)
        self._lasting &= wanted

    def forget(self, transactions: Iterable[str], count: int) -> None:
        """Remove the half-written files of transactions that died, for good."""
        for transaction in transactions:
            for number in range(count):
                name = temporary_name(transaction, number)
                if self.has(name):
                    self._disk.unlink(self._directory, name)
        # Also when none was found: that one got its name may not last yet.
        self._disk.sync_dir(self._directory)

    def close(self) -> None:
        """Give the directory back."""
        self._disk.close_dir(self._directory)

    def _write(self, digest: str, content: bytes, temporary: str) -> int:
        size = 0
        fd = self._disk.create(self._directory, temporary)
        try:
            for packed in _packed(content):
                self._disk.append(fd, packed)
                size += len(packed)
            self._disk.sync_data(fd)
        finally:
            self._disk.close_fd(fd)
        self._disk.rename(self._directory, temporary, self._directory, digest)
        return size


def _packed(content: bytes) -> Iterator[bytes]:
    """The compressed content in pieces, a small one in one."""
    if len(content) <= PIECE:
        yield zlib.compress(content, LEVEL)
        return
    packer = zlib.compressobj(LEVEL)
    for start in range(0, len(content), PIECE):
        if packed := packer.compress(content[start : start + PIECE]):
            yield packed
    yield packer.flush()


def temporary_name(transaction: str, number: int) -> str:
    """The name a blob is written under before it gets its digest as name."""
    return f"new-{transaction}-{number}"
