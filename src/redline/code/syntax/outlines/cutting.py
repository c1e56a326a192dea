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
_FUNCTION = re.compile(
    r"[ \t]*(?:async[ \t]+)?def\b"
    r"|[^\n]*(?:\bfunction\b[ \t]*\*?[ \t]*[\w$]*[ \t]*\([^\n]*|=>[ \t]*)\{[ \t]*(?://[^\n]*)?\r?\n"
    r"|[ \t]*(?:(?:static|async|get|set|public|private|protected|override)[ \t]+)*\*?"
    r"(?!(?:if|for|while|switch|catch|with)\b)[#\w$]+\([^\n]*\)[^\n{;=]*\{[ \t]*\r?\n"
)
_REDIRECTS = re.compile(r"\b(?:global|nonlocal)\b")
_REST = re.compile(r"[ \t]*\r?\n")
# Where only `end` follows, the outer body would end earlier.
_NEXT_SIBLING = re.compile(r"(?:[ \t]*\r?\n)*([ \t]*)(?:def|defp|local|function)\b")
_FIRST_MARGIN = re.compile(r"(?:[ \t]*\r?\n)*([ \t]+)")


def outline_of(text: str, language: Language, spots: Sequence[int]) -> Outline:
    """Return *text* without what is far from all of *spots*, which are in order.

    Of definitions that follow each other, all but the first are left out with their heads.
    """
    lexer = LEXERS[language.name]
    outline = OutlineBuilder(text)
    begun: int | None = None
    for piece in pieces_of(text, lexer):
        if piece.is_complete and not is_named(spots, piece.start, piece.end):
            begun = piece.start if begun is None else begun
            continue
        if begun is not None:
            outline.leave_out(begun, piece.start)
            begun = None
        cut_bodies(outline, lexer, spots, piece[:2])
    if begun is not None:
        outline.leave_out(begun, len(text))
    return outline.finish()


def cut_bodies(
    outline: OutlineBuilder,
    lexer: Lexer,
    spots: Sequence[int],
    span: tuple[int, int],
    *,
    functions_only: bool = False,
) -> None:
    """Leave out the bodies within *span* that are far from all of *spots*.

    With *functions_only*, nothing is left out but what binds names for itself alone.
    """
    pattern = _PATTERNS.get(lexer.style)
    if pattern is None:
        return
    text, (at, last) = outline.whole, span
    margin = None
    while (match := pattern.search(text, at, last)) is not None:
        start, end = match.span("body")
        head, body = text[match.start() : start], text[start:end]
        may_go = not is_named(spots, match.start(), match.end()) and lexer.is_closed(body)
        if not may_go or (functions_only and not _is_function(head, body)):
            at, margin = start, None
            continue
        between = text[outline.done : match.start()]
        follows = match["margin"] == margin and between.strip() in ("", "}", "end")
        stop = end if lexer.style == BlockStyle.INDENTED else _end_of_line(text, match.end())
        margin = match["margin"]
        if functions_only or not (follows and stop and _is_whole(head, lexer)):
            stop = 0
        elif lexer.style in (BlockStyle.END, BlockStyle.DO_END):
            sibling = _NEXT_SIBLING.match(text, stop)
            stop = stop if sibling is not None and sibling[1] == margin else 0
        if stop:
            outline.leave_out(match.start(), stop)
        else:
            is_indented = lexer.style == BlockStyle.INDENTED
            outline.leave_out(start, end, _filler(text, start) if is_indented else "")
        at = stop or end


def is_named(spots: Sequence[int], start: int, end: int) -> bool:
    """Return whether one of *spots* is in a span, or so near before it that it may matter."""
    nearest = bisect_left(spots, start - _SIGNATURE_REACH)
    return nearest < len(spots) and spots[nearest] < end


def _is_function(head: str, body: str) -> bool:
    """Return whether a body is a function's that binds no name of another scope."""
    return bool(_FUNCTION.match(head)) and _REDIRECTS.search(body) is None


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
