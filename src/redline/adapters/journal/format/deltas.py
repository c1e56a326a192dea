"""A content as what it shares with the beginning and the end of another, and the bytes between.

Most changes of a large file leave most of it alone. A delta always names a content that is stored
in full, so rebuilding one never leads further than that.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from redline.core.changes import Change, FileState, Rename
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
        """The bytes that precede the bytes between."""
        return _HEAD.pack(_MAGIC, self.base.encode("ascii"), self.size, self.head, self.tail)

    def between(self, content: bytes) -> bytes:
        """The bytes of *content* that the base does not have."""
        return content[self.head : len(content) - self.tail]

    def rebuild(self, base: Iterable[bytes], between: Iterable[bytes]) -> Iterator[bytes]:
        """The content in pieces; ValueError when the base is not what it was."""
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


def bases_of(steps: Iterable[Change | Rename]) -> dict[str, str]:
    """Which content each changed file's new content was made of, by digest."""
    return {
        step.after.digest: step.before.digest
        for step in steps
        if isinstance(step, Change)
        and isinstance(step.before, FileState)
        and isinstance(step.after, FileState)
        and step.before.digest != step.after.digest
    }


def parse_delta(raw: bytes) -> Delta | None:
    """What *raw* begins with; None for a content stored in full."""
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
