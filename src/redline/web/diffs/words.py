"""Which words of a changed line changed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_TOKENS = re.compile(r"\w+|\s+|.", re.DOTALL)
# Longer lines are not compared word by word.
_MAX_CHARS = 600
# Lines that share less than this have nothing to compare.
_MIN_RATIO = 0.4

Spans = list[tuple[int, int]]


def changed_words(old: str, new: str) -> tuple[Spans, Spans]:
    """Return the changed columns of two versions of a line; none if they have little in common."""
    if max(len(old), len(new)) > _MAX_CHARS:
        return [], []
    left, right = _TOKENS.findall(old), _TOKENS.findall(new)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.real_quick_ratio() < _MIN_RATIO or matcher.ratio() < _MIN_RATIO:
        return [], []
    before, after = _offsets(left), _offsets(right)
    removed: Spans = []
    added: Spans = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        if i2 > i1:
            _add(removed, before[i1], before[i2])
        if j2 > j1:
            _add(added, after[j1], after[j2])
    return removed, added


def _offsets(tokens: list[str]) -> list[int]:
    found = [0]
    for token in tokens:
        found.append(found[-1] + len(token))
    return found


def _add(spans: Spans, start: int, end: int) -> None:
    if spans and spans[-1][1] == start:
        spans[-1] = (spans[-1][0], end)
    else:
        spans.append((start, end))
