"""Find the local variable that a Java name refers to, walking outward."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from redline.code.java.declarations import dimensions_of, parameters_of
from redline.code.syntax.node import SyntaxNode
from redline.core.records import dataclass

_BLOCKS = {"block", "constructor_body", "switch_block_statement_group", "program"}
_CONDITIONS = frozenset(
    """
    if_statement while_statement binary_expression ternary_expression parenthesized_expression
    for_statement switch_rule unary_expression
    """.split()
)


class VariableSource(StrEnum):
    """What determines the type of a variable."""

    TYPED = "typed"
    VALUE = "value"
    EACH = "each"
    LAMBDA = "lambda"


@dataclass(eq=False, slots=True)
class JavaLocal:
    """A local variable, whose type is stated in *type* or follows from *value*.

    *source* tells how: it is the value, one of its elements, or nothing states it in a lambda.
    """

    name: SyntaxNode
    type: SyntaxNode | None = None
    dimensions: int = 0
    value: SyntaxNode | None = None
    source: VariableSource = VariableSource.TYPED

    @property
    def start(self) -> int:
        """Return the offset where its name is declared."""
        return self.name.range().start.index


def local_in(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    """Return the variable *name* that *outer* declares for its part *inner*."""
    kind = outer.kind()
    if kind in _BLOCKS:
        return _in_block(name, inner, outer)
    if kind == "switch_block":
        return _in_groups(name, inner, outer)
    known = _DECLARING.get(kind)
    if known is not None:
        return known(name, outer)
    if kind in _CONDITIONS:
        found = None
        if kind == "for_statement":
            found = _find_declared(name, outer.children())
        return found or _pattern(name, inner, outer)
    if kind == "local_variable_declaration":
        return _find_declared(name, [outer])
    return None


def _in_block(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    limit = inner.range().start.index
    for child in outer.children():
        if child.range().start.index >= limit:
            return None
        kind = child.kind()
        if kind == "local_variable_declaration":
            found = _find_declared(name, [child])
        elif kind in ("if_statement", "while_statement", "switch_label"):
            condition = child.field("condition") if kind != "switch_label" else child
            found = _in_pattern(name, condition)
        else:
            continue
        if found is not None:
            return found
    return None


def _in_groups(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    """Find a variable declared in an earlier case of the same switch."""
    limit = inner.range().start.index
    for group in outer.children():
        if group.range().start.index >= limit:
            return None
        if group.kind() == "switch_block_statement_group":
            found = _find_declared(name, group.children())
            if found is not None:
                return found
    return None


def _find_declared(name: str, nodes: Sequence[SyntaxNode]) -> JavaLocal | None:
    for node in nodes:
        if node.kind() != "local_variable_declaration":
            continue
        written = node.field("type")
        for child in node.children():
            named = child.field("name") if child.kind() == "variable_declarator" else None
            if named is not None and named.text() == name:
                return _typed_local(named, written, dimensions_of(child), child.field("value"))
    return None


def _typed_local(
    name: SyntaxNode, written: SyntaxNode | None, dimensions: int, value: SyntaxNode | None
) -> JavaLocal:
    if written is not None and written.text() == "var":
        return JavaLocal(name, value=value, source=VariableSource.VALUE)
    return JavaLocal(name, written, dimensions)


def _parameter(name: str, node: SyntaxNode) -> JavaLocal | None:
    for parameter in parameters_of(node):
        if parameter.name is not None and parameter.name.text() == name:
            return JavaLocal(parameter.name, parameter.type, parameter.dimensions)
    return None


def _of_lambda(name: str, node: SyntaxNode) -> JavaLocal | None:
    given = node.field("parameters")
    if given is None:
        return None
    if given.kind() == "formal_parameters":
        found = _parameter(name, node)
        if found is None or found.type is None or found.type.text() != "var":
            return found
    names = [given] if given.kind() == "identifier" else list(given.find_all(kind="identifier"))
    named = next((each for each in names if each.text() == name), None)
    return JavaLocal(named, value=node, source=VariableSource.LAMBDA) if named else None


def _each(name: str, node: SyntaxNode) -> JavaLocal | None:
    named = node.field("name")
    if named is None or named.text() != name:
        return None
    written = node.field("type")
    if written is not None and written.text() == "var":
        return JavaLocal(named, value=node.field("value"), source=VariableSource.EACH)
    return JavaLocal(named, written, dimensions_of(node))


def _in_try(name: str, node: SyntaxNode) -> JavaLocal | None:
    """Find the variable of a `catch`, or a resource of a `try`."""
    for child in node.children():
        if child.kind() == "catch_formal_parameter":
            named = child.field("name")
            written = next((c for c in child.children() if c.kind() == "catch_type"), None)
            if named is not None and named.text() == name:
                return JavaLocal(named, written)
        elif child.kind() == "resource_specification":
            for part in child.children():
                named = part.field("name") if part.kind() == "resource" else None
                if named is not None and named.text() == name:
                    return _typed_local(named, part.field("type"), 0, part.field("value"))
    return None


def _pattern(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    """Find the variable of an `instanceof` in a part before *inner*."""
    limit = inner.range().start.index
    for child in outer.children():
        if child.range().start.index >= limit:
            return None
        if child.is_named():
            found = _in_pattern(name, child)
            if found is not None:
                return found
    return None


def _in_pattern(name: str, node: SyntaxNode | None) -> JavaLocal | None:
    if node is None or node.is_leaf():
        return None
    kinds = ("instanceof_expression", "type_pattern", "record_pattern_component")
    for found in node.find_all(any=[{"kind": kind} for kind in kinds]):
        parts = [child for child in found.children() if child.is_named()]
        if len(parts) < 2 or parts[-1].kind() != "identifier" or parts[-1].text() != name:
            continue
        written = [p for p in parts[:-1] if p.kind() != "modifiers"]
        is_test = found.kind() == "instanceof_expression"
        if is_test and len(written) < 2:
            continue  # `a instanceof b` binds nothing
        return JavaLocal(parts[-1], written[-1])
    return None


def _component(name: str, node: SyntaxNode) -> JavaLocal | None:
    """Find a component of a record, as its compact constructor sees it."""
    body = node.parent()
    record = body.parent() if body is not None else None
    return _parameter(name, record) if record is not None else None


_DECLARING = {
    "compact_constructor_declaration": _component,
    "method_declaration": _parameter,
    "constructor_declaration": _parameter,
    "lambda_expression": _of_lambda,
    "enhanced_for_statement": _each,
    "catch_clause": _in_try,
    "try_with_resources_statement": _in_try,
}
