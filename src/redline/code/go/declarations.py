"""The types of names in Go, by what declares them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redline.code.go.library import is_library
from redline.code.go.names import Declared, children
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import Node

if TYPE_CHECKING:
    from redline.code.go.values import Values


def _of_spec(values: Values, declared: Declared) -> Shape:
    """Of `var` and `const`; a constant without a type or value repeats the one above."""
    node, unit = declared.node, declared.unit
    place = [name.range().start.index for name in children(node, "name")].index(declared.start)
    while node is not None and node.kind() in ("var_spec", "const_spec", ",", "comment", "\n"):
        if node.kind() in ("var_spec", "const_spec"):
            if node.field("type") is not None:
                return values.types.of(unit, node.field("type"))
            if node.field("value") is not None:
                return _of_list(values, unit, node.field("value"), place)
        node = node.prev()
    return OPEN


def _of_short(values: Values, declared: Declared) -> Shape:
    left = declared.node.field("left")
    names = [each.range().start.index for each in left.children() if each.is_named()]
    return _of_list(
        values, declared.unit, declared.node.field("right"), names.index(declared.start)
    )


def _of_list(values: Values, unit: Unit, right: Node | None, place: int) -> Shape:
    """The type of the value number *place* on the right."""
    if right is None:
        return OPEN
    listed = [right]
    if right.kind() == "expression_list":
        listed = [each for each in right.children() if each.is_named()]
    if len(listed) > 1:
        return values.of(unit, listed[place]) if place < len(listed) else OPEN
    made = values.of(unit, listed[0]) if listed else OPEN
    if made.head == "tuple":
        return made.parts[place] if place < len(made.parts) else OPEN
    if place == 0 or is_library(made):
        return made
    return Shape("bool") if listed[0].kind() != "call_expression" else OPEN


def _of_range(values: Values, declared: Declared) -> Shape:
    left = declared.node.field("left")
    names = [each.range().start.index for each in left.children() if each.is_named()]
    ranged = values.of(declared.unit, declared.node.field("right"))
    is_first = names.index(declared.start) == 0
    if values.types.underlying(ranged).head == "chan":
        return values.element(ranged)
    return values.element(ranged, key=is_first)


def _of_parameter(values: Values, declared: Declared) -> Shape:
    made = values.types.of(declared.unit, declared.node.field("type"))
    is_many = declared.node.kind() == "variadic_parameter_declaration"
    return Shape("slice", (made,)) if is_many else made


def _of_function(values: Values, declared: Declared) -> Shape:
    return values.types.function(declared.unit, declared.node)


DECLARED: dict[str, Callable[[Values, Declared], Shape]] = {
    "var": _of_spec,
    "const": _of_spec,
    "short": _of_short,
    "range": _of_range,
    "param": _of_parameter,
    "func": _of_function,
}
