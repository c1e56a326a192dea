"""Larger contents by their digest, compressed, each stored once; flat, so one directory sync does.

A content that differs little from another is stored as a delta, see `delta_between`; small ones
are in the journal, see `content_store.py`. A content counts as stored when its bases are stored
too: a power cut may have kept a delta without its base. A delta never replaces a stored content,
so no two contents can depend on each other; a full content may replace one, as it needs no base.
"""

from __future__ import annotations

import errno
import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from redline.adapters.files.disk import Dir, Disk
from redline.core.records import dataclass
from redline.core.spans import common_head, common_tail

_HEAD = struct.Struct("<8s64sQQQ")
# Never how a zlib stream begins, which is what a content stored in full is.
_MAGIC = b"redline1"
LENGTH = _HEAD.size
# With more than this part of a content between the shared ends it is stored in full.
_WORTH = 4


@dataclass(frozen=True, slots=True)
class Delta:
    """The first `head` and the last `tail` bytes are those of `base`, which has `size` bytes."""

    base: str
    size: int
    head: int
    tail: int

    def header(self) -> bytes:
        """Return the bytes that precede the bytes between."""
        return _HEAD.pack(_MAGIC, self.base.encode("ascii"), self.size, self.head, self.tail)

    def between(self, content: bytes) -> bytes:
        """Return the bytes of *content* that the base does not have."""
        return content[self.head : len(content) - self.tail]

    def rebuild(self, base: Iterable[bytes], between: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the content in pieces; ValueError when the base is not what it was."""
        start, rest = 0, iter(between)
        for piece in base:
            end = start + len(piece)
            if start < self.head:
                yield piece[: self.head - start]
            if end >= self.head:
                yield from rest
            if end > self.size - self.tail:
                yield piece[max(self.size - self.tail - start, 0) :]
            start = end
        yield from rest
        if start != self.size:
            raise ValueError(f"the base has {start} bytes, not {self.size}")


def parse_delta(raw: bytes) -> Delta | None:
    """Return what *raw* begins with; None for a content stored in full."""
    if len(raw) < LENGTH or not raw.startswith(_MAGIC):
        return None
    _, base, size, head, tail = _HEAD.unpack_from(raw)
    return Delta(base.decode("ascii"), size, head, tail) if base.isalnum() else None


def delta_between(digest: str, old: bytes, new: bytes, over: Delta | None) -> Delta | None:
    """The delta from *old*, or from the base of *old*, to *new*; None if it would save little.

    *digest* names *old*, and *over* is how it is stored.
    """
    head = common_head(old, 0, new, 0)
    tail = common_tail(old, head, new, head)
    base, size = digest, len(old)
    if over is not None:
        base, size = over.base, over.size
        head, tail = min(head, over.head), min(tail, over.tail)
    if (len(new) - head - tail) * _WORTH > len(new):
        return None
    return Delta(base, size, head, tail)


LEVEL = 1
# A large content is packed and unpacked in pieces of this size.
PIECE = 1 << 18
# A smaller content is always stored in full.
MIN_DELTA = 1 << 16

Given = Mapping[str, bytes | Callable[[], bytes]]


class Blobs:
    """Content-addressed storage in one directory."""

    def __init__(self, disk: Disk, directory: Dir, min_delta: int = MIN_DELTA) -> None:
        self._disk = disk
        self._directory = directory
        self._min_delta = min_delta
        # Blobs whose directory entry is known to be durable; another process's may not be yet.
        self._durable: set[str] = set()

    def store(
        self, contents: Given, transaction: str, bases: Mapping[str, str] | None = None
    ) -> int:
        """Store every content durably, calling those given as a function; the bytes this added.

        *bases* maps a content to the one it was made from, which precedes it in *contents*.
        """
        added = 0
        unsure: list[str] = []
        for number, (digest, content) in enumerate(contents.items()):
            if self.has(digest):
                if digest not in self._durable:
                    unsure.append(digest)
                continue
            data = content if isinstance(content, bytes) else content()
            delta = self._delta((bases or {}).get(digest, ""), contents, data)
            temporary = temporary_name(transaction, number)
            added += self._write(digest, data, delta, temporary)
            if delta is not None and not self.has(digest):  # the stored one lacks its base
                added += self._write(digest, data, None, temporary)
            unsure.append(digest)
        if unsure:
            self._disk.sync_dir(self._directory)
            self._durable.update(unsure)
        return added

    def _delta(self, base: str, contents: Given, data: bytes) -> Delta | None:
        """Return the delta from *base* to *data*, if *base* is stored and a delta is worth it."""
        old = contents.get(base)
        if len(data) < self._min_delta or not isinstance(old, bytes) or not self.has(base):
            return None
        return delta_between(base, old, data, self._stored_delta(base))

    def _stored_delta(self, digest: str) -> Delta | None:
        """Return the delta that a content is stored as; None for one that is stored in full."""
        fd = self._disk.open_read(self._directory, (digest,))
        try:
            return parse_delta(self._disk.pread(fd, LENGTH, 0))
        finally:
            self._disk.close_fd(fd)

    def _chain(self, digest: str) -> Iterator[str]:
        """Yield a content and its bases in turn; FileNotFoundError where one is missing."""
        delta = self._stored_delta(digest)
        yield digest
        if delta is not None:
            yield from self._chain(delta.base)

    def with_bases(self, digests: Iterable[str]) -> set[str]:
        """These contents, and all those that any of them needs."""
        wanted = set(digests)
        for digest in tuple(wanted):
            with suppress(FileNotFoundError):
                wanted.update(self._chain(digest))
        return wanted

    def has(self, digest: str) -> bool:
        """Return whether the content is here, with all that it needs."""
        try:
            return bool(list(self._chain(digest)))
        except FileNotFoundError:
            return False

    def _is_named(self, name: str) -> bool:
        try:
            self._disk.stat(self._directory, name)
        except FileNotFoundError:
            return False
        return True

    def stored_size(self, digest: str) -> int:
        """Return how many bytes a content takes here, 0 when it is not here."""
        try:
            return self._disk.stat(self._directory, digest).st_size
        except FileNotFoundError:
            return 0

    def pieces(self, digest: str) -> Iterator[bytes]:
        """Yield the content in pieces; EIO when it is gone or damaged."""
        try:
            fd = self._disk.open_read(self._directory, (digest,))
        except FileNotFoundError:
            raise OSError(errno.EIO, "a content of the history is gone", digest) from None
        try:
            delta = parse_delta(self._disk.pread(fd, LENGTH, 0))
            if delta is None:
                yield from self._decompress(fd, 0)
            else:
                rebuilt = delta.rebuild(self.pieces(delta.base), self._decompress(fd, LENGTH))
                yield from _verify(digest, rebuilt)
        except (zlib.error, ValueError):
            raise OSError(errno.EIO, "a content of the history is damaged", digest) from None
        finally:
            self._disk.close_fd(fd)

    def _decompress(self, fd: int, offset: int) -> Iterator[bytes]:
        unpacker = zlib.decompressobj()
        while not unpacker.eof:
            packed = unpacker.unconsumed_tail
            if not packed:
                packed = self._disk.pread(fd, PIECE, offset)
                offset += len(packed)
            if not packed:
                raise zlib.error("cut short")
            yield unpacker.decompress(packed, PIECE)

    def keep_only(self, wanted: set[str]) -> None:
        """Drop every other content; the caller keeps others from storing at the same time."""
        for name in self._disk.names(self._directory):
            if name not in wanted:
                self._disk.unlink(self._directory, name)
        self._durable &= wanted

    def remove_half_written(self, transactions: Iterable[str], count: int) -> None:
        """Durably remove the half-written blobs of *transactions*, at most *count* of each."""
        for transaction in transactions:
            for number in range(count):
                name = temporary_name(transaction, number)
                if self._is_named(name):
                    self._disk.unlink(self._directory, name)
        # Also when none was found: the rename of one may not be durable yet.
        self._disk.sync_dir(self._directory)

    def close(self) -> None:
        """Close the directory."""
        self._disk.close_dir(self._directory)

    def _write(self, digest: str, content: bytes, delta: Delta | None, temporary: str) -> int:
        size = 0
        fd = self._disk.create(self._directory, temporary)
        try:
            for packed in _compress(content, delta):
                self._disk.append(fd, packed)
                size += len(packed)
            self._disk.sync_data(fd)
        finally:
            self._disk.close_fd(fd)
        if delta is None:
            self._disk.rename(self._directory, temporary, self._directory, digest)
            return size
        try:
            self._disk.rename_new(self._directory, temporary, self._directory, digest)
        except FileExistsError:
            self._disk.unlink(self._directory, temporary)
            return 0
        return size


def _verify(digest: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the *pieces*; ValueError at their end when they are not what *digest* names.

    zlib guards what one file holds, but not that two files still belong together.
    """
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
        yield piece
    if found.hexdigest() != digest:
        raise ValueError("put together, it is another content")


def _compress(content: bytes, delta: Delta | None) -> Iterator[bytes]:
    """Yield what is stored of a content, compressed, in pieces, a small one in one."""
    front = b""
    if delta is not None:
        front, content = delta.header(), delta.between(content)
    if len(content) <= PIECE:
        yield front + zlib.compress(content, LEVEL)
        return
    if front:
        yield front
    packer = zlib.compressobj(LEVEL)
    for start in range(0, len(content), PIECE):
        if packed := packer.compress(content[start : start + PIECE]):
            yield packed
    yield packer.flush()


def temporary_name(transaction: str, number: int) -> str:
    """Return the name a blob is written under before it gets its digest as name."""
    return f"new-{transaction}-{number}"
