"""Syntax colours for the lines of a diff that are drawn."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from redline.code.syntax.languages import language_of
from redline.core.errors import RedlineError
from redline.review.page.diffs.model import FileDiff
from redline.review.page.diffs.table import ColouredSides, Colours
from redline.services.runtime import Runtime

# Larger texts are shown without colours: parsing them would be felt.
MAX_COLOURED = 64_000
Ranges = Sequence[tuple[int, int]]


def colour_diff(
    runtime: Runtime, file: FileDiff, start: int = 0, count: int = sys.maxsize
) -> ColouredSides:
    """Return the colours of *count* rows of a file from row *start*, where they are known.

    Rows are counted as in the unified table; side by side there are fewer.
    """
    old: list[tuple[int, int]] = []
    new: list[tuple[int, int]] = []
    row = 0
    for hunk in file.hunks:
        size = hunk.lines.i2 - hunk.lines.i1 + sum(part.j2 - part.j1 for part in hunk.parts)
        low, high = max(0, start - row), min(size, start + count - row)
        row += size + 1
        if low >= high:
            continue
        # A row has at most one line of each version, so none is further down than the row.
        i1, i2, j1, j2 = hunk.lines
        old.append((i1, min(i2, i1 + high)))
        new.append((j1, min(j2, j1 + high)))
    path = file.touched.path
    return ColouredSides(
        colour_text(runtime, path, file.old_lines, old),
        colour_text(runtime, path, file.new_lines, new),
    )


def colour_text(runtime: Runtime, path: str, lines: Sequence[str], ranges: Ranges) -> Colours:
    """Return the colours of the lines in *ranges*, by line from 1."""
    language = language_of(path)
    shown = [(start, end) for start, end in ranges if end > start]
    if language is None or not shown or sum(map(len, lines)) > MAX_COLOURED:
        return {}
    found: dict[int, list[tuple[int, int, str]]] = {}
    try:
        spans = runtime.analysis.colours("".join(lines), language, shown)
    except RedlineError:  # a parser that failed costs only the colours
        return {}
    for line, start, end, kind in spans:
        found.setdefault(line + 1, []).append((start, end, kind))
    return found
