"""Follow the lines of a text through its later versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from redline.core.line_diff import LineHunk, Lines, diff_lines

_NEW = -1


class Version(NamedTuple):
    """A later text, and who made it: the id of an operation, or "" for another program."""

    lines: Lines
    maker: str = ""


class _Touch(NamedTuple):
    """A version changed something between base lines [low, high)."""

    low: int
    high: int
    maker: str


class Followed(NamedTuple):
    """How a base text became its last version, and who changed which of its lines."""

    hunks: list[LineHunk]
    touches: tuple[_Touch, ...]

    def makers_of(self, low: int, high: int) -> tuple[str, ...]:
        """Return who changed base lines [low, high) or lines next to them, oldest first."""
        found = (t.maker for t in self.touches if t.low <= high and low <= t.high)
        return tuple(dict.fromkeys(found))


def follow_lines(base: Lines, versions: Sequence[Version]) -> Followed:
    """Follow each line of *base* through *versions*, oldest first.

    A line that one version removed and a later one restored in its old place counts as kept.
    """
    numbers = list(range(len(base)))
    touches: list[_Touch] = []
    before = base
    for version in versions:
        for hunk in reversed(diff_lines(before, version.lines)):
            low, high = _surroundings(numbers, hunk, len(base))
            touches.append(_Touch(low, high, version.maker))
            numbers[hunk.i1 : hunk.i2] = [_NEW] * (hunk.j2 - hunk.j1)
        before = version.lines
    return Followed(_hunks(base, before, numbers), tuple(touches))


def _surroundings(numbers: list[int], hunk: LineHunk, size: int) -> tuple[int, int]:
    """Return the base lines between those that survive on either side of a hunk."""
    low = next((numbers[at] + 1 for at in range(hunk.i1 - 1, -1, -1) if numbers[at] >= 0), 0)
    after = range(hunk.i2, len(numbers))
    return low, next((numbers[at] for at in after if numbers[at] >= 0), size)


def _hunks(base: Lines, now: Lines, numbers: list[int]) -> list[LineHunk]:
    """Compare what lies between surviving lines: what was restored there matches again."""
    found: list[LineHunk] = []
    i = j = 0
    for at, number in enumerate([*numbers, len(base)]):
        if number < 0:
            continue
        if number > i or at > j:
            inner = diff_lines(base[i:number], now[j:at])
            found += [LineHunk(h.i1 + i, h.i2 + i, h.j1 + j, h.j2 + j) for h in inner]
        i, j = number + 1, at + 1
    return found
