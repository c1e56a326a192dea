"""Literals of Go: what `key:` within braces belongs to."""

from __future__ import annotations

from redline.code.go.library import is_library
from redline.code.go.types import bare
from redline.code.go.values import Values
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import Node


def key_of(node: Node) -> Node | None:
    """The braces whose key *node* is, if it is one."""
    element = node.parent()
    pair = element.parent() if element is not None and element.kind() == "literal_element" else None
    if pair is None or pair.kind() != "keyed_element":
        return None
    key = pair.field("key")
    is_key = key is not None and key.range().start.index == node.range().start.index
    return pair.parent() if is_key else None


def type_of(values: Values, unit: Unit, braces: Node) -> Shape:
    """The type of a literal; where it is left out, what the one around it holds."""
    above = braces.parent()
    if above is None:
        return OPEN
    if above.kind() == "composite_literal":
        return values.types.of(unit, above.field("type"))
    if above.kind() != "literal_element":
        return OPEN
    outer, is_key = above.parent(), False
    if outer is not None and outer.kind() == "keyed_element":
        key = outer.field("key")
        is_key = key is not None and key.range().start.index == above.range().start.index
        outer = outer.parent()
    if outer is None or outer.kind() != "literal_value":
        return OPEN
    around = type_of(values, unit, outer)
    if is_library(around):
        return around
    return bare(values.element(around, key=is_key))


def has_fields(values: Values, shape: Shape) -> bool | None:
    """Whether the keys of such a literal are fields; None where that cannot be told."""
    made = values.types.underlying(shape)
    if is_library(made):
        return True
    if made.head in ("slice", "map"):
        return False
    return None if made == OPEN else True
