"""Unified diffs that `git apply` accepts, and text made safe to look at."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from redline.core.textfile import split_lines

NO_NEWLINE = "\\ No newline at end of file\n"
CONTEXT = 3
# Above this many differing lines on both sides together the middle is shown as one block: the
# quadratic matcher would take seconds and nobody reads such a diff line by line.
_MATCHER_LIMIT = 6000

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\udc80-\udcff]"
)


def unified_diff(old: str, new: str, old_label: str, new_label: str, context: int = CONTEXT) -> str:
    """The difference as a unified diff, empty when there is none."""
    if old == new:
        return ""
    before, after = split_lines(old), split_lines(new)
    body = "".join(_hunks(before, after, context))
    return f"--- {old_label}\n+++ {new_label}\n{body}"


def visible(text: str) -> tuple[str, int]:
    """*text* with hidden characters escaped for a reader, and how many there were."""
    return _HIDDEN.subn(lambda m: f"\\u{ord(m[0]):04x}", text)


_Opcode = tuple[str, int, int, int, int]


def _hunks(before: list[str], after: list[str], context: int) -> Iterator[str]:
    for group in _grouped(_opcodes(before, after), context):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from _marked(" ", before[i1:i2])
                continue
            yield from _marked("-", before[i1:i2])
            yield from _marked("+", after[j1:j2])


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line
        else:
            yield f"{mark}{line}\n{NO_NEWLINE}"


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _opcodes(before: list[str], after: list[str]) -> list[_Opcode]:
    """Opcodes over the whole files, computed only where the files differ."""
    head = 0
    limit = min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old_end, new_end = len(before) - tail, len(after) - tail
    codes: list[_Opcode] = [("equal", 0, head, 0, head)] if head else []
    codes += _middle(before[head:old_end], after[head:new_end], head)
    if tail:
        codes.append(("equal", old_end, len(before), new_end, len(after)))
    return codes


def _middle(before: list[str], after: list[str], offset: int) -> list[_Opcode]:
    if len(before) + len(after) > _MATCHER_LIMIT or not before or not after:
        return [("replace", offset, offset + len(before), offset, offset + len(after))]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        (tag, i1 + offset, i2 + offset, j1 + offset, j2 + offset)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
    ]


def _grouped(codes: list[_Opcode], context: int) -> Iterator[list[_Opcode]]:
    group: list[_Opcode] = []
    for index, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        first, last = index == 0, index == len(codes) - 1
        if not first and not last and i2 - i1 > 2 * context:
            group.append((tag, i1, i1 + context, j1, j1 + context))
            yield group
            group = [(tag, i2 - context, i2, j2 - context, j2)]
            continue
        start = max(i1, i2 - context) if first else i1
        stop = min(i2, i1 + context) if last else i2
        if stop > start:
            group.append((tag, start, stop, j1 + start - i1, j1 + stop - i1))
    if group:
        yield group
