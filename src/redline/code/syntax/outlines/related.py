"""Leave out of a script what cannot decide which symbol a word refers to.

Where scopes are known, a word's meaning depends on other names: of classes, bases, values. So a
top-level definition is left out only if nothing that is kept mentions a name that it binds, and in
what is kept only the bodies of functions are left out, which bind names for themselves alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.code.syntax.languages import Language
from redline.code.syntax.outlines.cutting import cut_bodies, is_named
from redline.code.syntax.outlines.lexers import LEXERS, BlockStyle, Lexer
from redline.code.syntax.outlines.outline import Outline, OutlineBuilder
from redline.code.syntax.outlines.pieces import Piece, pieces_of

_WORD = re.compile(r"[\w$]+")
# What a line at the margin may be in a piece that binds nothing but the names found here.
_PYTHON_LINE = re.compile(
    r"(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]+)?=(?!=)[^=\n]*$|[#@)\]}]"
)
_SCRIPT_LINE = re.compile(
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?"
    r"(?:(?:function\*?|class|interface|enum)[ \t]+([\w$]+)|(?:const|let|var|type)[ \t]+([\w$]+)"
    r"[^,]*[;{(\[][ \t]*$)|//|/?\*|[)\]}][^,]*$"
)
_MARGIN_LINE = re.compile(r"^(?=\S)[^\n]*$", re.MULTILINE)
# More names that a statement binds, and names of another scope.
_BINDS_MORE = re.compile(r"^[ \t]*,|\b(?:global|nonlocal)\b", re.MULTILINE)


def related_outline(text: str, language: Language, spots: Sequence[int]) -> Outline:
    """Return *text* without what cannot matter to the meaning of the words at *spots*."""
    lexer = LEXERS[language.name]
    line = _PYTHON_LINE if lexer.style == BlockStyle.INDENTED else _SCRIPT_LINE
    kept: list[Piece] = []
    loose: list[tuple[Piece, set[str]]] = []
    for piece in pieces_of(text, lexer):
        names = _bound_names(text[piece.start : piece.end], line) if piece.is_complete else None
        if names is None or is_named(spots, piece.start, piece.end):
            kept.append(piece)
        else:
            loose.append((piece, names))
    fresh, known = kept, set[str]()
    while fresh:
        for piece in fresh:
            known.update(_WORD.findall(_without_bodies(text, lexer, spots, piece)))
        fresh = [piece for piece, names in loose if not names.isdisjoint(known)]
        loose = [(piece, names) for piece, names in loose if names.isdisjoint(known)]
        kept += fresh
    outline = OutlineBuilder(text)
    at = 0
    for piece in sorted(kept):
        if at < piece.start:
            outline.leave_out(at, piece.start)
        cut_bodies(outline, lexer, spots, piece[:2], functions_only=True)
        at = piece.end
    if at < len(text):
        outline.leave_out(at, len(text))
    return outline.finish()


def _bound_names(piece: str, line: re.Pattern[str]) -> set[str] | None:
    """Return the names that a piece binds at the top level; None unless they are certain."""
    if _BINDS_MORE.search(piece) is not None:
        return None
    names: set[str] = set()
    for match in _MARGIN_LINE.finditer(piece):
        found = line.match(match[0])
        if found is None:
            return None
        names.update(filter(None, found.groups()))
    return names


def _without_bodies(text: str, lexer: Lexer, spots: Sequence[int], piece: Piece) -> str:
    """Return what is kept of a piece."""
    outline = OutlineBuilder(text, piece.start)
    cut_bodies(outline, lexer, spots, piece[:2], functions_only=True)
    return "".join(outline.kept) + text[outline.done : piece.end]
