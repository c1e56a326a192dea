"""The difference of two texts as hunks of lines: the shortest edit script, with a limit on work."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# A longer edit script is not searched for: its cost grows with the square of its length.
MAX_SCRIPT = 400

Lines = Sequence[bytes]
_Pairs = list[tuple[int, int]]


class LineHunk(NamedTuple):
    """Lines [i1, i2) of the old text become lines [j1, j2) of the new one."""

    i1: int
    i2: int
    j1: int
    j2: int


def split_lines(content: bytes) -> list[bytes]:
    """Lines with their ends; only LF (and so CRLF) ends one."""
    lines = content.split(b"\n")
    last = lines.pop()
    kept = [line + b"\n" for line in lines]
    if last:
        kept.append(last)
    return kept


def diff_lines(old: Lines, new: Lines) -> list[LineHunk]:
    """Return where *old* and *new* differ; an ambiguous hunk is as far down as it can be."""
    head = _common_head(old, new)
    tail = _common_tail(old, new, head)
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    return _slide_down(old, new, [_shift(hunk, head, head) for hunk in _hunks(left, right)])


def _common_head(old: Lines, new: Lines) -> int:
    """How many lines both begin with; halves are compared as a whole, which is quick."""
    low, high = 0, min(len(old), len(new)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _common_tail(old: Lines, new: Lines, head: int) -> int:
    """How many lines behind the *head* both end with."""
    low, high = 0, min(len(old), len(new)) - head + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _last(old, low, middle) == _last(new, low, middle):
            low = middle
        else:
            high = middle
    return low


def _last(lines: Lines, low: int, high: int) -> Lines:
    return lines[len(lines) - high : len(lines) - low]


def _shift(hunk: LineHunk, old: int, new: int) -> LineHunk:
    return LineHunk(hunk.i1 + old, hunk.i2 + old, hunk.j1 + new, hunk.j2 + new)


def _hunks(old: Lines, new: Lines) -> list[LineHunk]:
    if not old and not new:
        return []
    if not old or not new:
        return [LineHunk(0, len(old), 0, len(new))]
    matches = _shortest_script(old, new)
    if matches is not None:
        return list(_between(matches, len(old), len(new)))
    anchors = _unique_anchors(old, new)
    if not anchors:
        return [LineHunk(0, len(old), 0, len(new))]
    found: list[LineHunk] = []
    for gap in _between(anchors, len(old), len(new)):
        inner = diff_lines(old[gap.i1 : gap.i2], new[gap.j1 : gap.j2])
        found += [_shift(hunk, gap.i1, gap.j1) for hunk in inner]
    return found


def _between(matches: _Pairs, old_size: int, new_size: int) -> Iterator[LineHunk]:
    """What lies between matching lines."""
    i = j = 0
    for x, y in [*matches, (old_size, new_size)]:
        if x > i or y > j:
            yield LineHunk(i, x, j, y)
        i, j = x + 1, y + 1


def _shortest_script(old: Lines, new: Lines) -> _Pairs | None:
    """Return the matching lines of a shortest edit script; None if it is too long."""
    n, m = len(old), len(new)
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for cost in range(min(n + m, MAX_SCRIPT) + 1):
        trace.append(dict(reach))
        for diagonal in range(-cost, cost + 1, 2):
            x = _step(reach, diagonal, cost)
            y = x - diagonal
            while x < n and y < m and old[x] == new[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= n and y >= m:
                return _walk_back(trace, n, m)
    return None


def _step(reach: dict[int, int], diagonal: int, cost: int) -> int:
    """Where a path of this cost enters *diagonal*: down (insert) or right (remove)."""
    if diagonal == -cost or (diagonal != cost and reach[diagonal - 1] < reach[diagonal + 1]):
        return reach[diagonal + 1]
    return reach[diagonal - 1] + 1


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> _Pairs:
    matches: _Pairs = []
    for cost in range(len(trace) - 1, -1, -1):
        reach, diagonal = trace[cost], x - y
        start = _step(reach, diagonal, cost) if cost else 0
        while x > start and y > start - diagonal:
            x, y = x - 1, y - 1
            matches.append((x, y))
        if cost:
            down = diagonal == -cost or (
                diagonal != cost and reach[diagonal - 1] < reach[diagonal + 1]
            )
            x, y = (x, y - 1) if down else (x - 1, y)
    return matches[::-1]


def _unique_anchors(old: Lines, new: Lines) -> _Pairs:
    """Lines that occur once in each text, as many as are in the same order."""
    places = dict(_once(new))
    pairs = [(i, places[line]) for line, i in _once(old) if line in places]
    tops: list[int] = []
    chains: list[int] = []
    back: list[int] = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(tops, j)
        tops[at:] = [j, *tops[at + 1 :]]
        chains[at:] = [number, *chains[at + 1 :]]
        back.append(chains[at - 1] if at else -1)
    found: _Pairs = []
    number = chains[-1] if chains else -1
    while number >= 0:
        found.append(pairs[number])
        number = back[number]
    return found[::-1]


def _once(lines: Lines) -> list[tuple[bytes, int]]:
    first: dict[bytes, int] = {}
    repeated: set[bytes] = set()
    for number, line in enumerate(lines):
        if first.setdefault(line, number) != number:
            repeated.add(line)
    return [(line, number) for line, number in first.items() if line not in repeated]


def _slide_down(old: Lines, new: Lines, hunks: list[LineHunk]) -> list[LineHunk]:
    """Move pure insertions and removals down, and join those that then meet."""
    done: list[LineHunk] = []
    for hunk in reversed(hunks):
        limit = done[-1].i1 if done else len(old)
        hunk = _slide(old, new, hunk, limit)
        if done and hunk.i2 == done[-1].i1:
            behind = done.pop()
            joined = LineHunk(hunk.i1, behind.i2, hunk.j1, behind.j2)
            hunk = _slide(old, new, joined, done[-1].i1 if done else len(old))
        done.append(hunk)
    return done[::-1]


def _slide(old: Lines, new: Lines, hunk: LineHunk, limit: int) -> LineHunk:
    i1, i2, j1, j2 = hunk
    if i1 == i2:
        while i2 < limit and new[j1] == new[j2]:
            i1, i2, j1, j2 = i1 + 1, i2 + 1, j1 + 1, j2 + 1
    elif j1 == j2:
        while i2 < limit and old[i1] == old[i2]:
            i1, i2, j1, j2 = i1 + 1, i2 + 1, j1 + 1, j2 + 1
    return LineHunk(i1, i2, j1, j2)
