"""What a file may be like: line ends, byte order mark, no final newline, odd separators."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tests.noise.independent.cases import Hunk
from tests.noise.independent.text import CRLF, LF, NONE

Format = Callable[[random.Random, Hunk], Hunk | None]


def plain(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """As it came."""
    return hunk


def crlf(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Every line ends with CRLF."""
    doc = hunk.doc
    ends = tuple(CRLF if end == LF else end for end in doc.ends)
    return replace(hunk, doc=replace(doc, ends=ends))


def mixed(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Lines end either way, in runs or one by one."""
    run, end, ends = rng.choice((1, 2, 8)), LF, []
    for _ in hunk.doc.lines:
        if rng.random() < 0.5 / run:
            end = CRLF if end == LF else LF
        ends.append(end)
    if len(set(ends)) == 1:
        ends[0] = CRLF
    return replace(hunk, doc=replace(hunk.doc, ends=tuple(ends)))


def bom(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """A byte order mark in front."""
    return replace(hunk, doc=replace(hunk.doc, bom=True))


def no_final_newline(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The last line is not ended; taking that line away altogether has two readings."""
    if hunk.stop == len(hunk.doc.lines) and (not hunk.added or not hunk.added[-1]):
        return None
    if not hunk.doc.lines[-1]:
        return None
    return replace(hunk, doc=replace(hunk.doc, ends=(*hunk.doc.ends[:-1], NONE)))


def crlf_no_final_newline(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Both at once."""
    found = no_final_newline(rng, hunk)
    return found and crlf(rng, found)


def _odd(mark: str) -> Format:
    def inject(rng: random.Random, hunk: Hunk) -> Hunk | None:
        """A separator that ends no line, in the block where that is possible, else elsewhere."""
        inner = [i for i in hunk.quotes() if len(hunk.rows[i][1].strip()) > 3]
        if inner and rng.random() < 0.7:
            index = rng.choice(inner)
            text = _within(rng, hunk.rows[index][1], mark)
            return hunk.with_doc_line(hunk.line_of(index), text).with_row(index, text)
        line = rng.randrange(len(hunk.doc.lines))
        if hunk.first <= line < hunk.last or len(hunk.doc.lines[line].strip()) < 4:
            return None
        return hunk.with_doc_line(line, _within(rng, hunk.doc.lines[line], mark))

    return inject


def _within(rng: random.Random, text: str, mark: str) -> str:
    start = len(text) - len(text.lstrip()) + 1
    at = rng.randrange(start, len(text.rstrip()))
    return text[:at] + mark + text[at:]


FORMATS: dict[str, tuple[int, Format]] = {
    "plain": (38, plain),
    "crlf": (18, crlf),
    "mixed ends": (12, mixed),
    "bom": (7, bom),
    "no final newline": (8, no_final_newline),
    "crlf, no final newline": (4, crlf_no_final_newline),
    "lone cr": (4, _odd("\r")),
    "form feed": (3, _odd("\f")),
    "line separator": (3, _odd("\u2028")),
    "next line": (3, _odd("\x85")),
}


def pick(rng: random.Random) -> tuple[str, Format]:
    """A format by its weight."""
    names = list(FORMATS)
    name = rng.choices(names, [FORMATS[n][0] for n in names])[0]
    return name, FORMATS[name][1]
