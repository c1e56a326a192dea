"""What a match amounts to: how much it overlooked, and which characters become what."""

from __future__ import annotations

from enum import Enum

from redline.core.records import dataclass


class MatchLevel(Enum):
    """How much a match had to overlook."""

    LITERAL = "literal"
    TRAILING = "trailing whitespace"
    INDENT = "indentation"
    TYPOGRAPHY = "typographic characters"
    TYPOGRAPHY_INDENT = "typographic characters and indentation"
    BLANK_LINES = "the number of blank lines"
    ELIDED = "lines left out"


@dataclass(frozen=True, slots=True)
class Placement:
    """Replace characters [start, end) by `replacement`; `line` is where that begins, from 1."""

    start: int
    end: int
    replacement: str
    level: MatchLevel
    line: int
    note: str = ""
