"""Rising numbers packed into bytes, as the index stores lines and ids."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate
from operator import sub

# The bytes that a number goes on behind.
_CONTINUED = bytes(range(0x80, 0x100))


def pack(numbers: Iterable[int]) -> bytes:
    """Return rising numbers as bytes: the gaps, seven bits at a time."""
    rising = tuple(numbers)
    if len(rising) == 1:  # as most are
        return _encode(rising[0])
    try:
        gaps = bytes(map(sub, rising[1:], rising))
    except ValueError:  # more than a byte
        gaps = b"\x80"
    if gaps.isascii() and rising:  # as most of the others are: every further gap fits a byte
        return _encode(rising[0]) + gaps
    return b"".join(map(_encode, map(sub, rising, (0, *rising))))


@lru_cache(1 << 12)
def _encode(gap: int) -> bytes:
    out = bytearray()
    while gap > 0x7F:
        out.append(gap & 0x7F | 0x80)
        gap >>= 7
    out.append(gap)
    return bytes(out)


def unpack(blob: bytes) -> tuple[int, ...]:
    """Return the numbers that `pack` packed."""
    if blob.isascii():  # as most are: every step fits a byte
        return tuple(accumulate(blob))
    numbers: list[int] = []
    total = gap = shift = 0
    for byte in blob:
        gap |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            total += gap
            numbers.append(total)
            gap = shift = 0
    return tuple(numbers)


def count_packed(blob: bytes) -> int:
    """Return how many numbers `pack` packed."""
    return len(blob) if blob.isascii() else len(blob.translate(None, _CONTINUED))
