"""The types of Go's values: of variables by their declarations, of expressions by their parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.go.members import Members, Selected
from redline.code.go.names import Declared, children, spot_of
from redline.code.go.types import BASIC, Types, bare, filled, is_library
from redline.code.named import Node
from redline.code.things import Thing
from redline.code.typed.shapes import OPEN, Shape
from redline.code.typed.units import Unit

_COMPARING = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"}
_TYPES = {
    *("slice_type", "array_type", "map_type", "channel_type", "pointer_type", "function_type"),
    *("struct_type", "interface_type", "generic_type", "qualified_type", "type_identifier"),
}
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
_BUILT_IN = {"len": "int", "cap": "int", "copy": "int", "real": "float64", "imag": "float64"}
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
        return self.types.of(unit, node) if kind in _TYPES else OPEN

    def selected(self, unit: Unit, node: Node) -> Selected:
        """What the word after the dot of a selector is."""
        operand, name = node.field("operand"), node.field("field")
        package = self.package_of(unit, operand)
        if package is None:
            return self.members.find(self.of(unit, operand), name.text())
        source = self.types.packages.source(unit)
        found = self.types.packages.exported(source, package, name.text())
        if found:
            return Selected(found, self.of_declared(found[0]))
        return Selected(is_outside=True)

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
        if thing in self._busy or declared.kind not in _DECLARED:
            return OPEN
        self._busy.add(thing)
        try:
            return _DECLARED[declared.kind](self, declared)
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

    def result(self, unit: Unit, call: Node) -> Shape:
        """The type of what a call gives: one type, or a tuple."""
        called = call.field("function")
        listed = call.field("arguments")
        given = [each for each in listed.children() if each.is_named()] if listed else []
        if called.kind() == "identifier" and not self.types.declared(unit, called):
            return self._built_in(unit, called.text(), given)
        kind = self._converted(unit, called)
        if kind is not None:
            return kind
        made = self.types.underlying(self.of(unit, called))
        if made.head != "func":
            return made if is_library(made) else OPEN
        results = self._inferred(unit, called, given, made)
        return results[0] if len(results) == 1 else Shape("tuple", results)

    def _inferred(
        self, unit: Unit, called: Node, given: list[Node], made: Shape
    ) -> tuple[Shape, ...]:
        """The results of a function, its type parameters taken from what it is given."""
        home = self._function(unit, called)
        asked = self.types.parameters(home) if home is not None else []
        if not asked:
            return made.parts[1].parts
        known: dict[Thing, Shape] = {}
        if called.kind() in ("index_expression", "type_instantiation_expression"):
            spelled = [self.types.of(unit, each) for each in _indices(called)]
            known.update(zip(asked, spelled, strict=False))
        for part, node in zip(made.parts[0].parts, given, strict=False):
            _unify(part, self.of(unit, node), set(asked), known)
        full = {each: known.get(each, OPEN) for each in asked}
        return filled(made.parts[1], full).parts

    def _function(self, unit: Unit, called: Node) -> Declared | None:
        """The function that is called by its own name."""
        if called.kind() in ("index_expression", "type_instantiation_expression"):
            called = called.field("operand") or called.children()[0]
        found = self._spelled(unit, called)
        return found[0] if found and found[0].kind == "func" else None

    def _spelled(self, unit: Unit, node: Node) -> list[Declared]:
        if node.kind() == "identifier":
            return self.types.declared(unit, node)
        if node.kind() == "selector_expression" and self.package_of(unit, node.field("operand")):
            return self.selected(unit, node).declared
        return []

    def _converted(self, unit: Unit, called: Node) -> Shape | None:
        """The type that a value is converted to, where a type is called."""
        node = called
        while node.kind() == "parenthesized_expression":
            node = next(child for child in node.children() if child.is_named())
        if node.kind() in _TYPES:
            return self.types.of(unit, node)
        if node.kind() == "unary_expression" and node.children()[0].kind() == "*":
            inner = self._converted(unit, node.field("operand"))
            return Shape("pointer", (inner,)) if inner is not None else None
        base = node.field("operand") if node.kind() == "index_expression" else node
        found = self._spelled(unit, base)
        if not found or found[0].kind not in ("type", "type_param"):
            return None
        made = self.types.named(found)
        if base is node:
            return made
        return Shape(made.head, tuple(self.types.of(unit, each) for each in _indices(node)))

    def _built_in(self, unit: Unit, name: str, given: list[Node]) -> Shape:
        if name in _BUILT_IN:
            return Shape(_BUILT_IN[name])
        if name in ("make", "new") and given:
            made = self.types.of(unit, given[0])
            return made if name == "make" else Shape("pointer", (made,))
        if name in ("append", "min", "max") and given:
            return self.of(unit, given[0])
        return Shape(name) if name in BASIC else OPEN


def _indices(node: Node) -> list[Node]:
    """What stands between the brackets."""
    listed = [child for child in node.children() if child.is_named()][1:]
    return [
        each
        for top in listed
        for each in (top.children() if top.kind() == "type_arguments" else [top])
        if each.is_named()
    ]


def _unify(part: Shape, given: Shape, asked: set[Thing], known: dict[Thing, Shape]) -> None:
    """Learn from a parameter and what is given for it what type parameters stand for."""
    if isinstance(part.head, Thing) and part.head in asked:
        if given != OPEN:
            known.setdefault(part.head, given)
        return
    if part.head == "variadic":
        _unify(part.parts[0], given, asked, known)
    elif part.head == given.head:
        for mine, theirs in zip(part.parts, given.parts, strict=False):
            _unify(mine, theirs, asked, known)


# What names are declared with


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


_DECLARED: dict[str, Callable[[Values, Declared], Shape]] = {
    "var": _of_spec,
    "const": _of_spec,
    "short": _of_short,
    "range": _of_range,
    "param": _of_parameter,
    "func": _of_function,
}


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
    found = values.selected(unit, node)
    if found.declared or not found.is_outside:
        return found.shape
    return Shape("?.?")  # of a library: no member of it is one of ours


def _unary(values: Values, unit: Unit, node: Node) -> Shape:
    sign = node.children()[0].kind()
    inner = values.of(unit, node.field("operand"))
    if sign == "&":
        return Shape("pointer", (inner,))
    if sign == "*":
        is_plain = inner.head == "pointer" or is_library(inner)
        return bare(inner if is_plain else values.types.underlying(inner))
    if sign == "<-":
        return values.element(inner)
    return Shape("bool") if sign == "!" else inner


def _binary(values: Values, unit: Unit, node: Node) -> Shape:
    if node.field("operator").kind() in _COMPARING:
        return Shape("bool")
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
    "call_expression": Values.result,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "index_expression": _index,
    "type_instantiation_expression": _inner,
    "slice_expression": lambda values, unit, node: values.of(unit, node.field("operand")),
    "parenthesized_expression": _inner,
    "type_assertion_expression": _typed,
    "type_conversion_expression": _typed,
    "composite_literal": _typed,
    "func_literal": lambda values, unit, node: values.types.function(unit, node),
}
