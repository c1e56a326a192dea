"""Find the body of a definition: where its statements begin and end."""

from __future__ import annotations

from redline.code.syntax.definitions import Parsed, Symbol, definitions_of
from redline.code.syntax.doc_comments import docstring_of
from redline.code.syntax.node import SyntaxNode, span_of
from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Body:
    """The span of a body, braces included, and where its docstring ends (0: it has none)."""

    start: int
    end: int
    doc_end: int = 0


def bodies_of(parsed: Parsed, wanted: str) -> dict[Symbol, Body | None]:
    """Return the definitions that *wanted* may name as `symbols_of` does, each with its body."""
    language = parsed.language.name
    return {symbol: _body_of(node, language) for symbol, node in definitions_of(parsed, wanted)}


def _body_of(node: SyntaxNode, language: str) -> Body | None:
    if language in _FINDERS:
        return _FINDERS[language](node)
    value = node.field("value")
    body = node.field("body") or (value.field("body") if value is not None else None)
    if body is None:
        return None
    span = span_of(body)
    doc = docstring_of(body) if language == "python" else None
    return Body(span.start, span.end, span_of(doc).end if doc is not None else 0)


def _child(node: SyntaxNode | None, kind: str) -> SyntaxNode | None:
    children = node.children() if node is not None else ()
    return next((child for child in children if child.kind() == kind), None)


def _css_body(rule: SyntaxNode) -> Body | None:
    block = _child(rule, "block")
    return None if block is None else Body(*span_of(block))


def _hcl_body(block: SyntaxNode) -> Body | None:
    opened, closed = _child(block, "block_start"), _child(block, "block_end")
    if opened is None or closed is None:
        return None
    return Body(span_of(opened).start, span_of(closed).end)


def _kotlin_body(node: SyntaxNode) -> Body | None:
    body = _child(node, "function_body") or _child(node, "class_body")
    has_braces = _child(body, "{") is not None
    return Body(*span_of(body)) if body is not None and has_braces else None


def _elixir_body(call: SyntaxNode) -> Body | None:
    """Return what is between `do` and `end`, or the first of `rescue`, `after` and the like."""
    block = _child(call, "do_block")
    inner = [node for node in block.children() if node.is_named()] if block is not None else []
    until = next((at for at, node in enumerate(inner) if node.kind() in _CLAUSES), len(inner))
    if not until:
        return None
    return Body(span_of(inner[0]).start, span_of(inner[until - 1]).end)


def _dart_body(node: SyntaxNode) -> Body | None:
    """Return the block behind a signature, or the body of a class."""
    own = node.field("body") or _child(node, "class_body")
    outer: SyntaxNode | None = node
    while own is None and outer is not None and outer.kind() in _SIGNATURES:
        behind = outer.next()
        if behind is not None and behind.kind() == "function_body":
            own = _child(behind, "block")
            break
        outer = outer.parent()
    return None if own is None else Body(*span_of(own))


_CLAUSES = {"rescue_block", "after_block", "catch_block", "else_block"}
_SIGNATURES = {
    f"{kind}_signature" for kind in ("function", "method", "constructor", "getter", "setter")
}
_FINDERS = {
    "css": _css_body,
    "hcl": _hcl_body,
    "kotlin": _kotlin_body,
    "elixir": _elixir_body,
    "dart": _dart_body,
}
