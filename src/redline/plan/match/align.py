"""Which items of one sequence stay in another: the lines an edit keeps."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.line_diff import diff_lines

Opcode = tuple[str, int, int, int, int]


def opcodes(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """Return how *before* becomes *after*, in difflib's terms."""
    codes: list[Opcode] = []
    i = j = 0
    for i1, i2, j1, j2 in diff_lines(before, after):
        if i < i1:
            codes.append(("equal", i, i1, j, j1))
        tag = "insert" if i1 == i2 else "delete" if j1 == j2 else "replace"
        codes.append((tag, i1, i2, j1, j2))
        i, j = i2, j2
    if i < len(before):
        codes.append(("equal", i, len(before), j, len(after)))
    return codes
