"""Find the body of a definition: where its statements begin and end."""

from __future__ import annotations

from dataclasses import dataclass

from redline.code.syntax.definitions import Parsed, find_definition
from redline.code.syntax.node import SyntaxNode, span_of


@dataclass(frozen=True, slots=True)
class Body:
    """The span of a body, braces included, and where its docstring ends (0: it has none)."""

    start: int
    end: int
    doc_end: int = 0


def body_at(parsed: Parsed, offset: int) -> Body | None:
    """Return the body of the definition whose name is at *offset*; None if it has none."""
    node = find_definition(parsed, offset)
    if node is None:
        return None
    value = node.field("value")
    body = node.field("body") or (value.field("body") if value is not None else None)
    if body is None:
        return None
    span = span_of(body)
    doc = _docstring(body) if parsed.language.name == "python" else None
    return Body(span.start, span.end, span_of(doc).end if doc is not None else 0)


def _docstring(body: SyntaxNode) -> SyntaxNode | None:
    first = body.child(0)
    string = first.child(0) if first is not None else None
    is_doc = string is not None and string.kind() == "string"
    return (
        first if first is not None and first.kind() == "expression_statement" and is_doc else None
    )
