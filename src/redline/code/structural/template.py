"""Expand the metavariables of a replacement, lines indented as ast-grep does it.

A metavariable of several lines moves with the indentation of the place it is put at, and all of a
replacement with that of the place it replaces. Only spaces count as indentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

# How far back the beginning of a line is looked for.
_MAX_LOOK_BACK = 512
_VARIABLE = re.compile(r"\$(?:\$\$([A-Z_0-9]+)|\$?([A-Z_0-9]+))")


class Extract(NamedTuple):
    """What a metavariable matched: its text, and the indentation of its first line."""

    text: str
    indent: int


Lookup = Callable[[str, bool], Extract | None]
"""Returns what a metavariable matched; the flag says that it is one of several nodes ($$$)."""


def expand(template: str, lookup: Lookup, indent: int) -> str:
    """Return *template* with its metavariables filled in, for a place with *indent*."""
    parts: list[str] = []
    end = 0
    for found in _VARIABLE.finditer(template):
        parts.append(template[end : found.start()])
        end = found.end()
        extract = lookup(found[1] or found[2], found[1] is not None)
        if extract is not None:
            column = indent_at(template, found.start())
            parts.append(shift(extract.text, extract.indent, column))
    parts.append(template[end:])
    return shift("".join(parts), 0, indent)


def indent_at(text: str, offset: int) -> int:
    """Return the number of spaces that begin the line of *offset*; 0 if other text does."""
    behind = text[max(0, offset - _MAX_LOOK_BACK) : offset].encode("utf-8", "replace")
    is_start = offset <= _MAX_LOOK_BACK and len(behind) <= _MAX_LOOK_BACK
    behind = behind[-_MAX_LOOK_BACK:]
    head, newline, line = behind.rpartition(b"\n")
    del head
    if not newline and not is_start:
        return 0
    return len(line) - len(line.lstrip(b" "))


def shift(text: str, old: int, new: int) -> str:
    """Return *text*, which was indented by *old*, for a place indented by *new*.

    The first line stays: what precedes it is already there.
    """
    if old == new or "\n" not in text:
        return text
    if old < new:
        return text.replace("\n", "\n" + " " * (new - old))
    leading = " " * (old - new)
    return "\n".join(line.removeprefix(leading) for line in text.split("\n"))
