"""Find a name's definitions in a large file without parsing what cannot matter to them.

What is left of the file must parse without errors; otherwise the whole file is parsed.
"""

from __future__ import annotations

from redline.code.syntax.bodies import Body, bodies_of
from redline.code.syntax.changed_part import MIN_LINES
from redline.code.syntax.definitions import (
    Parsed,
    Symbol,
    find_occurrences,
    parse_readable,
)
from redline.code.syntax.doc_comments import doc_head
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import Language
from redline.code.syntax.outlines.cutting import outline_of
from redline.code.syntax.outlines.lexers import LEXERS
from redline.code.syntax.outlines.outline import Outline

_MAX_OCCURRENCES = 2_000
# With more than this left, the cut saves too little.
MAX_SHARE = 0.7


def named_bodies(text: str, language: Language, wanted: str) -> dict[Symbol, Body | None]:
    """Return the definitions in *text* that *wanted* may name, as `bodies_of` does."""
    if text.count("\n") >= MIN_LINES:
        found = outlined_bodies(text, language, wanted)
        if found is not None:
            return found
    return bodies_of(parse_readable(text, language), wanted)


def outlined_bodies(
    text: str, language: Language, wanted: str, max_share: float = MAX_SHARE
) -> dict[Symbol, Body | None] | None:
    """Return the same by an outline of *text*; None if that is uncertain or not worth it."""
    spots = find_occurrences(text, wanted)
    if not spots:
        return {}
    outlined = _parse_outline(text, language, spots, max_share)
    if outlined is None:
        return None
    outline, parsed = outlined
    lines = text.split("\n")
    found: dict[Symbol, Body | None] = {}
    for symbol, body in bodies_of(parsed, wanted).items():
        if outline.is_cut(symbol.span[0], symbol.offset):
            return None  # a part of its signature may be missing
        restored = _restore(symbol, outline, lines, language)
        found[restored] = None if body is None else _restore_body(body, outline)
    return found


def _parse_outline(
    text: str, language: Language, spots: list[int], max_share: float = MAX_SHARE
) -> tuple[Outline, Parsed] | None:
    """Parse an outline of *text*; return None if that is uncertain or not worth it."""
    if language.name not in LEXERS or len(spots) > _MAX_OCCURRENCES:
        return None
    outline = outline_of(text, language, spots)
    if len(outline.text) > max_share * len(text):
        return None
    parsed = parse_readable(outline.text, language)
    return None if syntax_issues(parsed) else (outline, parsed)


def _restore(symbol: Symbol, outline: Outline, lines: list[str], language: Language) -> Symbol:
    """Return *symbol* of an outline at its place in the whole text."""
    own_doc = language.name == "python"
    return symbol._replace(
        doc=symbol.doc if own_doc else doc_head(lines, symbol.start - 1, language.comment),
        offset=outline.offset(symbol.offset),
        span=(outline.offset(symbol.span[0]), outline.offset(symbol.span[1] - 1) + 1),
    )


def _restore_body(body: Body, outline: Outline) -> Body:
    """Return a *body* of an outline at its place in the whole text."""
    end = outline.offset(body.end - 1) + 1
    doc_end = outline.offset(body.doc_end - 1) + 1 if body.doc_end else 0
    return Body(outline.offset(body.start), end, doc_end)
