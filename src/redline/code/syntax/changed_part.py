"""The part of a large file that an edit changed, as top-level pieces that parse by themselves."""

from __future__ import annotations

import re
from typing import NamedTuple

# A smaller file is checked as a whole.
MIN_LINES = 20_000
# A larger part is not worth cutting out.
_MAX_PART = 10_000
_TOP_LEVEL = re.compile(r"[A-Za-z_@#/]")
# Goes on with the statement before it.
_CONTINUES = re.compile(r"(?:else|elif|except|finally|catch|and|or|from|while|case|default)\b")


class ChangedPart(NamedTuple):
    """A changed part of two texts, with the number of lines before it."""

    old: str
    new: str
    skipped: int


def changed_part(old: str, new: str) -> ChangedPart | None:
    """Return the part that differs, from one top-level line to the next; None for small files."""
    if min(old.count("\n"), new.count("\n")) < MIN_LINES:
        return None
    before, after = old.split("\n"), new.split("\n")
    limit = min(len(before), len(after))
    head = next((n for n in range(limit) if before[n] != after[n]), limit)
    behind = range(1, limit - head + 1)
    tail = next((n - 1 for n in behind if before[-n] != after[-n]), limit - head)
    for begins in (_begins, _may_begin):
        first = next((n for n in range(head, -1, -1) if begins(after, n, head)), 0)
        rest = range(len(after) - tail, len(after))
        stop = next((n for n in rest if begins(after, n, len(after))), len(after))
        if stop - first <= _MAX_PART:
            break
    else:
        return None
    end = len(before) - (len(after) - stop)
    return ChangedPart("\n".join(before[first:end]), "\n".join(after[first:stop]), first)


def _begins(lines: list[str], number: int, unchanged: int) -> bool:
    """Return whether a top-level piece begins at a line: behind a blank one, and unindented."""
    if not 0 < number < unchanged:
        return number == 0
    return not lines[number - 1].strip() and bool(_TOP_LEVEL.match(lines[number]))


def _may_begin(lines: list[str], number: int, unchanged: int) -> bool:
    """Return whether a statement may begin at an unindented line, in a file without blank ones."""
    if not 0 < number < unchanged:
        return number == 0
    line = lines[number]
    return bool(_TOP_LEVEL.match(line)) and not _CONTINUES.match(line)
