"""How much history stays: the newest operations within an age and a size."""

from __future__ import annotations

import time

from redline.adapters.journal.blobs import Blobs
from redline.adapters.journal.format import records
from redline.adapters.journal.format.lines import Line
from redline.adapters.journal.log import Journal


def may_be_over(journal: Journal, *, days: float, size: int) -> bool:
    """False when no operation is over either limit; much cheaper than finding out which are."""
    total, oldest = journal.weight()
    return total > size or oldest < time.time() - days * 86400


def what_stays(
    journal: Journal, blobs: Blobs, *, days: float, size: int
) -> tuple[list[Line], set[str]]:
    """The newest operations within both limits, and every content they need."""
    oldest = time.time() - days * 86400
    keep: list[Line] = []
    wanted: set[str] = set()
    # Contents that stand in an older line, which has to leave them behind if it goes.
    carried: dict[str, tuple[int, int]] = {}
    used = 0
    for line in reversed(journal.lines):
        new = blobs.with_bases(records.digests_in(journal.body(line))) - wanted
        used += line.length + sum(blobs.stored_size(digest) for digest in new)
        places = {digest: journal.place(digest) for digest in new} | carried
        carried = {d: place for d, place in places.items() if place and place[0] < line.offset}
        inherited = sum(length for _, length in carried.values())
        if keep and (line.head.time < oldest or used + inherited > size):
            break  # the newest always stays
        keep.append(line)
        wanted |= new
    return keep[::-1], wanted
