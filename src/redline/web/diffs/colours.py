"""Syntax colours for the lines of a diff that are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from redline.code.syntax.languages import language_of
from redline.core.errors import RedlineError
from redline.services.runtime import Runtime
from redline.web.diffs.model import FileDiff
from redline.web.diffs.table import ColouredSides, Colours

# Larger texts are shown without colours: parsing them would be felt.
MAX_COLOURED = 120_000
Ranges = Sequence[tuple[int, int]]


def colour_diff(runtime: Runtime, file: FileDiff) -> ColouredSides:
    """Return the colours of every hunk of a file; none where its language is not known."""
    path = file.touched.path
    return ColouredSides(
        colour_text(runtime, path, file.old_lines, [(h.lines.i1, h.lines.i2) for h in file.hunks]),
        colour_text(runtime, path, file.new_lines, [(h.lines.j1, h.lines.j2) for h in file.hunks]),
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
