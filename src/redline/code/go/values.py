"""The types of Go's values: of variables by their declarations, of expressions by their parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.go.calls import TYPES, conversion_of, result_of
from redline.code.go.declarations import DECLARED
from redline.code.go.library import LIBRARY, is_library
from redline.code.go.members import Members, Selected
from redline.code.go.names import Declared, children, spot_of
from redline.code.go.types import Types, bare
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import Node

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
_Of: TypeAlias = Callable[["Values", Unit, Node], Shape]


@dataclass(slots=True)
class Values:
    """What values are; OPEN where nothing says it plainly."""

    types: Types
    members: Members
    _known: dict[tuple[Unit, int, int, str], Shape] = field(default_factory=dict)
    _busy: set[Thing] = field(default_factory=set)

    def of(self, unit: Unit, node: Node | None) -> Shape:
        """The type of an expression."""
        if node is None:
            return OPEN
        key = (unit, *spot_of(node))
        if key not in self._known:
            self._known[key] = OPEN  # the answer for a ring
            self._known[key] = self._of(unit, node)
        return self._known[key]

    def _of(self, unit: Unit, node: Node) -> Shape:
        kind = node.kind()
        if kind in _LITERALS:
            return Shape(_LITERALS[kind])
        if kind in _EXPRESSIONS:
            return _EXPRESSIONS[kind](self, unit, node)
        return self.types.of(unit, node) if kind in TYPES else OPEN

    def selected(self, unit: Unit, node: Node) -> Selected:
        """What the word after the dot of a selector is."""
        operand, name = node.field("operand"), node.field("field")
        package = self.package_of(unit, operand)
        if package is None:
            return self.members.find(self.of(unit, operand), name.text())
        source = self.types.packages.source(unit)
        found = self.types.packages.exported(source, package, name.text())
        if found and found[0].kind == "type":
            return Selected(found, self.types.named(found))
        if found:
            return Selected(found, self.of_declared(found[0]))
        return Selected(shape=LIBRARY)

    def package_of(self, unit: Unit, operand: Node) -> str | None:
        """The name of the package that stands before a dot, if one does."""
        if operand.kind() != "identifier" or self.types.declared(unit, operand):
            return None
        name = str(operand.text())
        return (
            name if self.types.packages.imported(self.types.packages.source(unit), name) else None
        )

    def of_declared(self, declared: Declared, within: Node | None = None) -> Shape:
        """The type of what is declared; *within* is the case of a type switch it is asked in."""
        if declared.kind == "switch":
            return self._of_switch(declared, within)
        thing = declared.thing
        if thing in self._busy or declared.kind not in DECLARED:
            return OPEN
        self._busy.add(thing)
        try:
            return DECLARED[declared.kind](self, declared)
        finally:
            self._busy.discard(thing)

    def _of_switch(self, declared: Declared, within: Node | None) -> Shape:
        if within is not None and within.kind() == "type_case":
            listed = children(within, "type")
            if len(listed) == 1:
                return self.types.of(declared.unit, listed[0])
        return self.of(declared.unit, declared.node.field("value"))

    def element(self, shape: Shape, *, key: bool = False) -> Shape:
        """What a slice, map or channel holds."""
        made = self.types.underlying(bare(self.types.underlying(shape)))
        if made.head == "map":
            return made.parts[0 if key else 1]
        if made.head in ("slice", "chan", "variadic"):
            return Shape("int") if key and made.head == "slice" else made.parts[0]
        if made.head == "string":
            return Shape("int" if key else "rune")
        return made if made.head == "int" and key else OPEN


# Expressions


def _name(values: Values, unit: Unit, node: Node) -> Shape:
    local = values.types.locals.find(unit, node, node.text())
    if local is not None and local[0].kind != "type":
        return values.of_declared(*local)
    found = values.types.declared(unit, node)
    if found and found[0].kind == "type":
        return values.types.named(found)  # `T.Method`: what stands before the dot
    return values.of_declared(found[0]) if found else OPEN


def _selector(values: Values, unit: Unit, node: Node) -> Shape:
    return values.selected(unit, node).shape


def _unary(values: Values, unit: Unit, node: Node) -> Shape:
    sign = node.children()[0].kind()
    inner = values.of(unit, node.field("operand"))
    if sign == "&":
        return Shape("pointer", (inner,))
    if sign == "*":
        made = values.types.underlying(inner)
        return bare(made if made.head == "pointer" else inner)  # `*T` may be the type itself
    if sign == "<-":
        return values.element(inner)
    return Shape("bool") if sign == "!" else inner


def _binary(values: Values, unit: Unit, node: Node) -> Shape:
    if node.field("operator").kind() in _COMPARING:
        return Shape("bool")
    while node.field("left").kind() == "binary_expression":  # a long sum, innermost first
        node = node.field("left")
    left = values.of(unit, node.field("left"))
    is_plain = node.field("left").kind() in _LITERALS or left == OPEN
    return values.of(unit, node.field("right")) if is_plain else left


def _index(values: Values, unit: Unit, node: Node) -> Shape:
    base = values.of(unit, node.field("operand"))
    if base.head == "func" or is_library(base):
        return base
    return values.element(base)


def _inner(values: Values, unit: Unit, node: Node) -> Shape:
    inner = [child for child in node.children() if child.is_named()]
    return values.of(unit, inner[0]) if inner else OPEN


def _typed(values: Values, unit: Unit, node: Node) -> Shape:
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
    "type_assertion_expression": _typed,
    "type_conversion_expression": conversion_of,
    "composite_literal": _typed,
    "func_literal": lambda values, unit, node: values.types.function(unit, node),
}
