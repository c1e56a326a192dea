"""Files of a change as rows of an HTML table: unified, or side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, zip_longest
from types import MappingProxyType
from typing import NamedTuple

from redline.core.long_lines import Spans, changed_words, shown_spans
from redline.core.records import dataclass, field
from redline.review.page.diffs.model import DiffLine, FileDiff, HunkView, lines_of
from redline.review.page.markup import Html, address, attribute, locate, text

Colours = Mapping[int, Sequence[tuple[int, int, str]]]
Drawing = Callable[[], str]
_CLASSES = {"+": ' class="a"', "-": ' class="d"', " ": ""}
_NO_NEWLINE = '<span class="eof">no newline at end of file</span>'


# Columns of a given width: a browser need not look at all rows before it shows the first.
UNIFIED_COLUMNS = Html('<colgroup><col class="n"><col class="n"><col></colgroup>')
SPLIT_COLUMNS = Html('<colgroup><col class="n"><col><col class="n"><col></colgroup>')


class ColouredSides(NamedTuple):
    """The coloured spans of both versions, by line from 1."""

    old: Colours = MappingProxyType({})
    new: Colours = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How rows are drawn; `base` is the address of the change, for links.

    `can_undo` says that hunks have buttons, but for those that are `gone`: these have been taken
    back already. `notes` are rows to show below a line, by step, side
    (old or new) and number of the line.
    """

    base: str = ""
    is_split: bool = False
    can_undo: bool = False
    gone: frozenset[int] = frozenset()
    notes: Mapping[tuple[int, str, int], Sequence[Html]] = field(default_factory=dict)

    @property
    def columns(self) -> int:
        """How many columns the table has."""
        return 4 if self.is_split else 3


def rows_of(
    file: FileDiff, options: TableOptions, colours: ColouredSides, start: int, count: int
) -> list[str]:
    """Return *count* rows of a file from row *start*; only these are drawn."""
    return [draw() for draw in islice(_rows(file, options, colours), start, start + count)]


def count_rows(file: FileDiff, options: TableOptions) -> int:
    """Return how many rows a file has."""
    total = sum(_count_hunk(hunk, is_split=options.is_split) + 1 for hunk in file.hunks)
    has_tail = file.hunks and file.hunks[-1].lines.j2 < len(file.new_lines) and options.base
    return total + bool(has_tail) + _count_notes(file, options)


def _count_hunk(hunk: HunkView, *, is_split: bool) -> int:
    old = sum(part.i2 - part.i1 for part in hunk.parts)
    new = sum(part.j2 - part.j1 for part in hunk.parts)
    if is_split:
        changed = sum(max(part.i2 - part.i1, part.j2 - part.j1) for part in hunk.parts)
    else:
        changed = old + new
    return hunk.lines.i2 - hunk.lines.i1 - old + changed


def _count_notes(file: FileDiff, options: TableOptions) -> int:
    if not any(step == file.step for step, _, _ in options.notes):
        return 0
    lines = (line for hunk in file.hunks for line in lines_of(file, hunk))
    return sum(1 for line in lines for _ in _notes(file, options, line))


def context_rows(
    file: FileDiff, options: TableOptions, colours: ColouredSides, start: int, end: int
) -> list[str]:
    """Return the unchanged lines [start, end) of the new version, from 0."""
    shift = _shift_at(file, start)
    lines = [
        DiffLine(" ", n + 1 + shift, n + 1, file.new_lines[n].removesuffix("\n"))
        for n in range(max(0, start), min(end, len(file.new_lines)))
    ]
    if options.is_split:
        return [_draw_pair(colours, line, line) for line in lines]
    return [_draw_line(colours, line) for line in lines]


def _shift_at(file: FileDiff, line: int) -> int:
    """Return what to add to a new line's number to have the old one's."""
    shift = 0
    for hunk in file.hunks:
        if hunk.lines.j2 <= line:
            shift = hunk.lines.i2 - hunk.lines.j2
    return shift


def _rows(file: FileDiff, options: TableOptions, colours: ColouredSides) -> Iterator[Drawing]:
    seen = 0
    for hunk in file.hunks:
        skipped = hunk.lines.j1 - seen
        yield partial(_draw_heading, file, hunk, options, skipped, seen)
        yield from _hunk_rows(file, hunk, options, colours)
        seen = hunk.lines.j2
    left = len(file.new_lines) - seen
    if left > 0 and file.hunks and options.base:
        yield partial(_draw_tail, file, options, seen, left)


def _hunk_rows(
    file: FileDiff, hunk: HunkView, options: TableOptions, colours: ColouredSides
) -> Iterator[Drawing]:
    if not options.is_split:
        for line in lines_of(file, hunk):
            yield partial(_draw_line, colours, line)
            yield from _notes(file, options, line)
        return
    for left, right in _pairs(file, hunk):
        yield partial(_draw_pair, colours, left, right)
        if left is not None and left is not right:
            yield from _notes(file, options, left)
        if right is not None:
            yield from _notes(file, options, right)


def _pairs(file: FileDiff, hunk: HunkView) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    """Yield what is side by side: removed lines beside added ones."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines_of(file, hunk):
        if line.sign != " ":
            (removed if line.sign == "-" else added).append(line)
            continue
        yield from zip_longest(removed, added)
        removed, added = [], []
        yield line, line
    yield from zip_longest(removed, added)


def _notes(file: FileDiff, options: TableOptions, line: DiffLine) -> Iterator[Drawing]:
    if not options.notes:
        return
    side, number = ("old", line.old) if line.sign == "-" else ("new", line.new)
    for note in options.notes.get((file.step, side, number or 0), ()):
        row = f'<tr class="note"><td colspan="{options.columns}">{note}</td></tr>'
        yield partial(str, row)


def _draw_heading(
    file: FileDiff, hunk: HunkView, options: TableOptions, skipped: int, seen: int
) -> str:
    """The line above a hunk: where it is, what it belongs to, and what can be done with it."""
    i1, i2, j1, j2 = hunk.lines
    where = f"−{i1 + 1},{i2 - i1} +{j1 + 1},{j2 - j1}"
    fold = _fold(file, options, seen, hunk.lines.j1, skipped)
    section = f'<span class="sec">{text(hunk.section)}</span>' if hunk.section else ""
    box = action = kind = ""
    if hunk.number in options.gone:
        kind, action = " gone", '<span class="taken">undone</span>'
    elif hunk.number:
        name = f"hunk {hunk.number} of {attribute(file.touched.path)}"
        if options.can_undo:
            box = (
                f'<input type="checkbox" name="hunk" value="{hunk.number}" form="undo"'
                f' aria-label="Select {name}">'
            )
            action = (
                f'<button class="quiet" form="undo" name="only" value="{hunk.number}"'
                f' aria-label="Undo {name}">Undo hunk</button>'
            )
    ident = f' id="h{hunk.number}"' if hunk.number else ""
    return (
        f'<tr class="h{kind}"{ident}><td colspan="{options.columns}"><div>{box}{fold}'
        f'<span class="at">{where}</span>{section}{action}</div></td></tr>'
    )


def _draw_tail(file: FileDiff, options: TableOptions, seen: int, left: int) -> str:
    fold = _fold(file, options, seen, seen + left, left)
    return f'<tr class="h"><td colspan="{options.columns}"><div>{fold}</div></td></tr>'


def _fold(file: FileDiff, options: TableOptions, start: int, end: int, count: int) -> str:
    if count <= 0 or not options.base:
        return ""
    split = "split" if options.is_split else ""
    where = address(
        f"{options.base}/context", file=str(file.step), from_=str(start), to=str(end), view=split
    )
    lines = "1 unchanged line" if count == 1 else f"{count:,} unchanged lines"
    return f'<a class="fold" href="{attribute(locate(where))}">{lines}</a>'


def _draw_line(colours: ColouredSides, line: DiffLine) -> str:
    old = "" if line.old is None else f' data-n="{line.old}"'
    new = "" if line.new is None else f' data-n="{line.new}"'
    return (
        f"<tr{_CLASSES[line.sign]}><td{old}></td><td{new}></td>"
        f"<td>{line.sign}{_paint_line(colours, line)}</td></tr>"
    )


def _draw_pair(colours: ColouredSides, left: DiffLine | None, right: DiffLine | None) -> str:
    old, new = _draw_half(colours, left, is_old=True), _draw_half(colours, right, is_old=False)
    return f"<tr>{old}{new}</tr>"


def _draw_half(colours: ColouredSides, line: DiffLine | None, *, is_old: bool) -> str:
    if line is None:
        return '<td></td><td class="e"></td>'
    number = line.old if is_old else line.new
    style = _CLASSES[line.sign]
    content = _paint_line(colours, line)
    return f'<td data-n="{number}"{style}></td><td{style}>{line.sign}{content}</td>'


def _paint_line(colours: ColouredSides, line: DiffLine) -> str:
    content = line.content
    words: Spans = []
    if line.mate is not None:
        pair = (content, line.mate) if line.sign == "-" else (line.mate, content)
        words = changed_words(*pair)[line.sign == "+"]
    side, number = (colours.old, line.old) if line.sign == "-" else (colours.new, line.new)
    spans = side.get(number or 0, ()) if side else ()
    end = _NO_NEWLINE if line.lacks_newline else ""
    return paint(content, spans, words) + end


def paint(content: str, spans: Sequence[tuple[int, int, str]], words: Spans) -> str:
    """Return a line with its colours, and the words that changed marked.

    Of a line that is too long, only what is around these is shown.
    """
    parts: list[str] = []
    at = 0
    for first, last in shown_spans(content, words):
        parts.append(_gap(first - at))
        at = first
        for start, end in words:
            start, end = max(start, at), min(end, last)
            if start < end:
                parts.append(_colour(content, spans, at, start))
                parts.append(f"<mark>{_colour(content, spans, start, end)}</mark>")
                at = end
        parts.append(_colour(content, spans, at, last))
        at = last
    return "".join([*parts, _gap(len(content) - at)])


def _gap(count: int) -> str:
    return f'<span class="eof">{count:,} characters</span>' if count else ""


def _colour(content: str, spans: Sequence[tuple[int, int, str]], start: int, end: int) -> str:
    parts: list[str] = []
    at = start
    for low, high, kind in spans:
        low, high = max(low, at), min(high, end)
        if low >= high:
            continue
        parts.append(text(content[at:low]))
        parts.append(f'<i class="{kind}">{text(content[low:high])}</i>')
        at = high
    parts.append(text(content[at:end]))
    return "".join(parts)
