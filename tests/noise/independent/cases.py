"""A case: files, calls, and what must be true afterwards, all known before the first call."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.noise.independent.corpus import Spot
from tests.noise.independent.text import (
    ANY,
    CRLF,
    LF,
    NONE,
    Doc,
    indent_of,
    is_blank,
    joined,
    plain,
)

APPLY, REFUSE, EITHER, STILL = "apply", "refuse", "either", "still"
EDIT_FILE, APPLY_PATCH, CODE = "edit_file", "apply_patch", "ai_code_editing.edit_file"
DIALECTS = (EDIT_FILE, APPLY_PATCH, CODE)
Row = tuple[str, str]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """Somebody else writes a file."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Ask:
    """A tool is called."""

    tool: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Case:
    """`must` and `after` judge the last step; every file in `after` may be any of its outcomes."""

    rule: str
    dialect: str
    must: str
    before: dict[str, bytes]
    steps: tuple[Write | Ask, ...]
    after: Mapping[str, tuple[Doc | bytes, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hunk:
    """An edit as its author writes it (rows), and what it has to do to the file."""

    doc: Doc
    first: int
    rows: tuple[Row, ...]
    start: int
    stop: int
    added: tuple[str, ...]
    header: str | None = None
    eol: str = LF
    bare_blanks: bool = False
    only_old: tuple[str, ...] | None = None

    @property
    def old(self) -> list[str]:
        """What the author believes the file holds."""
        return list(self.only_old or (text for tag, text in self.rows if tag != "+"))

    @property
    def new(self) -> list[str]:
        """What the author wants there instead."""
        return [text for tag, text in self.rows if tag != "-"]

    @property
    def last(self) -> int:
        """The line behind the block."""
        return self.first + sum(tag != "+" for tag, _ in self.rows)

    def outcome(self) -> Doc:
        """The file afterwards: kept lines are the file's own, new ones end as the block does."""
        style = self.doc.style(self.first, self.last)
        doc = self.doc.with_lines(self.start, self.stop, self.added, style)
        if not self.respelled:
            return doc
        return replace(doc, loose=frozenset(range(self.start, self.start + len(self.added))))

    @property
    def respelled(self) -> bool:
        """Whether a line to be replaced is typographic in the file and plain in the call."""
        return any(
            tag == "-"
            and line < len(self.doc.lines)
            and text != self.doc.lines[line]
            and plain(text) == plain(self.doc.lines[line])
            and self.doc.lines[line] != plain(self.doc.lines[line])
            for tag, text, line in self.places()
        )

    def places(self) -> list[tuple[str, str, int]]:
        """The rows that quote the file, each with the line it stands for."""
        rows = [row for row in self.rows if row[0] != "+"]
        return [(*row, self.first + i) for i, row in enumerate(rows)]

    def quotes(self) -> list[int]:
        """Rows that quote the file and show something."""
        return [i for i, (tag, text) in enumerate(self.rows) if tag != "+" and not is_blank(text)]

    def with_row(self, index: int, text: str) -> Hunk:
        """One row written differently by the author."""
        rows = list(self.rows)
        rows[index] = (rows[index][0], text)
        return replace(self, rows=tuple(rows))

    def line_of(self, index: int) -> int:
        """The file's line that a quoting row stands for."""
        return self.first + sum(tag != "+" for tag, _ in self.rows[:index])

    def with_doc_line(self, line: int, text: str) -> Hunk:
        """One line of the file being different."""
        lines = list(self.doc.lines)
        lines[line] = text
        return replace(self, doc=replace(self.doc, lines=tuple(lines)))

    def with_inserted(self, at: int, lines: Sequence[str]) -> Hunk:
        """Further lines in the file, outside the block."""
        style = self.doc.style()
        doc = self.doc.with_lines(at, at, lines, LF if style == "any" else style)
        by = len(lines) if at <= self.first else 0
        return replace(
            self, doc=doc, first=self.first + by, start=self.start + by, stop=self.stop + by
        )

    def outside(self, rng: random.Random) -> int:
        """A place between lines that does not touch the block, and not behind the last line."""
        places = [*range(self.first), *range(self.last + 1, len(self.doc.lines))]
        return rng.choice(places) if places else -1


def outcome(hunk: Hunk, dialect: str) -> Doc:
    """What may stand in the file afterwards: one thing, save for what no call can say.

    Where lines end differently and two of them read alike, only a patch says which one is new. A
    text that stops before the end of its last line leaves that end where it was.
    """
    doc = hunk.outcome()
    stop = hunk.first + len(hunk.new)
    if dialect == APPLY_PATCH:
        return doc
    open_ended = dialect == EDIT_FILE and not edit_texts(hunk)[0].endswith("\n")
    if hunk.doc.style(hunk.first, hunk.last) == ANY:
        block, old = doc.lines[hunk.first : stop], hunk.doc.lines[hunk.first : hunk.last]
        ends = list(doc.ends)
        for i, text in enumerate(block, hunk.first):
            alike = max(block.count(text), old.count(text)) > 1
            if ends[i] != NONE and (alike or (open_ended and i == stop - 1)):
                ends[i] = ANY
        doc = replace(doc, ends=tuple(ends))
    return doc


def stands_already(hunk: Hunk) -> bool:
    """Whether the new lines stand around the old ones: then the edit may have been made before."""
    lines = hunk.doc.lines
    new = (*lines[hunk.first : hunk.start], *hunk.added, *lines[hunk.stop : hunk.last])
    starts = range(max(0, hunk.last - len(new)), hunk.first + 1)
    return any(lines[i : i + len(new)] == new for i in starts)


def frame(rng: random.Random, spot: Spot, dialect: str) -> Hunk | None:
    """The edit with as many lines around it as it takes to be the only such place."""
    most = len(spot.doc.lines)
    before, after = rng.randrange(4), rng.randrange(4)
    while True:
        first, last = max(0, spot.start - before), min(most, spot.stop + after)
        hunk = Hunk(spot.doc, first, _rows(spot, first, last), spot.start, spot.stop, spot.added)
        if hunk.quotes() and literal_count(hunk, dialect) == 1:
            return hunk
        before, after = before + 1, after + 1
        if before > 10:
            return None


def _rows(spot: Spot, first: int, last: int) -> tuple[Row, ...]:
    lines = spot.doc.lines
    return (
        *((" ", text) for text in lines[first : spot.start]),
        *(("-", text) for text in spot.removed),
        *(("+", text) for text in spot.added),
        *((" ", text) for text in lines[spot.stop : last]),
    )


def literal_count(hunk: Hunk, dialect: str) -> int:
    """How often the quoted text stands in the file as it is written."""
    if dialect == EDIT_FILE:
        return hunk.doc.literal_count(edit_texts(hunk)[0])
    return hunk.doc.block_count(hunk.old)


def edit_texts(hunk: Hunk) -> tuple[str, str]:
    """oldText and newText: closed where an open last line would say something else."""
    old, new = hunk.old, hunk.new
    if not old or not new or is_blank(old[-1]) or is_blank(new[-1]) or hunk.first % 2:
        return joined(old), joined(new)
    return "\n".join(old), "\n".join(new)


def edit_call(path: str, *hunks: Hunk) -> Ask:
    """The edits as `edit_file` takes them."""
    edits = []
    for hunk in hunks:
        old, new = (text.replace("\n", hunk.eol) for text in edit_texts(hunk))
        edits.append({"oldText": old, "newText": new})
    return Ask(EDIT_FILE, {"path": path, "edits": edits})


def patch_lines(hunk: Hunk) -> list[str]:
    """One hunk of an envelope."""
    header = hunk.header
    if header is None:
        old, new = len(hunk.old), len(hunk.new)
        numbers = f"@@ -{hunk.first + 1},{old} +{hunk.first + 1},{new} @@"
        header = numbers if hunk.first % 3 == 0 else "@@"
    bare = hunk.bare_blanks
    return [header, *("" if bare and row == (" ", "") else "".join(row) for row in hunk.rows)]


def patch_call(files: dict[str, list[Hunk]]) -> Ask:
    """The edits as `apply_patch` takes them."""
    lines, eol = ["*** Begin Patch"], LF
    for path, hunks in files.items():
        lines.append(f"*** Update File: {path}")
        for hunk in hunks:
            lines += patch_lines(hunk)
            eol = hunk.eol
    return Ask(APPLY_PATCH, {"patch": eol.join([*lines, "*** End Patch"]) + eol})


def code_text(lines: Sequence[str], *, closed: bool) -> str:
    """Code or quoted text; a final newline is not one more line."""
    text = "\n".join(lines)
    return text + "\n" if closed or not lines[-1] else text


def code_call(path: str, hunk: Hunk, *, quote: bool = True, by: int = 0) -> Ask:
    """The edit as a line range, with the lines it believes to be there when *quote* is set."""
    closed = hunk.first % 2 == 0
    arguments: Json = {
        "target_file": path,
        "edit_instruction": "Update this code.",
        "start_line": hunk.first + 1 + by,
        "end_line": hunk.last + by,
    }
    if hunk.new:
        text = code_text(hunk.new, closed=closed).replace("\n", hunk.eol)
        arguments |= {"code_block": text, "edit_type": "replace"}
    else:
        arguments["edit_type"] = "delete"
    if quote:
        text = code_text(hunk.old, closed=closed).replace("\n", hunk.eol)
        arguments["expected_text"] = text
    return Ask(CODE, arguments)


def call_for(dialect: str, path: str, hunk: Hunk, *, by: int = 0) -> Ask:
    """The same edit in any of the three ways."""
    if dialect == EDIT_FILE:
        return edit_call(path, hunk)
    if dialect == APPLY_PATCH:
        return patch_call({path: [hunk]})
    return code_call(path, hunk, by=by)


def crlf_call(hunk: Hunk) -> Hunk:
    """The author's own line ends are CRLF."""
    return replace(hunk, eol=CRLF)


def common_indent(lines: Sequence[str]) -> str:
    """What all lines that show something begin with."""
    found = [indent_of(line) for line in lines if not is_blank(line)]
    if not found:
        return ""
    low, high = min(found), max(found)
    size = next((i for i, c in enumerate(low) if c != high[i]), len(low))
    return low[:size]
