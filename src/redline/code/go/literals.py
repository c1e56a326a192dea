"""Resolve the keys of composite literals."""

from __future__ import annotations

import re

from redline.code.go.library import is_library
from redline.code.go.types import without_pointer
from redline.code.go.values import GoValues
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_COLLECTIONS = {"slice_type", "array_type", "implicit_length_array_type", "map_type"}


def key_of(node: SyntaxNode) -> SyntaxNode | None:
    """Return the literal whose key *node* is; None if it is not a key."""
    element = node.parent()
    pair = element.parent() if element is not None and element.kind() == "literal_element" else None
    if pair is None or pair.kind() != "keyed_element":
        return None
    key = pair.field("key")
    is_key = key is not None and key.range().start.index == node.range().start.index
    return pair.parent() if is_key else None


def type_of(values: GoValues, unit: Unit, braces: SyntaxNode) -> Shape:
    """Return the type of a literal; if omitted, the element type of the enclosing one."""
    above = braces.parent()
    if above is None:
        return UNKNOWN_TYPE
    if above.kind() == "composite_literal":
        return values.types.of(unit, above.field("type"))
    if above.kind() != "literal_element":
        return UNKNOWN_TYPE
    outer, is_key = above.parent(), False
    if outer is not None and outer.kind() == "keyed_element":
        key = outer.field("key")
        is_key = key is not None and key.range().start.index == above.range().start.index
        outer = outer.parent()
    if outer is None or outer.kind() != "literal_value":
        return UNKNOWN_TYPE
    around = type_of(values, unit, outer)
    if is_library(around):
        return around
    return without_pointer(values.element(around, key=is_key))


def has_fields(values: GoValues, shape: Shape) -> bool | None:
    """Return whether the keys of such a literal are fields; None if undetermined."""
    made = values.types.underlying(shape)
    if is_library(made):
        return True
    if made.head in ("slice", "map"):
        return False
    return None if made == UNKNOWN_TYPE else True


def struct_around(site: SyntaxNode) -> SyntaxNode | None:
    """Return the struct that declares the field at *site*."""
    return next((each for each in site.ancestors() if each.kind() == "struct_type"), None)


def are_identical(one: SyntaxNode, other: SyntaxNode) -> bool:
    """Return whether two structs may be one type: written alike, and one of them without a name.

    The elements of literals, as tests list their cases, are assigned to nothing else.
    """
    if _written(one) != _written(other):
        return False
    return not (_is_kept_apart(one) and _is_kept_apart(other))


def _written(struct: SyntaxNode) -> list[str]:
    return _COMMENT.sub("", struct.text()).split()


def _is_kept_apart(struct: SyntaxNode) -> bool:
    above = struct.parent()
    while above is not None and above.kind() in _COLLECTIONS:
        above = above.parent()
        if above is not None and above.kind() == "composite_literal":
            return True
    return above is not None and above.kind() == "type_spec"
