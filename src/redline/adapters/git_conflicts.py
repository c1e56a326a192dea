"""The diff of a conflicted file as git prints it: the work tree against both sides at once.

libgit2 has no combined diff. This one follows `git diff --cc`: a line carries one mark for each
side, and a hunk is left out where the work tree agrees with one side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_BOTH = 0b11
_MAX_COMMENT = 40
# Pairs of lost lines that are compared; beyond, both sides are shown one after the other.
_MAX_PAIRS = 4_000_000


class SideHunk(NamedTuple):
    """A run of lines that one side has at *at* of the result (from 0), and others instead."""

    at: int
    added: int
    lost: Sequence[bytes]


class Side(NamedTuple):
    """One side of a conflict: its short name, its mode, and how the result differs from it."""

    name: str
    mode: int
    hunks: Sequence[SideHunk]


@dataclass(slots=True)
class _Lost:
    text: bytes
    sides: int


@dataclass(slots=True)
class _Line:
    """A line of the result, and the lines that stood before it; the last one is only these."""

    text: bytes
    added: int = 0
    lost: list[_Lost] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    is_shown: bool = False
    hides_lost: bool = False

    @property
    def differs(self) -> bool:
        return bool(self.added or self.lost)


def combine(
    path: bytes, result: bytes | None, mode: int, sides: tuple[Side, Side], context: int
) -> bytes:
    """Return the combined diff of *result*, None for a file that is gone, against both sides."""
    head = _header(path, result is not None, mode, sides)
    old, new = b"--- a/" + path, b"+++ b/" + path
    if result is None:
        return b"\n".join([*head, old, b"+++ /dev/null", b""])
    lines = [_Line(text) for text in _split(result)]
    lines.append(_Line(b""))
    for number, side in enumerate(sides):
        _mark(lines, side.hunks, number)
    _choose(lines, context)
    return b"\n".join([*head, old, new, *_print(lines, context), b""])


def combine_binary(path: bytes, is_there: bool, mode: int, sides: tuple[Side, Side]) -> bytes:
    """Return the combined diff of a file that is no text."""
    return b"\n".join([*_header(path, is_there, mode, sides), b"Binary files differ", b""])


def _header(path: bytes, is_there: bool, mode: int, sides: Sequence[Side]) -> list[bytes]:
    names = ",".join(side.name for side in sides)
    lines = [b"diff --cc " + path, f"index {names}..0000000".encode()]
    if any(side.mode != mode for side in sides):
        modes = ",".join(f"{side.mode:06o}" for side in sides)
        text = f"mode {modes}..{mode:06o}" if is_there else f"deleted file mode {modes}"
        lines.append(text.encode())
    return lines


def _split(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def _mark(lines: list[_Line], hunks: Sequence[SideHunk], side: int) -> None:
    """Note which lines *side* does not have, which it lost, and its line numbers."""
    bit = 1 << side
    for hunk in hunks:
        for line in lines[hunk.at : hunk.at + hunk.added]:
            line.added |= bit
        line = lines[hunk.at]
        line.lost = _coalesce(line.lost, [_Lost(text, bit) for text in hunk.lost])
    number = 1
    for line in lines:
        line.numbers.append(number)
        number += sum(1 for lost in line.lost if lost.sides & bit) + (not line.added & bit)


def _coalesce(base: list[_Lost], new: list[_Lost]) -> list[_Lost]:
    """Merge what both sides lost at one place, by the longest common subsequence."""
    if not base or not new or len(base) * len(new) > _MAX_PAIRS:
        return base + new
    longest = [[0] * (len(new) + 1) for _ in range(len(base) + 1)]
    for i, left in enumerate(base, 1):
        above, row = longest[i - 1], longest[i]
        for j, right in enumerate(new, 1):
            same = left.text == right.text
            row[j] = above[j - 1] + 1 if same else max(row[j - 1], above[j])
    merged: list[_Lost] = []
    i, j = len(base), len(new)
    while i or j:
        if i and j and base[i - 1].text == new[j - 1].text:
            i, j = i - 1, j - 1
            merged.append(_Lost(base[i].text, base[i].sides | new[j].sides))
        elif not i or (j and longest[i][j - 1] >= longest[i - 1][j]):
            j -= 1
            merged.append(new[j])
        else:
            i -= 1
            merged.append(base[i])
    return merged[::-1]


def _choose(lines: list[_Line], context: int) -> None:
    """Decide which lines are shown: hunks in which neither side is the result, and context."""
    for line in lines:
        line.is_shown = line.differs
    at = 0
    while (at := _find(lines, at, shown=True)) < len(lines):
        end = _end_of_hunk(lines, at, context)
        versions = {line.added for line in lines[at:end] if line.added}
        versions |= {lost.sides for line in lines[at:end] for lost in line.lost}
        if len(versions) == 1 and versions != {_BOTH}:
            for line in lines[at:end]:
                line.is_shown = False
        at = end
    _add_context(lines, context)


def _find(lines: list[_Line], at: int, *, shown: bool) -> int:
    while at < len(lines) and lines[at].is_shown is not shown:
        at += 1
    return at


def _end_of_hunk(lines: list[_Line], begin: int, context: int) -> int:
    """Return where the hunk ends that begins there, gaps shorter than the context included."""
    end = begin + 1
    while end < len(lines):
        if not lines[end].is_shown:
            ahead = min(_tail(lines, begin, end) + context, len(lines))
            end = next((n for n in range(ahead - 1, end - 1, -1) if lines[n].is_shown), -end)
            if end <= 0:
                return -end
        end += 1
    return end


def _tail(lines: list[_Line], begin: int, end: int) -> int:
    """Count an unchanged line that only lost lines before it as the first of the context."""
    return end - 1 if begin + 1 <= end and not lines[end - 1].added else end


def _add_context(lines: list[_Line], context: int) -> None:
    at = _find(lines, 0, shown=True)
    while at < len(lines):
        for line in lines[max(0, at - context) : at]:
            line.hides_lost = line.hides_lost or not line.is_shown
            line.is_shown = True
        while True:
            end = _find(lines, at, shown=False)
            if end == len(lines):
                return
            following = _find(lines, end, shown=True)
            end = _tail(lines, at, end)
            at = following
            if following >= end + context:
                break
            _show(lines[end:following])
        _show(lines[end : end + context])


def _show(lines: list[_Line]) -> None:
    for line in lines:
        line.is_shown = True


def _print(lines: list[_Line], context: int) -> Iterator[bytes]:
    at, comment = 0, b""
    while at < len(lines):
        if not lines[at].is_shown:
            if _is_comment(lines[at].text):
                comment = lines[at].text
            at += 1
            continue
        end = _find(lines, at, shown=False)
        yield _hunk_head(lines, at, end, context, comment)
        for number in range(at, end):
            yield from _print_line(lines[number], context, is_last=number + 1 == len(lines))
        at, comment = end, b""


def _is_comment(text: bytes) -> bool:
    return text[:1].isalpha() or text[:1] in (b"_", b"$")


def _hunk_head(lines: list[_Line], at: int, end: int, context: int, comment: bytes) -> bytes:
    is_at_end = end == len(lines)
    unmarked = sum(1 for line in lines[at:end] if not line.added) if not context else 0
    parts = ["@@@"]
    for side in range(2):
        first = lines[at].numbers[side]
        last = lines[end - 1] if is_at_end else lines[end]
        after = last.numbers[side]
        if is_at_end:
            after += sum(1 for lost in last.lost if lost.sides & (1 << side))
        parts.append(f"-{first},{max(0, after - first - unmarked)}")
    parts.append(f"+{at + 1},{max(0, end - at - is_at_end - unmarked)} @@@")
    # git prints the comment without its last character.
    shown = comment[:_MAX_COMMENT].rstrip()[:-1]
    return " ".join(parts).encode() + (b" " + shown if shown else b"")


def _print_line(line: _Line, context: int, *, is_last: bool) -> Iterator[bytes]:
    if not line.hides_lost:
        yield from (_marks(b"-", lost.sides) + lost.text for lost in line.lost)
    if not is_last and (line.added or context):
        yield _marks(b"+", line.added) + line.text


def _marks(mark: bytes, sides: int) -> bytes:
    return b"".join(mark if sides & (1 << side) else b" " for side in range(2))
