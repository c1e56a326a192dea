"""Unified diffs that `git apply` accepts, and text made safe to look at."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise
from typing import AnyStr, NamedTuple

from redline.core.spans import LineSpan, differing_spans
from redline.core.textfile import text_start

NO_NEWLINE = "\\ No newline at end of file\n"
CONTEXT = 3
# Above this many differing lines on both sides together the middle is shown as one block: the
# quadratic matcher would take seconds, and such a diff is not read line by line.
_MATCHER_LIMIT = 6000
# A large diff is made in pieces of about this size; a longer line is matched by its digest.
_PIECE = 1 << 16
_LONG_LINE = 1 << 12

# Characters that a reader does not see, or that change the order of others.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\udc80-\udcff]"
)


def unified_diff(old: str, new: str, old_label: str, new_label: str, context: int = CONTEXT) -> str:
    """The difference as a unified diff, empty when there is none."""
    return "".join(_diff(differing_spans(old, new, "\n"), old_label, new_label, context))


def diff_of_files(
    old: bytes, new: bytes, old_label: str, new_label: str, context: int = CONTEXT
) -> str:
    """The same of the texts of two files (see `TextFile.text`); only what is shown is decoded."""
    return "".join(pieces_of_diff(old, new, old_label, new_label, context))


def pieces_of_diff(
    old: bytes, new: bytes, old_label: str, new_label: str, context: int = CONTEXT
) -> Iterator[str]:
    """The diff of two files in pieces, none of them large."""
    found = differing_spans(old, new, b"\n", (text_start(old), text_start(new)))
    return _diff(found, old_label, new_label, context)


def pieces_of_bytes(
    old: bytes, new: bytes, old_label: str, new_label: str, context: int = CONTEXT
) -> Iterator[str]:
    """The same where a byte order mark counts as text."""
    return _diff(differing_spans(old, new, b"\n"), old_label, new_label, context)


class HunkLines(NamedTuple):
    """Lines [i1, i2) of the old text and [j1, j2) of the new one, context included."""

    i1: int
    i2: int
    j1: int
    j2: int


def hunks_of_files(old: bytes, new: bytes) -> list[HunkLines]:
    """The hunks that `pieces_of_bytes` shows, in order."""
    found = differing_spans(old, new, b"\n")
    if found is None:
        return []
    codes = _opcodes(*found, found[0].first_line(), CONTEXT)
    groups = _group_hunks(codes, CONTEXT)
    return [HunkLines(g[0][1], g[-1][2], g[0][3], g[-1][4]) for g in groups]


def first_of(pieces: Iterable[str], limit: int) -> tuple[str, int]:
    """The first *limit* characters of a text in pieces, and how many there are in all."""
    kept: list[str] = []
    size = 0
    for piece in pieces:
        if size < limit:
            kept.append(piece)
        size += len(piece)
    return "".join(kept)[:limit], size


def visible(text: str) -> tuple[str, int]:
    """*text* with hidden characters escaped for a reader, and how many there were."""
    return HIDDEN.subn(lambda m: f"\\u{ord(m[0]):04x}", text)


def visible_diff(diff: str) -> tuple[str, int]:
    """The same of a unified diff, without the CR of hunks in which every line ends with CR LF."""
    return visible(_HUNK.sub(_drop_common_cr, diff) if "\r\n" in diff else diff)


# A hunk ends where the next file begins: no line of a hunk begins with @@.
_HUNK = re.compile(r"^@@ .*\n(?:(?!--- .*\n\+\+\+ .*\n@@ )[-+ \\].*\n)+", re.MULTILINE)


def _drop_common_cr(hunk: re.Match[str]) -> str:
    head, *lines = hunk[0].split("\n")[:-1]
    ended = [
        line
        for line, behind in pairwise([*lines, ""])
        if not line.startswith("\\") and not behind.startswith("\\")
    ]
    if not ended or not all(line.endswith("\r") for line in ended):
        return hunk[0]
    return "\n".join([head, *(line.removesuffix("\r") for line in lines), ""])


_Opcode = tuple[str, int, int, int, int]


def _diff(
    found: tuple[LineSpan[AnyStr], LineSpan[AnyStr]] | None,
    old_label: str,
    new_label: str,
    context: int,
) -> Iterator[str]:
    if found is None:
        return
    old, new = found
    yield f"--- {old_label}\n+++ {new_label}\n"
    head = old.first_line()
    old_places, new_places = _places(old, head, context), _places(new, head, context)
    for group in _group_hunks(_opcodes(old, new, head, context), context):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            mark = " " if tag == "equal" else "-"
            yield from _mark_lines(mark, old.text, old_places[i1], old_places[i2])
            if tag != "equal":
                yield from _mark_lines("+", new.text, new_places[j1], new_places[j2])


def _places(span: LineSpan[AnyStr], head: int, context: int) -> dict[int, int]:
    """Where the lines start, by number, with which a part of the diff may begin or end."""
    count = span.line_count()
    before: list[int] = span.lines_before(context)
    behind: list[int] = span.lines_behind(context)
    if count <= _MATCHER_LIMIT:
        places = dict(enumerate(before + span.line_starts() + behind, head - len(before)))
    else:
        places = dict(enumerate([*before, span.start], head - len(before)))
        places |= enumerate([span.end, *behind], head + count)
    return places


def _opcodes(
    old: LineSpan[AnyStr], new: LineSpan[AnyStr], head: int, context: int
) -> list[_Opcode]:
    """Opcodes over the whole files, computed only where the files differ."""
    codes: list[_Opcode] = [("equal", 0, head, 0, head)] if head else []
    codes += _middle(old, new, head)
    end, there, shown = codes[-1][2], codes[-1][4], len(old.lines_behind(context))
    if shown:
        codes.append(("equal", end, end + shown, there, there + shown))
    return codes


def _middle(old: LineSpan[AnyStr], new: LineSpan[AnyStr], head: int) -> list[_Opcode]:
    before, after = old.line_count(), new.line_count()
    if before + after > _MATCHER_LIMIT or not before or not after or before == after == 1:
        return [("replace", head, head + before, head, head + after)]
    from difflib import SequenceMatcher  # late: most commands compare nothing

    matcher = SequenceMatcher(None, _keys(old), _keys(new), autojunk=False)
    return [
        (tag, i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
    ]


def _keys(span: LineSpan[AnyStr]) -> list[Hashable]:
    """Something for each line that is equal for equal lines; not the line where it is long."""
    text = span.text
    return [
        text[i:j] if j - i <= _LONG_LINE else (_digest(text[i:j]),)
        for i, j in pairwise(span.line_starts())
    ]


def _digest(line: str | bytes) -> bytes:
    raw = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
    return hashlib.sha256(raw).digest()


def _mark_lines(mark: str, text: str | bytes, start: int, end: int) -> Iterator[str]:
    """The lines [start, end) of *text*, each with *mark* before it."""
    between, opens = f"\n{mark}", mark
    while start < end:
        stop = _piece_end(text, start, end)
        piece = text[start:stop]
        shown = piece if isinstance(piece, str) else piece.decode("utf-8", "surrogateescape")
        closed = shown.endswith("\n")
        yield opens + shown.removesuffix("\n").replace("\n", between) + ("\n" if closed else "")
        opens = mark if closed else ""
        start = stop
        if start == end and not closed:
            yield "\n" + NO_NEWLINE


def _piece_end(text: str | bytes, start: int, end: int) -> int:
    """Where a piece from *start* ends: with a line if it can, never within a character."""
    stop = start + _PIECE
    if stop >= end:
        return end
    if isinstance(text, str):
        return text.rfind("\n", start, stop) + 1 or stop
    line = text.rfind(b"\n", start, stop) + 1
    # A character takes up to four bytes, of which only the first is no continuation.
    inside = (at for at in range(stop, stop - 4, -1) if text[at] & 0xC0 != 0x80)
    return line or next(inside, stop)


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _group_hunks(codes: list[_Opcode], context: int) -> Iterator[list[_Opcode]]:
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
