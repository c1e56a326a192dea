"""Find a name's definitions in a large file without parsing what cannot matter to them.

What is left of the file must parse without errors; otherwise the whole file is parsed.
"""

from __future__ import annotations

from dataclasses import replace

from redline.code.syntax.bodies import Body, body_at
from redline.code.syntax.changed_part import MIN_LINES
from redline.code.syntax.definitions import (
    Parsed,
    Symbol,
    doc_head,
    find_occurrences,
    parse_readable,
    symbols_of,
)
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import Language
from redline.code.syntax.outlines.cutting import outline_of
from redline.code.syntax.outlines.lexers import LEXERS
from redline.code.syntax.outlines.outline import Outline

_MAX_OCCURRENCES = 2_000
# With more than this left, the cut saves too little.
MAX_SHARE = 0.7


def named_symbols(text: str, language: Language, wanted: str) -> list[Symbol]:
    """Return the definitions in *text* that *wanted* may name, as `symbols_of` does."""
    if text.count("\n") >= MIN_LINES:
        found = outlined_symbols(text, language, wanted)
        if found is not None:
            return found
    return symbols_of(parse_readable(text, language), wanted)


def named_body(text: str, language: Language, offset: int) -> Body | None:
    """Return the body of the definition whose name is at *offset*, as `body_at` does."""
    if text.count("\n") >= MIN_LINES:
        outlined = _parse_outline(text, language, [offset])
        if outlined is not None:
            return outlined_body(*outlined, offset)
    return body_at(parse_readable(text, language), offset)


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
    return replace(
        symbol,
        doc=symbol.doc if own_doc else doc_head(lines, symbol.start - 1, language.comment),
        offset=outline.offset(symbol.offset),
        span=(outline.offset(symbol.span[0]), outline.offset(symbol.span[1] - 1) + 1),
    )
