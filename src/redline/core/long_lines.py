"""Long lines, as those of a minified file: only what changed of one is shown, and what is near."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from redline.core.late_regex import late_regex
from redline.core.line_diff import diff_lines
from redline.core.spans import common_head, common_tail

# A longer line is not shown as a whole.
LONG = 1_000
# How much is shown before and after what changed, of what changed in one place, and of how many.
_AROUND, _MOST, _PLACES = 80, 400, 6
# Longer lines are not compared word by word.
_MAX_CHARS = 1 << 18
# Lines of which more changed have nothing to compare.
_MAX_CHANGED = 0.6
_TOKENS = late_regex(r"\w+|\s+|.", re.DOTALL)
# Both versions of a line are drawn, one soon after the other.
_MAX_REMEMBERED = 64
_PIECE = 1 << 16

Spans = list[tuple[int, int]]


def changed_spans(old: str, new: str) -> tuple[Spans, Spans]:
    """Return which columns of two versions of a line differ, by whole words."""
    if max(len(old), len(new)) > _MAX_CHARS:
        head = common_head(old, 0, new, 0)
        tail = common_tail(old, head, new, head)
        return [(head, len(old) - tail)], [(head, len(new) - tail)]
    return _changed_words(old, new)


@lru_cache(_MAX_REMEMBERED)
def _changed_words(old: str, new: str) -> tuple[Spans, Spans]:
    left, right = _TOKENS.findall(old), _TOKENS.findall(new)
    before, after = (list(accumulate(map(len, side), initial=0)) for side in (left, right))
    removed: Spans = []
    added: Spans = []
    for i1, i2, j1, j2 in diff_lines(left, right):
        removed.append((before[i1], before[i2]))
        added.append((after[j1], after[j2]))
    return removed, added


def changed_words(old: str, new: str) -> tuple[Spans, Spans]:
    """Return the changed columns of two versions of a line; none if they have little in common."""
    spans = changed_spans(old, new)
    for line, changed in zip((old, new), spans, strict=True):
        size = sum(end - start for start, end in changed)
        if len(line) <= LONG and size > _MAX_CHANGED * len(line):
            return [], []
    return spans


def shown_spans(line: str, changed: Spans) -> Spans:
    """Return which parts of a line are shown: all of it, or what is around the *changed* ones."""
    if len(line) <= LONG:
        return [(0, len(line))]
    found: Spans = []
    for start, end in changed[:_PLACES] or [(0, 0)]:
        first, last = max(0, start - _AROUND), min(len(line), min(end, start + _MOST) + _AROUND)
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def left_out(count: int) -> str:
    """Return the mark for *count* characters that are not shown; empty for none."""
    return f"[... {count:,} characters ...]" if count else ""


class RawLine(NamedTuple):
    """A line [start, end) of a file's bytes, without its line break."""

    text: bytes
    start: int
    end: int

    @property
    def is_huge(self) -> bool:
        """Whether only what is shown of it is to be decoded."""
        return self.end - self.start > _MAX_CHARS

    def decode(self) -> str:
        """Return all of it."""
        return _decode(self.text[self.start : self.end])


def fold_raw_line(line: RawLine, mate: RawLine | None, *, is_old: bool) -> str:
    """Do what `fold_line` does; of a huge line no copy is made."""
    text, start, end = line
    if not line.is_huge:
        whole = line.decode()
        if len(whole) <= LONG or mate is None or not mate.is_huge:
            return fold_line(whole, None if mate is None else mate.decode(), is_old=is_old)
    first = last = start
    if mate is not None:
        most = min(end - start, mate.end - mate.start)
        head = min(common_head(text, start, mate.text, mate.start), most)
        first = max(start, char_start(text, start + head))
        there = mate.start + first - start
        tail = common_tail(text, first, mate.text, there, (end, mate.end))
        last = _char_end(text, end - tail, end)
    near = max(start, char_start(text, max(start, first - 4 * _AROUND)))
    before = _decode(text[near:first])[-_AROUND:]
    # A character takes up to four bytes.
    changed = _decode(text[first : char_start(text, min(last, first + 4 * _MOST))])[:_MOST]
    size = len(changed) + _AROUND
    behind = _decode(text[first : char_start(text, min(end, first + 4 * size))])[:size]
    left = left_out(_count_chars(text, start, first) - len(before))
    return left + before + behind + left_out(_count_chars(text, first, end) - len(behind))


def char_start(text: bytes, at: int) -> int:
    """Return *at*, or where the character begins that it is within."""
    inside = (i for i in range(at, max(at - 4, -1), -1) if i == len(text) or text[i] & 0xC0 != 0x80)
    return next(inside, at)


def _char_end(text: bytes, at: int, end: int) -> int:
    """Return *at*, or where the character ends that it is within."""
    inside = (i for i in range(at, min(at + 4, end + 1)) if i == end or text[i] & 0xC0 != 0x80)
    return next(inside, at)


def _count_chars(text: bytes, start: int, end: int) -> int:
    count = 0
    while start < end:
        stop = end if end - start <= _PIECE else char_start(text, start + _PIECE)
        count += len(_decode(text[start:stop]))
        start = stop
    return count


def _decode(piece: bytes) -> str:
    return piece.decode("utf-8", "surrogateescape")


def fold_line(line: str, mate: str | None, *, is_old: bool) -> str:
    """Return a line with what is far from a difference left out; *mate* is its other version."""
    if len(line) <= LONG:
        return line
    changed: Spans = []
    if mate is not None:
        pair = (line, mate) if is_old else (mate, line)
        changed = changed_spans(*pair)[0 if is_old else 1]
    parts: list[str] = []
    at = 0
    for start, end in shown_spans(line, changed):
        parts += [left_out(start - at), line[start:end]]
        at = end
    return "".join([*parts, left_out(len(line) - at)])
