"""A text with some differences removed, and the way back to its own offsets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

# More hits than this are never looked at: the answer is "ambiguous" long before.
MAX_HITS = 1000


class TextView:
    """*raw* line by line through *keep*, which may only cut a line's tail or swap characters."""

    def __init__(self, raw: str, keep: Callable[[str], str]) -> None:
        lines = raw.split("\n")
        last = len(lines) - 1
        bodies = [keep(x[:-1] if i < last and x.endswith("\r") else x) for i, x in enumerate(lines)]
        self.text = "\n".join(bodies)
        self._seen = [0, *accumulate(len(body) + 1 for body in bodies[:-1])]
        self._raw = [0, *accumulate(len(line) + 1 for line in lines[:-1])]

    def raw_offset(self, offset: int) -> int:
        """Return where *offset* of this view lies in the raw text."""
        line = bisect_right(self._seen, offset) - 1
        return self._raw[line] + offset - self._seen[line]


def occurrences(text: str, wanted: str, limit: int = MAX_HITS) -> list[int]:
    """Return every offset of *wanted*, overlapping ones too."""
    hits: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(hits) < limit:
        hits.append(at)
        at = text.find(wanted, at + 1)
    return hits


def line_number(text: str, offset: int) -> int:
    """Return the 1-based line that *offset* lies in."""
    return text.count("\n", 0, offset) + 1


def end_at(text: str, offset: int) -> str:
    """Return the line end that begins at *offset* of *text*, or nothing."""
    if text.startswith("\r\n", offset):
        return "\r\n"
    return "\n" if text.startswith("\n", offset) else ""


def is_whole_lines(text: str, start: int, end: int) -> bool:
    """Whether characters [start, end) are whole lines; their last line end may be left out."""
    begins = start == 0 or text[start - 1] == "\n"
    return begins and (end == len(text) or text[end - 1] == "\n" or bool(end_at(text, end)))


def starts_mid_word(text: str, start: int) -> bool:
    """Return whether a cut at *start* goes through a word."""
    return 0 < start < len(text) and _word(text[start - 1]) and _word(text[start])


def _word(char: str) -> bool:
    return char.isalnum() or char == "_"
