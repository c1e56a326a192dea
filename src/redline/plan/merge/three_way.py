"""Carry a change over to a text that was changed since: the three-way merge of lines.

Two changes that share a line, or touch without a common line between them, conflict, unless both
made the same of it. Where lines repeat, it may be unclear which of them a change meant. So each
merge is made twice, reading the texts from their beginning and from their end. If both give a
result, it has to be the same one. If only the reading from the beginning gives one, it counts, as
it does in git, unless the sides have a change in common: which lines they share is unclear then.
A change that both sides made has to be at the same lines in both readings, with a line between it
and the next change that is nowhere else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from redline.core.line_diff import LineHunk, Lines, diff_lines
from redline.plan.merge.line_history import Version, follow_lines


class LineConflict(NamedTuple):
    """Lines [start, end) of the base that both sides changed; `now_line` counts from 1.

    `makers` names who changed them since, as `Version.maker` does.
    """

    start: int
    end: int
    now_line: int
    now: tuple[bytes, ...]
    wanted: tuple[bytes, ...]
    makers: tuple[str, ...] = ()


class ChangedSpan(NamedTuple):
    """Lines [low, high) of the base; `is_shared` if both sides changed them, and alike."""

    low: int
    high: int
    is_shared: bool


class Merged(NamedTuple):
    """The merged lines, which mean nothing if there are conflicts.

    `spans` are the lines of the base that were changed, in order.
    """

    lines: list[bytes]
    conflicts: tuple[LineConflict, ...]
    spans: tuple[ChangedSpan, ...] = ()


class _Edit(NamedTuple):
    """Base lines that one side, or both in the same way, replaced."""

    low: int
    high: int
    side: int


_WANTED, _NOW, _BOTH = 0, 1, 2


def merge_lines(base: Lines, wanted: Lines, since: Sequence[Version]) -> Merged:
    """Make the change from *base* to *wanted* in the last of the versions *since*.

    *since* is what became of *base*, oldest first; at least one version.
    """
    merged = _merge(base, wanted, since)
    if merged.conflicts:
        return merged
    again = _merge(base[::-1], wanted[::-1], [v._replace(lines=v.lines[::-1]) for v in since])
    if again.conflicts:
        is_clear = not any(span.is_shared for span in merged.spans)
    else:
        is_same = again.lines[::-1] == merged.lines
        is_clear = is_same and _are_pinned(base, (wanted, since[-1].lines), (merged, again))
    if is_clear:
        return merged
    # Reading direction matters: everything the change touched is in doubt.
    hunks = diff_lines(base, wanted)
    low, high = min(h.i1 for h in hunks), max(h.i2 for h in hunks)
    now = since[-1].lines
    conflict = LineConflict(low, high, low + 1, tuple(now[low:high]), tuple(wanted[low:high]))
    return Merged([], (conflict,))


def _are_pinned(base: Lines, sides: tuple[Lines, Lines], readings: tuple[Merged, Merged]) -> bool:
    """Return whether it is certain which lines of *base* both sides changed alike."""
    spans, others = readings[0].spans, readings[1].spans
    shared = {(span.low, span.high) for span in spans if span.is_shared}
    if not shared:
        return True
    size = len(base)
    if shared != {(size - span.high, size - span.low) for span in others if span.is_shared}:
        return False
    counts = [Counter(lines) for lines in (base, *sides)]
    for before, after in pairwise(spans):
        between = base[before.high : after.low]
        is_pinned = any(all(count[line] == 1 for count in counts) for line in between)
        if (before.is_shared or after.is_shared) and not is_pinned:
            return False
    return True


def _merge(base: Lines, wanted: Lines, since: Sequence[Version]) -> Merged:
    followed = follow_lines(base, since)
    now = since[-1].lines
    sides = (wanted, now)
    hunks = (diff_lines(base, wanted), followed.hunks)
    merged: list[bytes] = []
    conflicts: list[LineConflict] = []
    spans: list[ChangedSpan] = []
    position = 0
    for group in _groups(sides, hunks):
        low, high = min(edit.low for edit in group), max(edit.high for edit in group)
        merged += base[position:low]
        position = high
        mine, theirs = (
            _text_of(side, which, low, high) for side, which in zip(sides, hunks, strict=True)
        )
        touched = {edit.side for edit in group}
        spans.append(ChangedSpan(low, high, touched not in ({_WANTED}, {_NOW})))
        if touched == {_WANTED} or mine == theirs:
            merged += mine
        elif _WANTED not in touched:
            merged += theirs
        else:
            line = 1 + low + _growth(hunks[_NOW], low)
            makers = followed.makers_of(low, high)
            conflicts.append(LineConflict(low, high, line, tuple(theirs), tuple(mine), makers))
    merged += base[position:]
    return Merged(merged, tuple(conflicts), tuple(spans))


def _groups(
    sides: tuple[Lines, Lines], hunks: tuple[Sequence[LineHunk], Sequence[LineHunk]]
) -> list[list[_Edit]]:
    """Return the edits of both sides in order; those that touch are together."""
    made = [
        {(hunk.i1, hunk.i2, tuple(text[hunk.j1 : hunk.j2])) for hunk in which}
        for text, which in zip(sides, hunks, strict=True)
    ]
    same = made[_WANTED] & made[_NOW]
    edits = [_Edit(low, high, _BOTH) for low, high, _ in same]
    for side, found in enumerate(made):
        edits += [_Edit(low, high, side) for low, high, _ in found - same]
    groups: list[list[_Edit]] = []
    reach = -1
    for edit in sorted(edits):
        if edit.low <= reach:
            groups[-1].append(edit)
        else:
            groups.append([edit])
        reach = max(reach, edit.high)
    return groups


def _text_of(text: Lines, hunks: Sequence[LineHunk], low: int, high: int) -> list[bytes]:
    """Return what one side made of base lines [low, high), whose borders lie in no hunk."""
    return list(text[low + _growth(hunks, low) : high + _growth(hunks, high + 1)])


def _growth(hunks: Sequence[LineHunk], line: int) -> int:
    """Return how many lines the hunks that begin before base line *line* added."""
    at = bisect_left(hunks, line, key=itemgetter(0))
    return hunks[at - 1].j2 - hunks[at - 1].i2 if at else 0
