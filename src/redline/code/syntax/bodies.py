"""Find the body of a definition: where its statements begin and end."""

from __future__ import annotations

from dataclasses import dataclass

from redline.code.syntax.definitions import Parsed, Symbol, definitions_of
from redline.code.syntax.doc_comments import docstring_of
from redline.code.syntax.node import SyntaxNode, span_of


@dataclass(frozen=True, slots=True)
class Body:
    """The span of a body, braces included, and where its docstring ends (0: it has none)."""

    start: int
    end: int
    doc_end: int = 0


def bodies_of(parsed: Parsed, wanted: str) -> dict[Symbol, Body | None]:
    """Return the definitions that *wanted* may name as `symbols_of` does, each with its body."""
    is_python = parsed.language.name == "python"
    return {
        symbol: _body_of(node, is_python=is_python)
        for symbol, node in definitions_of(parsed, wanted)
    }


def _body_of(node: SyntaxNode, *, is_python: bool) -> Body | None:
    value = node.field("value")
    body = node.field("body") or (value.field("body") if value is not None else None)
    if body is None:
        return None
    span = span_of(body)
    doc = docstring_of(body) if is_python else None
    return Body(span.start, span.end, span_of(doc).end if doc is not None else 0)
