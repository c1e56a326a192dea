"""Where two sequences of lines differ: the one engine behind every diff, count and merge.

Myers' search from both ends, as git does it, over what both sides have in common: a line that only
one side has cannot match and is left out before the search. The result is a shortest edit script as
long as it is short. A longer one is searched for in pieces, each of them shortest: the cost grows
with the length plus the number of edits. Beyond a fixed effort only lines that are the only ones of
their kind divide the rest, and what lies between them is one hunk. Nothing depends on time, so that
the same two texts have the same hunks wherever they are compared.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import isqrt
from typing import NamedTuple, TypeVar

from redline.core.records import dataclass, field

# Steps of the search that one comparison may take at full depth: about half a second.
_EFFORT = 1_200_000
# How far it may be overdrawn; texts with less in common are divided at single lines only.
_OVERDRAFT = 4 * _EFFORT
# How many edits one search looks for: at first, and when the effort is used up.
_DEEPEST, _SHALLOWEST = 320, 16
# Equal lines beyond this many are compared by slices.
_RUN = 8
# How many of these take as long as one step of the search.
_QUICKER = 16
# A line that is the only one of its kind on both sides may be so by chance: it counts if this many
# lines around it are equal too, of which no more than `_NEAR` above and below are looked at.
_EVIDENCE, _NEAR = 5, 32

Lines = Sequence[bytes]
_Item = TypeVar("_Item", bound=Hashable)


class LineHunk(NamedTuple):
    """Lines [i1, i2) of the old text become lines [j1, j2) of the new one."""

    i1: int
    i2: int
    j1: int
    j2: int


class LineCounts(NamedTuple):
    """How many lines a change adds and removes."""

    added: int = 0
    removed: int = 0


def split_lines(content: bytes) -> list[bytes]:
    """Return the lines with their ends; only LF (and so CRLF) ends one."""
    lines = content.split(b"\n")
    last = lines.pop()
    kept = [line + b"\n" for line in lines]
    if last:
        kept.append(last)
    return kept


def count_hunks(hunks: Iterable[LineHunk]) -> LineCounts:
    """Return how many lines *hunks* add and remove."""
    added = removed = 0
    for hunk in hunks:
        added += hunk.j2 - hunk.j1
        removed += hunk.i2 - hunk.i1
    return LineCounts(added, removed)


def diff_lines(old: Sequence[_Item], new: Sequence[_Item]) -> list[LineHunk]:
    """Return where *old* and *new* differ; an ambiguous hunk is as far down as it can be."""
    return slide_down(old, new, find_hunks(old, new))


def find_hunks(old: Sequence[_Item], new: Sequence[_Item]) -> list[LineHunk]:
    """Return where *old* and *new* differ, before `slide_down`.

    The lines that both begin or end with do not matter to it.
    """
    head = _common_head(old, 0, len(old), new, 0, len(new))
    tail = _common_tail(old, head, len(old), new, head, len(new))
    numbers: dict[_Item, int] = {}
    left = [numbers.setdefault(line, len(numbers)) for line in old[head : len(old) - tail]]
    known = len(numbers)
    right = [numbers.setdefault(line, len(numbers)) for line in new[head : len(new) - tail]]
    hunks = _hunks(left, right, known)
    if not head:
        return hunks
    return [LineHunk(i1 + head, i2 + head, j1 + head, j2 + head) for i1, i2, j1, j2 in hunks]


def _hunks(old: list[int], new: list[int], known: int) -> list[LineHunk]:
    """Return the hunks in order; numbers from *known* on are those of lines only *new* has."""
    gone, come = bytearray(b"\1" * len(old)), bytearray(b"\1" * len(new))
    after = set(new)
    olds = [i for i, line in enumerate(old) if line in after]
    news = [j for j, line in enumerate(new) if line < known]
    search = _Search([old[i] for i in olds], [new[j] for j in news])
    for x, y, size in search.matches():
        for i in olds[x : x + size]:
            gone[i] = 0
        for j in news[y : y + size]:
            come[j] = 0
    return list(_between(gone, come))


def _between(gone: bytearray, come: bytearray) -> Iterable[LineHunk]:
    """Yield what lies between lines that stay; *gone* and *come* mark those that do not."""
    i = j = 0
    while True:
        changed, added = gone.find(1, i), come.find(1, j)
        same = min(
            (changed if changed >= 0 else len(gone)) - i, (added if added >= 0 else len(come)) - j
        )
        i, j = i + same, j + same
        if i == len(gone) and j == len(come):
            return
        i2, j2 = gone.find(0, i), come.find(0, j)
        i2, j2 = (i2 if i2 >= 0 else len(gone)), (j2 if j2 >= 0 else len(come))
        yield LineHunk(i, i2, j, j2)
        i, j = i2, j2


def _common_head(
    old: Sequence[_Item], start: int, end: int, new: Sequence[_Item], there: int, limit: int
) -> int:
    """Return how many lines both begin with; longer and longer slices are compared as a whole."""
    most, done, step = min(end - start, limit - there), 0, _RUN
    while done < most:
        size = min(step, most - done)
        i, j = start + done, there + done
        if old[i : i + size] == new[j : j + size]:
            done, step = done + size, 2 * size
        elif size == 1:
            break
        else:
            step = size // 2
    return done


def _common_tail(
    old: Sequence[_Item], start: int, end: int, new: Sequence[_Item], there: int, limit: int
) -> int:
    """Return how many lines both end with, nothing before *start* and *there* being looked at."""
    most, done, step = min(end - start, limit - there), 0, _RUN
    while done < most:
        size = min(step, most - done)
        i, j = end - done, limit - done
        if old[i - size : i] == new[j - size : j]:
            done, step = done + size, 2 * size
        elif size == 1:
            break
        else:
            step = size // 2
    return done


class _Box(NamedTuple):
    """Lines [x1, x2) of one side and [y1, y2) of the other, still to be compared.

    `is_short` says that its edit script is known to be short. `tried` is the size of the box
    around it in which no line was the only one of its kind on both sides.
    """

    x1: int
    x2: int
    y1: int
    y2: int
    is_short: bool = False
    tried: int = 0


class _Run(NamedTuple):
    """Equal lines from x and y on, up to `y_end` on the new side; equal ones around add weight."""

    x: int
    y: int
    y_end: int
    weight: int


@dataclass(slots=True)
class _Reach:
    """How far the paths from one end came, on each diagonal from `low` to `high`.

    Diagonals are numbered from 1, in steps of what is added to the old side.
    """

    at: list[int]
    low: int = 0
    high: int = 0

    def begin(self, diagonal: int, line: int) -> None:
        """Start with one path that is nowhere but at *line*."""
        self.low = self.high = diagonal
        self.at[diagonal] = line

    def widen(self, lowest: int, highest: int, nowhere: int) -> None:
        """Let the paths take one more edit; *nowhere* is what no path reaches."""
        if self.low > lowest:
            self.low -= 1
            self.at[self.low - 1] = nowhere
        else:
            self.low += 1
        if self.high < highest:
            self.high += 1
            self.at[self.high + 1] = nowhere
        else:
            self.high -= 1


@dataclass(slots=True)
class _Search:
    """Finds equal lines of two sides in the same order, as many as it can."""

    old: list[int]
    new: list[int]
    effort: int = field(init=False)
    _ahead: _Reach = field(init=False)
    _back: _Reach = field(init=False)
    # What makes the number of every diagonal positive, with a place free on either side.
    _shift: int = field(init=False)

    def __post_init__(self) -> None:
        self.effort = _EFFORT
        size = len(self.old) + len(self.new) + 3
        self._ahead, self._back = _Reach([0] * size), _Reach([0] * size)
        self._shift = len(self.new) + 1

    def matches(self) -> Iterable[tuple[int, int, int]]:
        """Yield where runs of equal lines begin on both sides, and how long they are."""
        old, new = self.old, self.new
        boxes = [_Box(0, len(old), 0, len(new))]
        while boxes:
            box = boxes.pop()
            x1, x2, y1, y2, *_ = box
            size = _common_head(old, x1, x2, new, y1, y2)
            if size:
                yield x1, y1, size
                x1, y1 = x1 + size, y1 + size
            size = _common_tail(old, x1, x2, new, y1, y2)
            if size:
                x2, y2 = x2 - size, y2 - size
                yield x2, y2, size
            if x1 < x2 and y1 < y2:
                boxes += self._split(box._replace(x1=x1, x2=x2, y1=y1, y2=y2))

    def _split(self, box: _Box) -> Sequence[_Box]:
        """Divide a box where a shortest path passes, or a good one if that is too far to seek."""
        x1, x2, y1, y2, is_short, tried = box
        size = x2 - x1 + y2 - y1
        is_new = not tried or 2 * size <= tried
        if self.effort < -_OVERDRAFT and not is_short:
            return [each._replace(tried=size) for each in self._divide(box)] if is_new else []
        lowest, highest = x1 - y2 + self._shift, x2 - y1 + self._shift
        first, last = x1 - y1 + self._shift, x2 - y2 + self._shift
        self._ahead.begin(first, x1)
        self._back.begin(last, x2)
        meets_ahead = (first - last) % 2 == 1
        deepest, cost = self._depth(), 0
        while is_short or cost < deepest:
            cost += 1
            self._ahead.widen(lowest, highest, -1)
            x, diagonal = self._walk_ahead(box, meets_ahead)
            if diagonal < 0:
                self._back.widen(lowest, highest, x2 + 1)
                x, diagonal = self._walk_back(box, not meets_ahead)
            if diagonal >= 0:
                self.effort -= cost * cost
                return _halves(box._replace(is_short=True), x, x - diagonal + self._shift)
        self.effort -= cost * cost
        if is_new:
            found = self._divide(box)
            if found:
                return found
            box = box._replace(tried=size)
        return self._furthest(box)

    def _walk_ahead(self, box: _Box, meets: bool) -> tuple[int, int]:
        """Follow equal lines on; return where a path meets one from the end, if that *meets*.

        That is a line of the old side and a diagonal, which is -1 where none is met.
        """
        old, new, shift, reach = self.old, self.new, self._shift, self._ahead.at
        _, x2, _, y2, *_ = box
        other, low, high = self._back.at, self._back.low, self._back.high
        for diagonal in range(self._ahead.high, self._ahead.low - 1, -2):
            x = reach[diagonal - 1] + 1
            if x <= reach[diagonal + 1]:
                x = reach[diagonal + 1]
            y = x - diagonal + shift
            most = x + _RUN
            while x < x2 and y < y2 and old[x] == new[y]:
                x, y = x + 1, y + 1
                if x == most:
                    run = _common_head(old, x, x2, new, y, y2)
                    x, y, self.effort = x + run, y + run, self.effort - run // _QUICKER
            reach[diagonal] = x
            if meets and low <= diagonal <= high and other[diagonal] <= x:
                return x, diagonal
        return 0, -1

    def _walk_back(self, box: _Box, meets: bool) -> tuple[int, int]:
        """Follow equal lines back; return where a path meets one from the beginning, likewise."""
        old, new, shift, reach = self.old, self.new, self._shift, self._back.at
        x1, _, y1, *_ = box
        other, low, high = self._ahead.at, self._ahead.low, self._ahead.high
        for diagonal in range(self._back.high, self._back.low - 1, -2):
            x = reach[diagonal + 1] - 1
            if reach[diagonal - 1] <= x:
                x = reach[diagonal - 1]
            y = x - diagonal + shift
            most = x - _RUN
            while x > x1 and y > y1 and old[x - 1] == new[y - 1]:
                x, y = x - 1, y - 1
                if x == most:
                    run = _common_tail(old, x1, x, new, y1, y)
                    x, y, self.effort = x - run, y - run, self.effort - run // _QUICKER
            reach[diagonal] = x
            if meets and low <= diagonal <= high and x <= other[diagonal]:
                return x, diagonal
        return 0, -1

    def _depth(self) -> int:
        """Return for how many edits to search: fewer as the effort is used up."""
        return max(_SHALLOWEST, min(_DEEPEST, isqrt(max(0, self.effort)) // 4))

    def _divide(self, box: _Box) -> list[_Box]:
        """Divide a box at lines that are the only ones of their kind; empty if there are none."""
        x1, x2, y1, y2, *_ = box
        found: list[_Box] = []
        x, y = x1, y1
        for i, j in [*_heaviest(self._runs(box)), (x2, y2)]:
            if i > x or j > y:
                found.append(_Box(x, i, y, j))
            x, y = i, j
        return found if len(found) > 1 else []

    def _runs(self, box: _Box) -> Iterator[_Run]:
        """Yield the equal runs with a line that is the only one of its kind on both sides."""
        old, new = self.old, self.new
        x1, x2, y1, y2, *_ = box
        there = _once(new, y1, y2)
        first = last = (-1, -1)
        for line, x in _once(old, x1, x2).items():
            y = there.get(line, -1)
            if y < 0:
                continue
            is_same = x - y == last[0] - last[1] and old[last[0] : x] == new[last[1] : y]
            if first[0] >= 0 and not is_same:
                yield self._run(box, first, last)
            first, last = (first if first[0] >= 0 and is_same else (x, y)), (x, y)
        if first[0] >= 0:
            yield self._run(box, first, last)

    def _run(self, box: _Box, first: tuple[int, int], last: tuple[int, int]) -> _Run:
        (x, y), (x_end, y_end) = first, (last[0] + 1, last[1] + 1)
        above = _common_tail(self.old, max(box.x1, x - _NEAR), x, self.new, box.y1, y)
        below = _common_head(self.old, x_end, min(box.x2, x_end + _NEAR), self.new, y_end, box.y2)
        return _Run(x, y, y_end, above + x_end - x + below)

    def _furthest(self, box: _Box) -> tuple[_Box, _Box]:
        """Divide a box where the path is that came furthest; what it passed is short."""
        x1, x2, y1, y2, *_ = box
        best, at = -1, (x1, y1)
        for diagonal in range(self._ahead.low, self._ahead.high + 1, 2):
            x = min(self._ahead.at[diagonal], x2, y2 + diagonal - self._shift)
            y = x - diagonal + self._shift
            if x + y - x1 - y1 > best:
                best, at = x + y - x1 - y1, (x, y)
        is_ahead = True
        for diagonal in range(self._back.low, self._back.high + 1, 2):
            x = max(self._back.at[diagonal], x1, y1 + diagonal - self._shift)
            y = x - diagonal + self._shift
            if x2 + y2 - x - y > best:
                best, at, is_ahead = x2 + y2 - x - y, (x, y), False
        later, earlier = _halves(box, *at)
        return later._replace(is_short=not is_ahead), earlier._replace(is_short=is_ahead)


def _once(lines: list[int], start: int, end: int) -> dict[int, int]:
    """Return where each line of [start, end) is that occurs once there, in order."""
    counts = Counter(lines[start:end])
    return {lines[at]: at for at in range(start, end) if counts[lines[at]] == 1}


def _heaviest(runs: Iterable[_Run]) -> list[tuple[int, int]]:
    """Return where the runs begin that are in the same order on both sides and weigh the most."""
    chosen: list[tuple[_Run, int]] = []
    # The chains that no other chain beats: by where they end, each heavier than those before.
    ends, weights, tops = [-1], [0], [-1]
    for run in runs:
        if run.weight < _EVIDENCE:
            continue
        at = bisect_left(ends, run.y + 1)
        weight = weights[at - 1] + run.weight
        chosen.append((run, tops[at - 1]))
        at = bisect_left(ends, run.y_end)
        if weights[at - 1] >= weight:
            continue
        beaten = bisect_right(weights, weight, at)
        ends[at:beaten], weights[at:beaten] = [run.y_end], [weight]
        tops[at:beaten] = [len(chosen) - 1]
    found: list[tuple[int, int]] = []
    number = tops[-1]
    while number >= 0:
        run, number = chosen[number]
        found.append((run.x, run.y))
    return found[::-1]


def _halves(box: _Box, x: int, y: int) -> tuple[_Box, _Box]:
    return box._replace(x1=x, y1=y), box._replace(x2=x, y2=y)


def slide_down(old: Sequence[_Item], new: Sequence[_Item], hunks: list[LineHunk]) -> list[LineHunk]:
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


def _slide(old: Sequence[_Item], new: Sequence[_Item], hunk: LineHunk, limit: int) -> LineHunk:
    i1, i2, j1, j2 = hunk
    if i1 == i2:
        while i2 < limit and new[j1] == new[j2]:
            i1, i2, j1, j2 = i1 + 1, i2 + 1, j1 + 1, j2 + 1
    elif j1 == j2:
        while i2 < limit and old[i1] == old[i2]:
            i1, i2, j1, j2 = i1 + 1, i2 + 1, j1 + 1, j2 + 1
    return LineHunk(i1, i2, j1, j2)
