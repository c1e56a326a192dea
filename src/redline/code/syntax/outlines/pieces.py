"""Cut a file into its top-level pieces: what begins unindented, behind a blank line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from redline.code.syntax.outlines.lexers import BlockStyle, Lexer

# A string or comment with blank lines in it is taken for several pieces; at most so many.
_MAX_JOINED = 4
# Goes on with what is before it.
_CONTINUES = (
    r"(?!(?:else|elif|except|finally|catch|and|or|from|while|until|case|default|get|set|where|with"
    r"|extends|implements|derives|throws|noexcept|module|of|in|then|do|end)\b)"
)
_BLANK = r"\n[ \t]*\r?\n"
_BEGINS = {
    # A definition may go on behind a comment at the margin.
    BlockStyle.INDENTED: re.compile(rf"{_BLANK}(?=(?:#[^\n]*\n)*{_CONTINUES}[A-Za-z_@])"),
    BlockStyle.BRACES: re.compile(rf"{_BLANK}(?={_CONTINUES}[A-Za-z_#/.*:])"),
    BlockStyle.PIECES: re.compile(rf"{_BLANK}(?={_CONTINUES}[A-Za-z_])"),
}
_DECORATED = re.compile(r"^@[^\n]*\n(?![\s\S]*^(?:async|def|class)\b)", re.MULTILINE)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*[a-z]")


class Piece(NamedTuple):
    """The span of a piece, and whether it is complete by itself."""

    start: int
    end: int
    is_complete: bool


def pieces_of(text: str, lexer: Lexer) -> Iterator[Piece]:
    """Return the top-level pieces of *text* in order; together they are the whole of it."""
    begins = _BEGINS.get(lexer.style)
    if begins is None:
        yield Piece(0, len(text), False)
        return
    edges = [0, *(match.end() for match in begins.finditer(text)), len(text)]
    at, last, is_free = 0, len(edges) - 1, True
    while at < last:
        start = edges[at]
        for stop in range(at + 1, min(at + _MAX_JOINED, last) + 1):
            code = lexer.code_of(text[start : edges[stop]])
            if code is not None:
                break
        else:
            stop = at + 1
        ends = _ends(text[start : edges[stop]] if code is None else code, lexer)
        is_complete = is_free and ends and code is not None and lexer.is_balanced(code)
        yield Piece(start, edges[stop], is_complete)
        at, is_free = stop, ends


def _ends(code: str, lexer: Lexer) -> bool:
    """Return whether what follows *code* cannot go on with it."""
    if lexer.style == BlockStyle.INDENTED:
        return _DECORATED.search(code) is None
    if lexer.style == BlockStyle.PIECES:
        return True
    # The end of a statement or a label, the beginning of a block, or a line for the preprocessor.
    kept = code.rstrip()
    if not kept or kept[-1] in ";{}:":
        return True
    return _DIRECTIVE.match(kept, kept.rfind("\n") + 1) is not None
