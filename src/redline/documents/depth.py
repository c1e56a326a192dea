"""How deep a text nests, counted in linear time before any native parser sees it."""

from __future__ import annotations

import re

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.model import MAX_DEPTH
from redline.documents.possessive import compiled

_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
# A string that is never closed reaches to the end, so that nothing is read twice.
_STRINGS = compiled(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+(?:'|\\?\Z|(?=\n))",
    re.DOTALL,
)
_SLACK = 8


def brackets_too_deep(source: bytes, limit: int = MAX_DEPTH) -> bool:
    """Whether brackets outside strings nest deeper than *limit*.

    Pairs are peeled off layer by layer, which costs one pass per level of real documents; only
    text whose brackets do not pair up (brackets in strings) is read again without its strings.
    """
    left = source.translate(None, _NOT_BRACKETS)
    for _ in range(limit):
        if len(left) <= limit:
            return False
        shorter = left.replace(b"[]", b"").replace(b"{}", b"")
        if len(left) - len(shorter) < _SLACK:
            break
        left = shorter
    return _exact_depth(source) > limit


def _exact_depth(source: bytes) -> int:
    depth = deepest = 0
    for byte in _STRINGS.sub(b"", source).translate(None, _NOT_BRACKETS):
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth = max(0, depth - 1)
    return deepest


def require_shallow(source: bytes) -> None:
    """Refuse brackets nested deeper than any engine here goes."""
    if brackets_too_deep(source):
        raise too_deep()


def too_deep() -> DocumentSyntax:
    """The document nests deeper than is supported."""
    return DocumentSyntax(f"Document is nested deeper than {MAX_DEPTH} levels")


def value_too_deep() -> CannotApply:
    """The change would nest the document deeper than is supported."""
    return CannotApply(f"The result would be nested deeper than {MAX_DEPTH} levels")
