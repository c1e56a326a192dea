"""Unified diffs that `git apply` accepts, and text made safe to look at."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice, pairwise, zip_longest
from typing import AnyStr, NamedTuple

from redline.core.late_regex import late_regex
from redline.core.line_diff import LineHunk, find_hunks, slide_down
from redline.core.long_lines import LONG, RawLine, char_start, fold_raw_line
from redline.core.spans import LineSpan, differing_spans
from redline.core.textfile import text_start
from redline.core.wording import visible

NO_NEWLINE = "\\ No newline at end of file\n"
CONTEXT = 3
# A large diff is made in pieces of about this size; a longer line is matched by its digest.
_PIECE = 1 << 16
_LONG_LINE = 1 << 12
# How many lines behind those that differ are looked at first, to see how far a hunk can slide.
_BEHIND = 8


def unified_diff(old: str, new: str, old_label: str, new_label: str, context: int = CONTEXT) -> str:
    """Return the difference as a unified diff, empty when there is none."""
    return "".join(_diff(differing_spans(old, new, "\n"), old_label, new_label, context))


def diff_of_files(
    old: bytes,
    new: bytes,
    old_label: str,
    new_label: str,
    context: int = CONTEXT,
    *,
    fold: bool = False,
) -> str:
    """The same of the texts of two files (see `TextFile.text`); only what is shown is decoded.

    With *fold* only what changed of a long line is shown: for people, not for `git apply`.
    """
    return "".join(pieces_of_diff(old, new, old_label, new_label, context, fold=fold))


def pieces_of_diff(
    old: bytes,
    new: bytes,
    old_label: str,
    new_label: str,
    context: int = CONTEXT,
    *,
    fold: bool = False,
) -> Iterator[str]:
    """Yield the diff of two files in pieces, none of them large."""
    found = differing_spans(old, new, b"\n", (text_start(old), text_start(new)))
    return _diff(found, old_label, new_label, context, fold=fold)


def pieces_of_bytes(
    old: bytes,
    new: bytes,
    old_label: str,
    new_label: str,
    context: int = CONTEXT,
    *,
    fold: bool = False,
) -> Iterator[str]:
    """The same where a byte order mark counts as text."""
    found = differing_spans(old, new, b"\n")
    return _diff(found, old_label, new_label, context, fold=fold)


class ShownHunk(NamedTuple):
    """Lines that differ with the context around them: `lines`, of which `parts` differ."""

    lines: LineHunk
    parts: tuple[LineHunk, ...]


def changed_lines(old: bytes, new: bytes) -> list[LineHunk]:
    """Return the lines of two files that differ, counted from 0."""
    found = differing_spans(old, new, b"\n")
    return [] if found is None else _compare(*found, 0).parts


def hunks_of_files(old: bytes, new: bytes) -> list[ShownHunk]:
    """Return the hunks that `pieces_of_bytes` shows, in order."""
    found = differing_spans(old, new, b"\n")
    return [] if found is None else list(_compare(*found, CONTEXT).hunks(CONTEXT))


def diff_labels(name: str) -> tuple[str, str]:
    """Return how both versions of a file are called above its hunks."""
    bare = name.lstrip("/")
    return f"a/{bare}", f"b/{bare}"


def first_of(pieces: Iterable[str], limit: int) -> tuple[str, int]:
    """Return the first *limit* characters of a text in pieces, and how many there are in all."""
    kept: list[str] = []
    size = 0
    for piece in pieces:
        if size < limit:
            kept.append(piece)
        size += len(piece)
    return "".join(kept)[:limit], size


def visible_diff(diff: str) -> tuple[str, int]:
    """The same of a unified diff, without the CR of hunks in which every line ends with CR LF."""
    return visible(_HUNK.sub(_drop_common_cr, diff) if "\r\n" in diff else diff)


# A hunk ends where the next file begins: no line of a hunk begins with @@.
_HUNK = late_regex(r"^@@ .*\n(?:(?!--- .*\n\+\+\+ .*\n@@ )[-+ \\].*\n)+", re.MULTILINE)


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


class _Compared(NamedTuple):
    """Where two texts differ, and where their lines start there, from line `first` on."""

    parts: list[LineHunk]
    first: int
    old_starts: list[int]
    new_starts: list[int]

    def hunks(self, context: int) -> Iterator[ShownHunk]:
        """Yield what differs with *context* lines around it; what would touch is together."""
        parts, total, start = self.parts, self.first + len(self.old_starts) - 1, 0
        for end in range(1, len(parts) + 1):
            if end < len(parts) and parts[end].i1 - parts[end - 1].i2 <= 2 * context:
                continue
            top, bottom = parts[start], parts[end - 1]
            above, below = min(context, top.i1), min(context, total - bottom.i2)
            lines = LineHunk(top.i1 - above, bottom.i2 + below, top.j1 - above, bottom.j2 + below)
            yield ShownHunk(lines, tuple(parts[start:end]))
            start = end

    def old_lines(self, start: int, end: int) -> list[int]:
        """Return where lines [start, end) of the old text start, and where the last one ends."""
        return self.old_starts[start - self.first : end - self.first + 1]

    def new_lines(self, start: int, end: int) -> list[int]:
        """The same of the new text."""
        return self.new_starts[start - self.first : end - self.first + 1]


def _compare(old: LineSpan[AnyStr], new: LineSpan[AnyStr], context: int) -> _Compared:
    """Compare the lines of two spans; those around them matter only to where a hunk is shown."""
    starts, others = old.line_starts(), new.line_starts()
    left, right = _keys(old.text, starts), _keys(new.text, others)
    hunks = find_hunks(left, right)
    wanted = _BEHIND + context
    while True:
        behind: list[int] = old.lines_behind(wanted)
        keys = _keys(old.text, [old.end, *behind])
        slid = slide_down(left + keys, right + keys, hunks)
        # A hunk may slide over what follows the spans, as far as that repeats the hunk.
        if len(behind) < wanted or slid[-1].i2 + context < len(left) + len(behind):
            break
        wanted *= 4
    before: list[int] = old.lines_before(context)
    head = old.first_line()
    parts = [LineHunk(i1 + head, i2 + head, j1 + head, j2 + head) for i1, i2, j1, j2 in slid]
    shift = new.end - old.end
    return _Compared(
        parts,
        head - len(before),
        before + starts + behind,
        [at + new.start - old.start for at in before] + others + [at + shift for at in behind],
    )


def _diff(
    found: tuple[LineSpan[AnyStr], LineSpan[AnyStr]] | None,
    old_label: str,
    new_label: str,
    context: int,
    *,
    fold: bool = False,
) -> Iterator[str]:
    if found is None:
        return
    old, new = found[0].text, found[1].text
    limit = LONG if fold else max(len(old), len(new))
    yield f"--- {old_label}\n+++ {new_label}\n"
    compared = _compare(*found, context)
    for lines, parts in compared.hunks(context):
        yield f"@@ -{_range(lines.i1, lines.i2)} +{_range(lines.j1, lines.j2)} @@\n"
        at = lines.i1
        for i1, i2, j1, j2 in parts:
            yield from _show(" ", old, compared.old_lines(at, i1), limit)
            gone, come = compared.old_lines(i1, i2), compared.new_lines(j1, j2)
            yield from _show("-", old, gone, limit, new, come)
            yield from _show("+", new, come, limit, old, gone)
            at = i2
        yield from _show(" ", old, compared.old_lines(at, lines.i2), limit)


def _show(
    mark: str,
    text: AnyStr,
    starts: list[int],
    limit: int,
    other: AnyStr | None = None,
    mates: Sequence[int] = (),
) -> Iterator[str]:
    """Yield lines of *text* after *mark*; those over *limit* are folded.

    *starts* are where each starts, and where the last one ends, as *mates* are of those that they
    replace or are replaced by in *other*.
    """
    if isinstance(text, str) or all(end - start <= limit for start, end in pairwise(starts)):
        yield from _mark_lines(mark, text, starts[0], starts[-1])
        return
    beside = islice(pairwise(mates), len(starts) - 1)
    for (start, end), mate in zip_longest(pairwise(starts), beside):
        if end - start <= limit:
            yield from _mark_lines(mark, text, start, end)
            continue
        line = _raw_line(text, start, end)
        twin = None if other is None or mate is None else _raw_line(other, *mate)
        yield mark + fold_raw_line(line, twin, is_old=mark == "-") + "\n"
        if line.end == end:
            yield NO_NEWLINE


def _raw_line(text: bytes, start: int, end: int) -> RawLine:
    return RawLine(text, start, end - text.endswith(b"\n", start, end))


def _decode(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else piece.decode("utf-8", "surrogateescape")


def _keys(text: AnyStr, starts: Sequence[int]) -> list[Hashable]:
    """Something for each line that is equal for equal lines; not the line where it is long."""
    return [
        text[i:j] if j - i <= _LONG_LINE else (_digest(text[i:j]),) for i, j in pairwise(starts)
    ]


def _digest(line: str | bytes) -> bytes:
    raw = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
    return hashlib.sha256(raw).digest()


def _mark_lines(mark: str, text: str | bytes, start: int, end: int) -> Iterator[str]:
    """Yield the lines [start, end) of *text*, each with *mark* before it."""
    between, opens = f"\n{mark}", mark
    while start < end:
        stop = _piece_end(text, start, end)
        piece = text[start:stop]
        shown = _decode(piece)
        closed = shown.endswith("\n")
        yield opens + shown.removesuffix("\n").replace("\n", between) + ("\n" if closed else "")
        opens = mark if closed else ""
        start = stop
        if start == end and not closed:
            yield "\n" + NO_NEWLINE


def _piece_end(text: str | bytes, start: int, end: int) -> int:
    """Return where a piece from *start* ends: with a line if it can, never within a character."""
    stop = start + _PIECE
    if stop >= end:
        return end
    if isinstance(text, str):
        return text.rfind("\n", start, stop) + 1 or stop
    return text.rfind(b"\n", start, stop) + 1 or char_start(text, stop)


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
