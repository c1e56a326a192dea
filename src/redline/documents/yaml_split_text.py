"""Where the text of a large scalar can be cut, and what holds no text at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.documents.possessive import compiled
from redline.documents.yaml_flow import Node
from redline.documents.yaml_region import LINE, Around, Region, Run

# Inside a word; in double quotes not inside an escape either, by how many digits it has.
_WORD_BREAK = rb"(?<=[0-9A-Za-z\x80-\xbf])(?=[0-9A-Za-z\xc2-\xf4])"
_DIGITS = ((b"x", 2), (b"u", 4), (b"U", 8))
_NO_ESCAPE = rb"(?<!\\.)" + b"".join(
    rb"(?<!\\%b.{%d})" % (letter, n) for letter, digits in _DIGITS for n in range(digits)
)
_IN_WORD = re.compile(_WORD_BREAK)
_BEHIND_ESCAPES = re.compile(_WORD_BREAK + _NO_ESCAPE, re.DOTALL)
_BLANK_LINES = compiled(rb"[^\n]*+\n(?:[ ]*+\r?\n)*+")
# A line that a tab leads is not for a gap: whether it may stand there depends on what is above.
_COMMENTS = compiled(rb"(?:[ \n]++|#[^\n]*+(?:\n|\Z)|\r\n)*+")
_FAR = 1 << 10
_WORD = b"00"


def inline_runs(source: bytes, start: int, end: int, around: Around, step: int) -> Iterator[Region]:
    """The inside of the quoted or plain scalar in [start, end), if it can be cut."""
    mark = source[start : start + 1] if source[start] in b"\"'" else b""
    before, after = around.before + mark + _WORD, _WORD + mark + around.after
    pattern = _BEHIND_ESCAPES if mark == b'"' else _IN_WORD
    runs: list[Run] = []
    at = _cut(pattern, source, start + step, end)
    while 0 < at < end - step:
        following = _cut(pattern, source, at + step, end)
        if following < 0:
            break
        runs.append(Run(at, following))
        at = following
    if runs:
        kind = {b'"': "double", b"'": "single"}.get(mark, "plain")
        yield Region(start, kind, before, after, around.depth, around.level, runs, end)


def _cut(pattern: re.Pattern[bytes], source: bytes, at: int, end: int) -> int:
    """The first place at or behind *at* where the text can be cut; -1 when there is none near."""
    found = pattern.search(source, at, min(at + _FAR, end)) if at < end else None
    return found.start() if found else -1


def block_runs(source: bytes, node: Node, step: int, level: int) -> Iterator[Region]:
    """The lines of a literal or folded scalar, all but the first and the last ones."""
    column = node.content_indent
    first = _BLANK_LINES.match(source, node.header_end, node.end)
    if first is None or column > step or column < 0:
        return
    pad = b" " * column + LINE
    head = b"- |\n" if column else b"--- |\n"
    runs: list[Run] = []
    at = source.find(b"\n", first.end(), node.end) + 1
    while at > 0:
        following = source.find(b"\n", at + step, node.end) + 1
        if following > 0:
            runs.append(Run(at, following))
        at = following
    if runs:
        yield Region(
            node.start, node.style, head + pad, pad, int(column > 0), level, runs, node.end
        )


def gap_runs(source: bytes, start: int, end: int, around: Region, step: int) -> Iterator[Region]:
    """The lines of [start, end), if they are blank or comments; *around* is their collection."""
    if not _COMMENTS.fullmatch(source, start, end):
        return
    runs: list[Run] = []
    at = start
    while 0 < at < end:
        following = source.find(b"\n", min(at + step, end), end) + 1
        if following > 0:
            runs.append(Run(at, following))
        at = following
    if runs:
        yield Region(start, "gap", around.before, around.after, around.depth, around.level, runs)
