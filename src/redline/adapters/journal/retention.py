"""How much history stays: the newest operations within an age and a size."""

from __future__ import annotations

import time

from redline.adapters.journal.blobs import Blobs
from redline.adapters.journal.format import records
from redline.adapters.journal.format.lines import Line
from redline.adapters.journal.log import Journal


def may_exceed(journal: Journal, *, days: float, size: int) -> bool:
    """False when no operation exceeds either limit; much cheaper than finding out which do."""
    total, oldest = journal.weight()
    return total > size or oldest < time.time() - days * 86400


def what_stays(
    journal: Journal, blobs: Blobs, *, days: float, size: int
) -> tuple[list[Line], set[str]]:
    """The newest operations within both limits, and every content they need."""
    oldest = time.time() - days * 86400
    keep: list[Line] = []
    wanted: set[str] = set()
    # Contents that are in an older line, which must be kept when that line is pruned.
    carried: dict[str, tuple[int, int]] = {}
    used = 0
    for line in reversed(journal.lines):
        new = blobs.with_bases(records.digests_in(journal.body(line))) - wanted
        used += line.length + sum(blobs.stored_size(digest) for digest in new)
        found = {digest: journal.location(digest) for digest in new} | carried
        carried = {d: where for d, where in found.items() if where and where[0] < line.offset}
        inherited = sum(length for _, length in carried.values())
        if keep and (line.head.time < oldest or used + inherited > size):
            break  # the newest always stays
        keep.append(line)
        wanted |= new
    return keep[::-1], wanted
