"""The unit of a lossless edit: replace some bytes, keep every other."""

from __future__ import annotations

from collections.abc import Iterable

from redline.core.budget import check_size
from redline.core.errors import OverlappingEdits
from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace bytes [start, end) by `data`."""

    start: int
    end: int
    data: bytes

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"bad splice range: [{self.start}, {self.end})")

    def __lt__(self, other: Splice) -> bool:
        return (self.start, self.end, self.data) < (other.start, other.end, other.data)


def apply_splices(source: bytes, splices: Iterable[Splice]) -> bytes:
    """*source* with every splice applied; offsets refer to *source*; overlaps are refused."""
    # Views: what is kept of a large file is copied once, not twice.
    kept = memoryview(source)
    pieces: list[bytes | memoryview] = []
    position = 0
    for splice in sorted(splices):
        if splice.start < position:
            raise OverlappingEdits(f"Edits overlap at byte {splice.start}")
        if splice.end > len(source):
            raise ValueError(f"splice ends at {splice.end}, source has {len(source)} bytes")
        pieces.append(kept[position : splice.start])
        pieces.append(splice.data)
        position = splice.end
    pieces.append(kept[position:])
    check_size(sum(map(len, pieces)))
    return b"".join(pieces)
