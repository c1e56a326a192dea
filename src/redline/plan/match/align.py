"""Which items of one sequence stay in another: the lines an edit keeps."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

Opcode = tuple[str, int, int, int, int]

# The matcher is quadratic at worst; past this many comparisons only the common head and tail count.
_MATCHER_LIMIT = 1_000_000


def opcodes(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """How *before* becomes *after*, as difflib says it, the common head and tail taken first."""
    limit = min(len(before), len(after))
    head = 0
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    codes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    codes += _middle(before, after, head, tail)
    if tail:
        codes.append(
            ("equal", len(before) - tail, len(before), len(after) - tail, len(after)),
        )
    return codes


def _middle(before: Sequence[str], after: Sequence[str], head: int, tail: int) -> list[Opcode]:
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return []
    if not old or not new or len(old) * len(new) > _MATCHER_LIMIT:
        tag = "insert" if not old else "delete" if not new else "replace"
        return [(tag, head, head + len(old), head, head + len(new))]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        (tag, i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
    ]
