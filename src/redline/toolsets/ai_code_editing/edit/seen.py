"""Translate line numbers of the version that the caller read to the current version."""

from __future__ import annotations

from redline.core.errors import Conflict
from redline.core.textfile import line_body, split_lines


def _bodies(text: str) -> list[str]:
    return [line_body(line) for line in split_lines(text)]


def _common(a: list[str], b: list[str]) -> int:
    limit = min(len(a), len(b))
    return next((i for i in range(limit) if a[i] != b[i]), limit)


def current_range(seen: str, now: str, first: int, last: int) -> tuple[int, int]:
    """Return where lines *first*..*last* of *seen* are in *now*; raise Conflict if changed.

    Lines before the first difference keep their numbers, lines after the last one move with the
    end of the file. Between them, only text that is unique in both versions can be located.
    """
    then, lines = _bodies(seen), _bodies(now)
    if then == lines:
        return first, last
    head = _common(then, lines)
    tail = _common(then[::-1], lines[::-1])
    shift = len(lines) - len(then)
    in_head, in_tail = last <= head, first > len(then) - tail
    if in_head and in_tail and shift:
        raise _conflict(first, last)
    if in_head:
        return first, last
    if in_tail:
        return first + shift, last + shift
    wanted = then[first - 1 : last]
    if last <= len(then) and any(body.strip() for body in wanted):
        before, after = _starts(then, wanted), _starts(lines, wanted)
        if len(before) == len(after) == 1:
            return after[0] + 1, after[0] + len(wanted)
    raise _conflict(first, last)


def current_gap(seen: str, now: str, before: int) -> int:
    """Return where the gap before line *before* of *seen* is in *now*; raise Conflict if gone."""
    then, lines = _bodies(seen), _bodies(now)
    if then == lines:
        return before
    head = _common(then, lines)
    tail = _common(then[::-1], lines[::-1])
    in_head, in_tail = before - 1 <= head, before > len(then) - tail
    if in_head and in_tail and len(lines) != len(then):
        raise _conflict(before, before)
    if in_head:
        return before
    if in_tail:
        return before + len(lines) - len(then)
    raise _conflict(before, before)


def _starts(lines: list[str], wanted: list[str]) -> list[int]:
    size = len(wanted)
    return [
        at
        for at in range(len(lines) - size + 1)
        if lines[at] == wanted[0] and lines[at : at + size] == wanted
    ]


def _conflict(first: int, last: int) -> Conflict:
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return Conflict(
        f"The file changed at {where} since it was read",
        hint="read the lines again and repeat the edit with their new numbers",
        details={"lines": [first, last]},
    )
