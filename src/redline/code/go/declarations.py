"""Determine the types of Go names from their declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redline.code.go.library import is_library
from redline.code.go.names import GoDeclaration, GoKind, children
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode, required_field

if TYPE_CHECKING:
    from redline.code.go.values import GoValues


def _of_spec(values: GoValues, declaration: GoDeclaration) -> Shape:
    """Type a `var` or `const`; a constant without type and value repeats the one above."""
    unit = declaration.unit
    node: SyntaxNode | None = declaration.node
    index = [name.range().start.index for name in children(declaration.node, "name")].index(
        declaration.start
    )
    while node is not None and node.kind() in ("var_spec", "const_spec", ",", "comment", "\n"):
        if node.kind() in ("var_spec", "const_spec"):
            if node.field("type") is not None:
                return values.types.of(unit, node.field("type"))
            if node.field("value") is not None:
                return _of_list(values, unit, node.field("value"), index)
        node = node.prev()
    return UNKNOWN_TYPE


def _of_short(values: GoValues, declaration: GoDeclaration) -> Shape:
    left = required_field(declaration.node, "left")
    names = [each.range().start.index for each in left.children() if each.is_named()]
    return _of_list(
        values, declaration.unit, declaration.node.field("right"), names.index(declaration.start)
    )


def _of_list(values: GoValues, unit: Unit, right: SyntaxNode | None, index: int) -> Shape:
    """Return the type of the right-hand value at *index*."""
    if right is None:
        return UNKNOWN_TYPE
    listed = [right]
    if right.kind() == "expression_list":
        listed = [each for each in right.children() if each.is_named()]
    if len(listed) > 1:
        return values.of(unit, listed[index]) if index < len(listed) else UNKNOWN_TYPE
    made = values.of(unit, listed[0]) if listed else UNKNOWN_TYPE
    if made.head == "tuple":
        return made.parts[index] if index < len(made.parts) else UNKNOWN_TYPE
    if index == 0 or is_library(made):
        return made
    return Shape("bool") if listed[0].kind() != "call_expression" else UNKNOWN_TYPE


def _of_range(values: GoValues, declaration: GoDeclaration) -> Shape:
    left = required_field(declaration.node, "left")
    names = [each.range().start.index for each in left.children() if each.is_named()]
    ranged = values.of(declaration.unit, declaration.node.field("right"))
    is_first = names.index(declaration.start) == 0
    if values.types.underlying(ranged).head == "chan":
        return values.element(ranged)
    return values.element(ranged, key=is_first)


def _of_parameter(values: GoValues, declaration: GoDeclaration) -> Shape:
    made = values.types.of(declaration.unit, declaration.node.field("type"))
    is_many = declaration.node.kind() == "variadic_parameter_declaration"
    return Shape("slice", (made,)) if is_many else made


def _of_function(values: GoValues, declaration: GoDeclaration) -> Shape:
    return values.types.function(declaration.unit, declaration.node)


BY_KIND: dict[str, Callable[[GoValues, GoDeclaration], Shape]] = {
    GoKind.VAR: _of_spec,
    GoKind.CONST: _of_spec,
    GoKind.SHORT: _of_short,
    GoKind.RANGE: _of_range,
    GoKind.PARAMETER: _of_parameter,
    GoKind.FUNC: _of_function,
}
