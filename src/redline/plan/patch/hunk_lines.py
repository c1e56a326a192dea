"""The lines of one hunk, in an envelope or a unified diff alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from redline.core.errors import PatchError
from redline.core.text_limits import shorten
from redline.plan.patch.model import Hunk

_NO_NEWLINE = "\\ No newline"
_MAX_LINE_CHARS = 80
_NUMBERS = re.compile(r"@@+ *-(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? ?(?:@@+)?(.*)")
_ELLIPSES = ("...", "\u2026")


class Opening(NamedTuple):
    """What an @@ line says: its heading, and the old start and both counts if it has numbers."""

    heading: str
    start: int | None = None
    old_count: int = 0
    new_count: int = 0


def read_opening(line: str) -> Opening:
    """Read the @@ line of a hunk."""
    numbers = _NUMBERS.fullmatch(line.rstrip())
    if numbers is None:
        heading = line[2:].strip().removesuffix("@@").strip()
        return Opening("" if heading in _ELLIPSES else heading)
    start, old, new, heading = numbers.groups()
    return Opening(heading.strip(), int(start), int(old or 1), int(new or 1))


def read_hunk(
    raw: Sequence[str],
    openings: Sequence[Opening],
    at: int,
    first: int,
    *,
    at_end: bool = False,
    is_counted: bool = False,
) -> Hunk | None:
    """Read the lines between two headers; None if there are none.

    *at* is the line of the patch where the hunk opens, *first* the one where *raw* begins. Empty
    lines at the end belong to the hunk only if it *is_counted* or *at_end* of the file.
    """
    rows: list[_Row] = []
    for number, line in enumerate(raw, first):
        if line.startswith(_NO_NEWLINE):
            rows[-1:] = [row._replace(ends_file=True) for row in rows[-1:]]
        else:
            rows.append(_read_row(line, number))
    while rows and not (at_end or is_counted) and rows[-1].text == "" and not rows[-1].ends_file:
        rows.pop()
    if not rows:
        return None
    bare_at = next((row.number for row in rows if row.is_bare), None)
    lines = tuple((row.role, row.body) for row in rows)
    unprefixed = tuple((row.role, row.whole_body) for row in rows)
    ends, final_newline = _file_end(rows)
    opening = openings[-1] if openings else Opening("")
    adds_only = all(row.role == "+" for row in rows)
    return Hunk(
        lines=lines,
        headings=tuple(opening.heading for opening in openings if opening.heading),
        firm=all(opening.start is None for opening in openings),
        at_end=at_end or ends,
        at=at,
        bare_at=bare_at,
        unprefixed=unprefixed if bare_at is not None and unprefixed != lines else None,
        final_newline=final_newline,
        # Numbers that contradict the lines say nothing.
        start=opening.start if (opening.old_count == 0) == adds_only else None,
    )


def quote_line(line: str) -> str:
    """Return *line* short enough for a message."""
    return shorten(line, _MAX_LINE_CHARS)


class _Row(NamedTuple):
    """A line of a hunk; a bare one is context without the blank before it."""

    text: str
    number: int
    role: str
    body: str
    is_bare: bool = False
    ends_file: bool = False

    @property
    def whole_body(self) -> str:
        """The body if context lines came without their blank."""
        return self.body if self.role != " " else self.text


def _read_row(line: str, number: int) -> _Row:
    if line[:1] in (" ", "-", "+"):
        return _Row(line, number, line[0], line[1:])
    if not line.strip():
        return _Row("", number, " ", "")
    return _Row(line, number, " ", line, is_bare=True)


def _file_end(rows: Sequence[_Row]) -> tuple[bool, bool | None]:
    """Whether the hunk ends the file, and whether a newline does afterwards if that changes."""
    old = [row.ends_file for row in rows if row.role != "+"]
    new = [row.ends_file for row in rows if row.role != "-"]
    for side in (old, new):
        if any(side[:-1]):
            raise PatchError(
                "The hunk says that the file ends without a newline, and goes on:"
                f" line {next(row.number for row in rows if row.ends_file)} of the patch",
                hint="put that line only after the last line of the file",
            )
    old_open, new_open = any(old), any(new)
    return old_open or new_open, None if old_open == new_open else not new_open
