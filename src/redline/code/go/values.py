"""Determine the types of Go expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.go.calls import TYPES, conversion_of, result_of
from redline.code.go.declarations import BY_KIND
from redline.code.go.library import LIBRARY, is_library
from redline.code.go.members import GoMembers, Selection
from redline.code.go.names import GoDeclaration, GoKind, children, node_key
from redline.code.go.types import GoTypes, without_pointer
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode, required_field

_COMPARING = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"}
_LITERALS = {
    "int_literal": "int",
    "float_literal": "float64",
    "rune_literal": "rune",
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "true": "bool",
    "false": "bool",
    "iota": "int",
}
_Of: TypeAlias = Callable[["GoValues", Unit, SyntaxNode], Shape]


@dataclass(slots=True)
class GoValues:
    """Types expressions; UNKNOWN_TYPE if no declaration states the type."""

    types: GoTypes
    members: GoMembers
    _known: dict[tuple[Unit, int, int, str], Shape] = field(default_factory=dict)
    _in_progress: set[Definition] = field(default_factory=set)

    def of(self, unit: Unit, node: SyntaxNode | None) -> Shape:
        """Return the type of an expression."""
        if node is None:
            return UNKNOWN_TYPE
        key = (unit, *node_key(node))
        if key not in self._known:
            self._known[key] = UNKNOWN_TYPE  # the answer within a cycle
            self._known[key] = self._of(unit, node)
        return self._known[key]

    def _of(self, unit: Unit, node: SyntaxNode) -> Shape:
        kind = node.kind()
        if kind in _LITERALS:
            return Shape(_LITERALS[kind])
        if kind in _EXPRESSIONS:
            return _EXPRESSIONS[kind](self, unit, node)
        return self.types.of(unit, node) if kind in TYPES else UNKNOWN_TYPE

    def select(self, unit: Unit, node: SyntaxNode) -> Selection:
        """Look up the name after the dot of a selector."""
        operand, name = required_field(node, "operand"), required_field(node, "field")
        package = self.package_of(unit, operand)
        if package is None:
            return self.members.find(self.of(unit, operand), name.text())
        source = self.types.packages.source(unit)
        found = self.types.packages.find_exported(source, package, name.text())
        if found and found[0].kind is GoKind.TYPE:
            return Selection(found, self.types.declared_type(found))
        if found:
            return Selection(found, self.of_declaration(found[0]))
        return Selection(shape=LIBRARY)

    def package_of(self, unit: Unit, operand: SyntaxNode) -> str | None:
        """Return the name of the package before a dot; None if it is not a package."""
        if operand.kind() != "identifier" or self.types.declarations(unit, operand):
            return None
        name = operand.text()
        return (
            name
            if self.types.packages.imports_named(self.types.packages.source(unit), name)
            else None
        )

    def of_declaration(self, declaration: GoDeclaration, within: SyntaxNode | None = None) -> Shape:
        """Return the type of a declaration, *within* this case if it is of a type switch."""
        if declaration.kind is GoKind.SWITCH:
            return self._of_switch(declaration, within)
        definition = declaration.definition
        if definition in self._in_progress or declaration.kind not in BY_KIND:
            return UNKNOWN_TYPE
        self._in_progress.add(definition)
        try:
            return BY_KIND[declaration.kind](self, declaration)
        finally:
            self._in_progress.discard(definition)

    def _of_switch(self, declaration: GoDeclaration, within: SyntaxNode | None) -> Shape:
        if within is not None and within.kind() == "type_case":
            listed = children(within, "type")
            if len(listed) == 1:
                return self.types.of(declaration.unit, listed[0])
        return self.of(declaration.unit, declaration.node.field("value"))

    def element(self, shape: Shape, *, key: bool = False) -> Shape:
        """Return the element type of a slice, map or channel, or its key type."""
        made = self.types.underlying(without_pointer(self.types.underlying(shape)))
        if made.head == "map":
            return made.parts[0 if key else 1]
        if made.head in ("slice", "chan", "variadic"):
            return Shape("int") if key and made.head == "slice" else made.parts[0]
        if made.head == "string":
            return Shape("int" if key else "rune")
        return made if made.head == "int" and key else UNKNOWN_TYPE


# Expressions


def _name(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    local = values.types.locals.find(unit, node, node.text())
    if local is not None and local.declaration.kind is not GoKind.TYPE:
        return values.of_declaration(*local)
    found = values.types.declarations(unit, node)
    if found and found[0].kind is GoKind.TYPE:
        return values.types.declared_type(found)  # as in `T.Method`
    return values.of_declaration(found[0]) if found else UNKNOWN_TYPE


def _selector(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    return values.select(unit, node).shape


def _unary(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    sign = node.children()[0].kind()
    inner = values.of(unit, node.field("operand"))
    if sign == "&":
        return Shape("pointer", (inner,))
    if sign == "*":
        made = values.types.underlying(inner)
        return without_pointer(
            made if made.head == "pointer" else inner
        )  # `*T` may be the type itself
    if sign == "<-":
        return values.element(inner)
    return Shape("bool") if sign == "!" else inner


def _binary(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    if required_field(node, "operator").kind() in _COMPARING:
        return Shape("bool")
    operand = required_field(node, "left")
    while operand.kind() == "binary_expression":  # a long sum: the innermost operand
        node, operand = operand, required_field(operand, "left")
    left = values.of(unit, operand)
    is_plain = operand.kind() in _LITERALS or left == UNKNOWN_TYPE
    return values.of(unit, node.field("right")) if is_plain else left


def _index(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    base = values.of(unit, node.field("operand"))
    if base.head == "func" or is_library(base):
        return base
    return values.element(base)


def _inner(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    inner = [child for child in node.children() if child.is_named()]
    return values.of(unit, inner[0]) if inner else UNKNOWN_TYPE


def _stated_type(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    return values.types.of(unit, node.field("type"))


_EXPRESSIONS: dict[str, _Of] = {
    "identifier": _name,
    "selector_expression": _selector,
    "call_expression": result_of,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "index_expression": _index,
    "type_instantiation_expression": _inner,
    "slice_expression": lambda values, unit, node: values.of(unit, node.field("operand")),
    "parenthesized_expression": _inner,
    "type_assertion_expression": _stated_type,
    "type_conversion_expression": conversion_of,
    "composite_literal": _stated_type,
    "func_literal": lambda values, unit, node: values.types.function(unit, node),
}
