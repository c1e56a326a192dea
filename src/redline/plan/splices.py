"""Placements in a text as splices of the file's bytes: a large file need not be encoded again."""

from __future__ import annotations

from collections.abc import Iterable

from redline.core.splice import Splice, apply_splices
from redline.core.textfile import TextFile, encode, encoded_length, text_start
from redline.plan.match.engine import in_order
from redline.plan.match.placement import Placement


def splices_of(file: TextFile, text: str, placements: Iterable[Placement]) -> list[Splice]:
    """Return what placements in *text*, the text of *file*, do to its bytes; OverlappingEdits."""
    splices: list[Splice] = []
    position, offset = 0, text_start(file.raw)
    for placement in in_order(placements):
        start = offset + encoded_length(text, position, placement.start)
        offset = start + encoded_length(text, placement.start, placement.end)
        position = placement.end
        data = encode(placement.replacement)
        # What is put at one place stays in the order it was asked for.
        if splices and start == offset == splices[-1].start == splices[-1].end:
            data = splices.pop().data + data
        splices.append(Splice(start, offset, data))
    return splices


def apply_all_splices(file: TextFile, splices: list[Splice]) -> bytes | None:
    """Return the bytes with all splices made; None where two encodings could meet in the file."""
    if file.is_foreign:
        return None
    if not all(splice.data.isascii() for splice in splices) and not file.takes_utf8:
        return None
    return apply_splices(file.raw, splices)
