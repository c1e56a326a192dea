"""Leave out of a file what cannot matter to the words at some offsets.

These are top-level pieces without any of the words, and in the others bodies without them: on lines
of their own, with every bracket, string and comment that they open closed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from redline.code.syntax.definitions import MAX_SIGNATURE
from redline.code.syntax.languages import Language
from redline.code.syntax.outlines.lexers import LEXERS, BlockStyle, Lexer
from redline.code.syntax.outlines.outline import Outline, OutlineBuilder
from redline.code.syntax.outlines.pieces import pieces_of

# Behind the name a signature may go on, with text that is shown.
_SIGNATURE_REACH = 5 * MAX_SIGNATURE
_INNER_LINES = r"(?P<body>(?:(?P=margin)[ \t]+\S[^\n]*\n|[ \t]*\r?\n)++)"
_BRACES = re.compile(
    rf"^(?P<margin>[ \t]*)(?=\S)(?!import\b|use\b)[^\n]*\{{[ \t]*(?://[^\n]*)?\r?\n{_INNER_LINES}(?P=margin)\}}",
    re.MULTILINE,
)
# A body may go on behind a comment at the margin.
# An indented definition needs a sibling behind it, or its end would be the end of the outer one.
_INDENTED = re.compile(
    r"^(?=(?P<inner>[ \t])?)(?P<margin>[ \t]*)(?:async[ \t]+def|def|class)\b[^\n]*:"
    rf"[ \t]*(?:#[^\n]*)?\r?\n{_INNER_LINES}"
    r"(?(inner)(?=(?P=margin)(?:def|class|async|@)\b)|(?=[^\s#]|\Z))",
    re.MULTILINE,
)
_DO = r"\w[^\n]*[ \t]do(?:[ \t]*\|[^|\n]*\|)?[ \t]*"
_END = re.compile(
    r"^(?P<margin>[ \t]*)(?:(?:(?:private|protected|public)[ \t]+)?"
    r"(?:def|class|module|(?:local[ \t]+)?function)\b[^\n]*"
    rf"|[\w.:]+[ \t]*=[ \t]*function\b[^\n]*|{_DO})\r?\n{_INNER_LINES}(?P=margin)end\b",
    re.MULTILINE,
)
_DO_END = re.compile(rf"^(?P<margin>[ \t]*){_DO}\r?\n{_INNER_LINES}(?P=margin)end\b", re.MULTILINE)
_PATTERNS = {
    BlockStyle.BRACES: _BRACES,
    BlockStyle.INDENTED: _INDENTED,
    BlockStyle.END: _END,
    BlockStyle.DO_END: _DO_END,
}
# A definition that is a statement of its own, with braces around its body.
_HEAD = re.compile(
    r"[ \t]*+(?:(?:export|async|function|class|interface|enum|func|fun|fn|pub|impl|struct|trait"
    r"|public|private|protected|internal|static|final|abstract|override|virtual|open|suspend"
    r"|extension|protocol|object|record|contract|library|modifier)\b[^=\n]*"
    r"|(?:override[ \t]+|private[ \t]+|protected[ \t]+)?def[ \t][^\n]*=[ \t]*"
    r"|(?!(?:else|new|return|throw|case|await|yield)\b)[\w \t*<>\[\],.]*[ \t*]\w+"
    r"\([^(){}=\n]*\)[ \t]*)\{[ \t]*\r?\n"
)
_END_HEAD = re.compile(
    r"[ \t]*+(?:def|defp|local[ \t]+function|function)[ \t]+[\w.:]+[?!]?[ \t]*"
    r"(?:\([^()\n]*\))?(?:[ \t]+do)?[ \t]*\r?\n"
)
_REST = re.compile(r"[ \t]*\r?\n")
# Where only `end` follows, the outer body would end earlier.
_NEXT_SIBLING = re.compile(r"(?:[ \t]*\r?\n)*([ \t]*)(?:def|defp|local|function)\b")
_FIRST_MARGIN = re.compile(r"(?:[ \t]*\r?\n)*([ \t]+)")


def outline_of(
    text: str, language: Language, spots: Sequence[int], *, keeps_heads: bool = False
) -> Outline:
    """Return *text* without what is far from all of *spots*, which are in order.

    Of definitions that follow each other, all but the first are left out with their heads, unless
    *keeps_heads*; then nothing at the top level is left out but bodies.
    """
    lexer = LEXERS[language.name]
    outline = OutlineBuilder(text)
    if keeps_heads:
        _cut_bodies(outline, lexer, spots, (0, len(text)), keeps_heads=True)
        return outline.finish()
    begun: int | None = None
    for piece in pieces_of(text, lexer):
        if piece.is_complete and not _is_named(spots, piece.start, piece.end):
            begun = piece.start if begun is None else begun
            continue
        if begun is not None:
            outline.leave_out(begun, piece.start)
            begun = None
        _cut_bodies(outline, lexer, spots, (piece.start, piece.end))
    if begun is not None:
        outline.leave_out(begun, len(text))
    return outline.finish()


def _cut_bodies(
    outline: OutlineBuilder,
    lexer: Lexer,
    spots: Sequence[int],
    span: tuple[int, int],
    *,
    keeps_heads: bool = False,
) -> None:
    """Leave out the bodies within *span* that are far from all of *spots*."""
    pattern = _PATTERNS.get(lexer.style)
    if pattern is None:
        return
    text, (at, last) = outline.whole, span
    margin = None
    while (match := pattern.search(text, at, last)) is not None:
        start, end = match.span("body")
        is_named = _is_named(spots, match.start(), match.end())
        if is_named or not lexer.is_closed(text[start:end]):
            at, margin = start, None
            continue
        between = text[outline.done : match.start()]
        stop = end if lexer.style == BlockStyle.INDENTED else _end_of_line(text, match.end())
        follows = match["margin"] == margin and between.strip() in ("", "}", "end")
        whole = follows and not keeps_heads and _is_whole(text[match.start() : start], lexer)
        if whole and lexer.style in (BlockStyle.END, BlockStyle.DO_END):
            sibling = _NEXT_SIBLING.match(text, stop)
            whole = sibling is not None and sibling[1] == margin
        if whole and stop:
            outline.leave_out(match.start(), stop)
            at = stop
        else:
            is_indented = lexer.style == BlockStyle.INDENTED
            outline.leave_out(start, end, _filler(text, start) if is_indented else "")
            at = end
        margin = match["margin"]


def _is_named(spots: Sequence[int], start: int, end: int) -> bool:
    """Return whether one of *spots* is in a span, or so near before it that it may matter."""
    nearest = bisect_left(spots, start - _SIGNATURE_REACH)
    return nearest < len(spots) and spots[nearest] < end


def _end_of_line(text: str, at: int) -> int:
    """Return where the next line begins if nothing else is on this one, or 0."""
    rest = _REST.match(text, at)
    return 0 if rest is None else rest.end()


def _is_whole(head: str, lexer: Lexer) -> bool:
    """Return whether *head* is all that belongs to a definition before its body."""
    if lexer.style == BlockStyle.INDENTED:
        return lexer.is_closed(head)
    if lexer.style in (BlockStyle.END, BlockStyle.DO_END):
        return bool(_END_HEAD.match(head)) and lexer.is_closed(head)
    return bool(_HEAD.match(head)) and lexer.is_closed(head.rstrip().removesuffix("{"))


def _filler(text: str, start: int) -> str:
    """Return the shortest Python body, indented like the one that begins at *start*."""
    first = _FIRST_MARGIN.match(text, start)
    return f"{first[1] if first else ''}...\n"
