"""Local names of Java: what declares the variable that a name means, from the inside out."""

from __future__ import annotations

from dataclasses import dataclass

from redline.code.java.declared import dimensions_of, parameters_of
from redline.code.syntax.node import Node

_BLOCKS = {"block", "constructor_body", "switch_block_statement_group", "program"}
_CONDITIONS = {
    *("if_statement", "while_statement", "binary_expression", "ternary_expression"),
    *("parenthesized_expression", "for_statement", "switch_rule", "unary_expression"),
}


@dataclass(eq=False, slots=True)
class Local:
    """A variable of a method: `type` as spelled, or `value` whose type it has.

    `source` says how: itself, each of its elements, or as parameter `at` of a lambda.
    """

    name: Node
    type: Node | None = None
    dimensions: int = 0
    value: Node | None = None
    source: str = "typed"
    at: int = 0

    @property
    def start(self) -> int:
        """Where its name is declared."""
        start: int = self.name.range().start.index
        return start


def local_in(name: str, inner: Node, outer: Node) -> Local | None:
    """The variable called *name* that *outer* declares for its part *inner*."""
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
            found = _declared(name, outer.children())
        return found or _pattern(name, inner, outer)
    if kind == "local_variable_declaration":
        return _declared(name, [outer])
    return None


def _in_block(name: str, inner: Node, outer: Node) -> Local | None:
    limit = inner.range().start.index
    for child in outer.children():
        if child.range().start.index >= limit:
            return None
        kind = child.kind()
        if kind == "local_variable_declaration":
            found = _declared(name, [child])
        elif kind in ("if_statement", "while_statement", "switch_label"):
            condition = child.field("condition") if kind != "switch_label" else child
            found = _matched(name, condition)
        else:
            continue
        if found is not None:
            return found
    return None


def _in_groups(name: str, inner: Node, outer: Node) -> Local | None:
    """What an earlier case of the same switch declares."""
    limit = inner.range().start.index
    for group in outer.children():
        if group.range().start.index >= limit:
            return None
        if group.kind() == "switch_block_statement_group":
            found = _declared(name, group.children())
            if found is not None:
                return found
    return None


def _declared(name: str, nodes: list[Node]) -> Local | None:
    for node in nodes:
        if node.kind() != "local_variable_declaration":
            continue
        spelled = node.field("type")
        for child in node.children():
            named = child.field("name") if child.kind() == "variable_declarator" else None
            if named is not None and named.text() == name:
                return _typed(named, spelled, dimensions_of(child), child.field("value"))
    return None


def _typed(name: Node, spelled: Node | None, dimensions: int, value: Node | None) -> Local:
    if spelled is not None and spelled.text() == "var":
        return Local(name, value=value, source="value")
    return Local(name, spelled, dimensions)


def _parameter(name: str, node: Node) -> Local | None:
    for parameter in parameters_of(node):
        if parameter.name is not None and parameter.name.text() == name:
            return Local(parameter.name, parameter.type, parameter.dimensions)
    return None


def _of_lambda(name: str, node: Node) -> Local | None:
    given = node.field("parameters")
    if given is None:
        return None
    if given.kind() == "formal_parameters":
        found = _parameter(name, node)
        if found is None or found.type is None or found.type.text() != "var":
            return found
    names = [given] if given.kind() == "identifier" else list(given.find_all(kind="identifier"))
    for at, named in enumerate(names):
        if named.text() == name:
            return Local(named, value=node, source="lambda", at=at)
    return None


def _each(name: str, node: Node) -> Local | None:
    named = node.field("name")
    if named is None or named.text() != name:
        return None
    spelled = node.field("type")
    if spelled is not None and spelled.text() == "var":
        return Local(named, value=node.field("value"), source="each")
    return Local(named, spelled, dimensions_of(node))


def _guarded(name: str, node: Node) -> Local | None:
    """What `catch` names, and what `try` opens."""
    for child in node.children():
        if child.kind() == "catch_formal_parameter":
            named = child.field("name")
            spelled = next((c for c in child.children() if c.kind() == "catch_type"), None)
            if named is not None and named.text() == name:
                return Local(named, spelled)
        elif child.kind() == "resource_specification":
            for part in child.children():
                named = part.field("name") if part.kind() == "resource" else None
                if named is not None and named.text() == name:
                    return _typed(named, part.field("type"), 0, part.field("value"))
    return None


def _pattern(name: str, inner: Node, outer: Node) -> Local | None:
    """What `instanceof` names, in a part that stands before *inner*."""
    limit = inner.range().start.index
    for child in outer.children():
        if child.range().start.index >= limit:
            return None
        if child.is_named():
            found = _matched(name, child)
            if found is not None:
                return found
    return None


def _matched(name: str, node: Node | None) -> Local | None:
    if node is None or node.is_leaf():
        return None
    kinds = ("instanceof_expression", "type_pattern", "record_pattern_component")
    for found in node.find_all(any=[{"kind": kind} for kind in kinds]):
        parts = [child for child in found.children() if child.is_named()]
        if len(parts) < 2 or parts[-1].kind() != "identifier" or parts[-1].text() != name:
            continue
        spelled = [p for p in parts[:-1] if p.kind() != "modifiers"]
        is_test = found.kind() == "instanceof_expression"
        if is_test and len(spelled) < 2:
            continue  # `a instanceof b` is no pattern
        return Local(parts[-1], spelled[-1])
    return None


def _component(name: str, node: Node) -> Local | None:
    """A part of a record, as its constructor without parameters sees it."""
    body = node.parent()
    record = body.parent() if body is not None else None
    return _parameter(name, record) if record is not None else None


_DECLARING = {
    "compact_constructor_declaration": _component,
    "method_declaration": _parameter,
    "constructor_declaration": _parameter,
    "lambda_expression": _of_lambda,
    "enhanced_for_statement": _each,
    "catch_clause": _guarded,
    "try_with_resources_statement": _guarded,
}
