"""Which words of a changed line changed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, takewhile

_TOKENS = re.compile(r"\w+|\s+|.", re.DOTALL)
# Longer lines are not compared word by word.
_MAX_CHARS = 600
# Lines that share less than this have nothing to compare.
_MIN_RATIO = 0.4
# Both versions of a line are drawn, one soon after the other.
_MAX_REMEMBERED = 256

Spans = list[tuple[int, int]]


@lru_cache(_MAX_REMEMBERED)
def changed_words(old: str, new: str) -> tuple[Spans, Spans]:
    """Return the changed columns of two versions of a line; none if they have little in common."""
    if max(len(old), len(new)) > _MAX_CHARS:
        return [], []
    left, right = _TOKENS.findall(old), _TOKENS.findall(new)
    head = sum(1 for _ in takewhile(_is_pair, zip(left, right, strict=False)))
    ends = zip(reversed(left[head:]), reversed(right[head:]), strict=False)
    tail = sum(1 for _ in takewhile(_is_pair, ends))
    matcher = SequenceMatcher(
        None, left[head : len(left) - tail], right[head : len(right) - tail], autojunk=False
    )
    equal = head + tail + sum(block.size for block in matcher.get_matching_blocks())
    if 2 * equal < _MIN_RATIO * (len(left) + len(right)):
        return [], []
    before, after = (list(accumulate(map(len, side), initial=0)) for side in (left, right))
    removed: Spans = []
    added: Spans = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        if i2 > i1:
            _add(removed, before[head + i1], before[head + i2])
        if j2 > j1:
            _add(added, after[head + j1], after[head + j2])
    return removed, added


def _is_pair(tokens: tuple[str, str]) -> bool:
    return tokens[0] == tokens[1]


def _add(spans: Spans, start: int, end: int) -> None:
    if spans and spans[-1][1] == start:
        spans[-1] = (spans[-1][0], end)
    else:
        spans.append((start, end))
