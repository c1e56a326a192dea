"""Find a name's definitions in a large file without parsing what cannot matter to them.

The bodies of other definitions are most of a large file. They are left out where that is safe:
a body in which the name does not occur, on lines of its own, with every bracket, string and comment
that it opens closed. What is left must parse without errors; otherwise the whole file is parsed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from itertools import accumulate

from redline.code.syntax.bodies import Body, body_at
from redline.code.syntax.changed_part import MIN_LINES
from redline.code.syntax.definitions import (
    MAX_SIGNATURE,
    Parsed,
    Symbol,
    doc_head,
    find_occurrences,
    parse,
    readable,
    symbols_of,
)
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import Language

# Behind the name a signature may go on, with text that is shown.
_SIGNATURE_REACH = 5 * MAX_SIGNATURE
_MAX_OCCURRENCES = 2_000
# With more than this left, the cut saves too little.
MAX_SHARE = 0.7
_BRACES = re.compile(
    r"^(?P<margin>[ \t]*)(?=\S)[^\n]*\{[ \t]*(?://[^\n]*)?\r?\n"
    r"(?P<body>(?:(?P=margin)[ \t]+\S[^\n]*\n|[ \t]*\r?\n)++)(?P=margin)\}",
    re.MULTILINE,
)
# A body may go on behind a comment at the margin.
# An indented definition needs a sibling behind it, or its end would be the end of the outer one.
_INDENTED = re.compile(
    r"^(?=(?P<inner>[ \t])?)(?P<margin>[ \t]*)(?:async[ \t]+def|def|class)\b[^\n]*:"
    r"[ \t]*(?:#[^\n]*)?\r?\n(?P<body>(?:(?P=margin)[ \t]+\S[^\n]*\n|[ \t]*\r?\n)++)"
    r"(?(inner)(?=(?P=margin)(?:def|class|async|@)\b)|(?=[^\s#]|\Z))",
    re.MULTILINE,
)
# A definition that is a statement of its own, with braces around its body.
_HEAD = re.compile(
    r"[ \t]*+(?:(?:export|async|function|class|interface|enum|func|fn|pub|impl|struct|trait"
    r"|public|private|protected|static|final|abstract)\b[^=\n]*"
    r"|(?!(?:else|new|return|throw|case|await|yield)\b)[\w \t*<>\[\],.]*[ \t*]\w+"
    r"\([^(){}=\n]*\)[ \t]*)\{[ \t]*\r?\n"
)
_REST = re.compile(r"[ \t]*\r?\n")
_QUOTED = r'"(?:\\.|[^"\\\n])*+"'
_CHARACTERS = r"'(?:\\.|[^'\\\n])*+'"
_TRIPLE = r'"""(?:\\.|[^\\])*?"""'
_COMMENTS = r"//[^\n]*|/\*.*?\*/"
_C_LIKE = f"{_COMMENTS}|{_QUOTED}|{_CHARACTERS}"
_SCRIPT = rf"{_C_LIKE}|`(?:\\.|[^`\\])*+`"
_TOKENS = {
    "python": rf"#[^\n]*|{_TRIPLE}|'''(?:\\.|[^\\])*?'''|{_QUOTED}|{_CHARACTERS}",
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": rf"{_C_LIKE}|`[^`]*`",
    "java": rf"{_COMMENTS}|{_TRIPLE}|{_QUOTED}|{_CHARACTERS}",
    "rust": rf"{_COMMENTS}|r(#*)\".*?\"\1|\"(?:\\.|[^\"\\])*+\"|'(?:\\[^\n]*?|[^\\'\n])'|'\w+",
    "c": _C_LIKE,
    "cpp": _C_LIKE,
}
_LEXERS = {language: re.compile(tokens, re.DOTALL) for language, tokens in _TOKENS.items()}
_FIRST_MARGIN = re.compile(r"(?:[ \t]*\r?\n)*([ \t]+)")
_OPEN_TOKEN = re.compile(r"[\"'`]|/\*|\*/")


@dataclass(frozen=True, slots=True)
class Outline:
    """A text with bodies left out, and how many lines and characters are missing before a place."""

    text: str
    # Lines and offsets of this text behind which something is missing, with the sums up to there.
    lines: list[int]
    missing_lines: list[int]
    offsets: list[int]
    missing: list[int]

    def line(self, line: int) -> int:
        """Return the line of the whole text that is *line* here."""
        return line + self.missing_lines[bisect_left(self.lines, line)]

    def offset(self, offset: int) -> int:
        """Return the offset in the whole text of a character here."""
        return offset + self.missing[bisect_right(self.offsets, offset)]

    def find(self, offset: int) -> int:
        """Return the offset here of a character of the whole text that was not left out."""
        starts = [at + gone for at, gone in zip(self.offsets, self.missing[1:], strict=True)]
        return offset - self.missing[bisect_right(starts, offset)]

    def is_cut(self, start: int, end: int) -> bool:
        """Return whether something is missing between two offsets."""
        return bisect_right(self.offsets, start) != bisect_right(self.offsets, end)


def named_symbols(text: str, language: Language, wanted: str) -> list[Symbol]:
    """Return the definitions in *text* that *wanted* may name, as `symbols_of` does."""
    if text.count("\n") >= MIN_LINES:
        found = outlined_symbols(text, language, wanted)
        if found is not None:
            return found
    return symbols_of(parse(text, language), wanted)


def named_body(text: str, language: Language, offset: int) -> Body | None:
    """Return the body of the definition whose name is at *offset*, as `body_at` does."""
    if text.count("\n") >= MIN_LINES:
        outlined = _parse_outline(text, language, [offset])
        if outlined is not None:
            return outlined_body(*outlined, offset)
    return body_at(parse(text, language), offset)


def outlined_symbols(
    text: str, language: Language, wanted: str, max_share: float = MAX_SHARE
) -> list[Symbol] | None:
    """Return the same by an outline of *text*; None if that is uncertain or not worth it."""
    spots = find_occurrences(text, wanted)
    if not spots:
        return []
    outlined = _parse_outline(text, language, spots, max_share)
    if outlined is None:
        return None
    outline, parsed = outlined
    lines = text.split("\n")
    found: list[Symbol] = []
    for symbol in symbols_of(parsed, wanted):
        if outline.is_cut(symbol.span[0], symbol.offset):
            return None  # a part of its signature may be missing
        found.append(_restore(symbol, outline, lines, language))
    return found


def outlined_body(outline: Outline, parsed: Parsed, offset: int) -> Body | None:
    """Return the body of the definition whose name is at *offset* of the whole text."""
    found = body_at(parsed, outline.find(offset))
    if found is None:
        return None
    end = outline.offset(found.end - 1) + 1
    doc_end = outline.offset(found.doc_end - 1) + 1 if found.doc_end else 0
    return Body(outline.offset(found.start), end, doc_end)


def _parse_outline(
    text: str, language: Language, spots: list[int], max_share: float = MAX_SHARE
) -> tuple[Outline, Parsed] | None:
    """Parse an outline of *text*; return None if that is uncertain or not worth it."""
    if language.name not in _LEXERS or len(spots) > _MAX_OCCURRENCES:
        return None
    outline = outline_of(text, language, spots)
    if len(outline.text) > max_share * len(text):
        return None
    parsed = parse(outline.text, language)
    return None if syntax_issues(readable(parsed)) else (outline, parsed)


def outline_of(text: str, language: Language, spots: list[int]) -> Outline:
    """Return *text* without the bodies that are far from all of *spots*.

    Of definitions that follow each other, all but the first are left out with their heads.
    """
    is_python = language.name == "python"
    pattern, lexer = (_INDENTED if is_python else _BRACES), _LEXERS[language.name]
    outline = _OutlineBuilder(text)
    at, margin = 0, None
    while (match := pattern.search(text, at)) is not None:
        start, end = match.span("body")
        nearest = bisect_left(spots, match.start() - _SIGNATURE_REACH)
        is_named = nearest < len(spots) and spots[nearest] < match.end()
        if is_named or not _is_closed(text[start:end], lexer):
            at, margin = start, None
            continue
        between = text[outline.done : match.start()]
        stop = end if is_python else _end_of_line(text, match.end())
        follows = match["margin"] == margin and between.strip() in ("", "}")
        if follows and stop and _is_whole(text[match.start() : start], is_python, lexer):
            outline.leave_out(match.start(), stop)
            at = stop
        else:
            outline.leave_out(start, end, _filler(text, start) if is_python else "")
            at = end
        margin = match["margin"]
    return outline.finish()


@dataclass(slots=True)
class _OutlineBuilder:
    whole: str
    done: int = 0
    kept: list[str] = field(default_factory=list)
    lines: int = 0
    size: int = 0
    # For each cut: the line and offset behind which it is, and the lines and characters missing.
    cuts: list[tuple[int, int, int, int]] = field(default_factory=list)

    def leave_out(self, start: int, end: int, filler: str = "") -> None:
        kept = self.whole[self.done : start] + filler
        self.kept.append(kept)
        self.lines += kept.count("\n")
        self.size += len(kept)
        gone = self.whole.count("\n", start, end) - filler.count("\n")
        self.cuts.append((self.lines, self.size, gone, end - start - len(filler)))
        self.done = end

    def finish(self) -> Outline:
        self.kept.append(self.whole[self.done :])
        return Outline(
            "".join(self.kept),
            [cut[0] for cut in self.cuts],
            [0, *accumulate(cut[2] for cut in self.cuts)],
            [cut[1] for cut in self.cuts],
            [0, *accumulate(cut[3] for cut in self.cuts)],
        )


def _end_of_line(text: str, at: int) -> int:
    """Return where the next line begins if nothing else is on this one, or 0."""
    rest = _REST.match(text, at)
    return 0 if rest is None else rest.end()


def _is_whole(head: str, is_python: bool, lexer: re.Pattern[str]) -> bool:
    """Return whether *head* is all that belongs to a definition before its body."""
    if is_python:
        return _is_closed(head, lexer)
    return bool(_HEAD.match(head)) and _is_closed(head.rstrip().removesuffix("{"), lexer)


def _filler(text: str, start: int) -> str:
    """Return the shortest Python body, indented like the one that begins at *start*."""
    first = _FIRST_MARGIN.match(text, start)
    return f"{first[1] if first else ''}...\n"


def _is_closed(body: str, lexer: re.Pattern[str]) -> bool:
    """Return whether *body* closes every bracket, string and comment that it opens."""
    code = lexer.sub("", body)
    return (
        code.count("{") == code.count("}")
        and code.count("(") == code.count(")")
        and code.count("[") == code.count("]")
        and _OPEN_TOKEN.search(code) is None
    )


def _restore(symbol: Symbol, outline: Outline, lines: list[str], language: Language) -> Symbol:
    """Return *symbol* of an outline at its place in the whole text."""
    start = outline.line(symbol.start)
    own_doc = language.name == "python"
    return replace(
        symbol,
        line=outline.line(symbol.line),
        start=start,
        end=outline.line(symbol.end),
        doc=symbol.doc if own_doc else doc_head(lines, start - 1, language.comment),
        offset=outline.offset(symbol.offset),
        span=(outline.offset(symbol.span[0]), outline.offset(symbol.span[1] - 1) + 1),
    )
