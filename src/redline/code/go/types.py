"""The types that Go's type expressions spell, with their arguments put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.go.library import Library, of_library
from redline.code.go.names import Declared, Locals, children, type_parameters
from redline.code.go.packages import Packages
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import Node

BASIC = frozenset(
    {"bool", "string", "error", "any", "comparable", "byte", "rune", "uintptr"}
    | {"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"}
    | {"float32", "float64", "complex64", "complex128"}
)
_SAME = {"byte": "uint8", "rune": "int32"}
_ELEMENTS = {"slice_type", "array_type", "implicit_length_array_type"}
_WRAPPED = {"parenthesized_type", "type_constraint", "type_elem"}
_VARIADIC = "variadic_parameter_declaration"


def bare(shape: Shape) -> Shape:
    """A type without the pointer to it."""
    return shape.parts[0] if shape.head == "pointer" else shape


def filled(shape: Shape, given: Mapping[Thing, Shape]) -> Shape:
    """A type with its parameters replaced by what is *given* for them."""
    if not given:
        return shape
    if isinstance(shape.head, Thing) and shape.head in given:
        return given[shape.head]
    if not shape.parts:
        return shape
    return Shape(shape.head, tuple(filled(part, given) for part in shape.parts))


_Spelled: TypeAlias = Callable[["Types", Unit, Node], Shape]


@dataclass(slots=True)
class Types:
    """What type expressions mean; a named type is known by where it is declared."""

    packages: Packages
    locals: Locals = field(default_factory=Locals)
    _library: Library = field(default_factory=Library)
    _homes: dict[Thing, Declared] = field(default_factory=dict)
    _busy: set[Thing] = field(default_factory=set)

    def declared(self, unit: Unit, node: Node) -> list[Declared]:
        """Who declares the name that *node* spells, as that place sees it."""
        name = node.text()
        local = self.locals.find(unit, node, name)
        if local is not None:
            return [local[0]]
        return self.packages.of_package(self.packages.source(unit), name)

    def home(self, shape: Shape) -> Declared | None:
        """What declares a named type or type parameter, or spells out a struct or interface."""
        if isinstance(shape.head, Thing):
            return self._homes.get(shape.head)
        home = self._library.home(shape.head)
        if home is not None:
            self.packages.adopt(home.unit)
        return home

    def of(self, unit: Unit, node: Node | None) -> Shape:
        """The type that *node* spells."""
        if node is None:
            return OPEN
        kind = node.kind()
        if kind in _SPELLED:
            return _SPELLED[kind](self, unit, node)
        if kind in _ELEMENTS:
            return Shape("slice", (self.of(unit, node.field("element")),))
        if kind in _WRAPPED:
            inner = [child for child in node.children() if child.is_named()]
            return self.of(unit, inner[0]) if len(inner) == 1 else OPEN
        return OPEN

    def named(self, declared: list[Declared]) -> Shape:
        """The type that a declaration makes; what it stands for, if it is but another name."""
        for each in declared:
            if each.kind not in ("type", "type_param"):
                continue
            thing = each.thing
            self._homes[thing] = each
            if each.node.kind() != "type_alias":
                return Shape(thing)
            if thing in self._busy:
                return OPEN
            self._busy.add(thing)
            try:
                return self.of(each.unit, each.node.field("type"))
            finally:
                self._busy.discard(thing)
        return OPEN

    def exported(self, unit: Unit, package: Node, name: Node) -> Shape:
        """The type *name* of another package."""
        source = self.packages.source(unit)
        found = self.packages.exported(source, package.text(), name.text())
        if found:
            return self.named(found)
        paths = [each.path for each in self.packages.imported(source, package.text())]
        if len(paths) != 1 or self.packages.is_own(source, paths[0]):
            return OPEN
        return of_library(paths[0], name.text())

    def parameters(self, home: Declared) -> list[Thing]:
        """The type parameters of a declared type or function."""
        return [each.thing for each in type_parameters(home.unit, home.node)]

    def underlying(self, shape: Shape) -> Shape:
        """What a named type is made of; other types are themselves."""
        for _ in range(20):
            home = self.home(shape)
            if home is None or home.kind != "type":
                return shape
            made = self.of(home.unit, home.node.field("type"))
            shape = filled(made, self.arguments(home, shape))
        return OPEN

    def arguments(self, home: Declared, shape: Shape) -> dict[Thing, Shape]:
        """What the parameters of a declared type stand for in *shape*."""
        if not shape.parts:
            return {}
        return dict(zip(self.parameters(home), shape.parts, strict=False))

    def function(self, unit: Unit, node: Node) -> Shape:
        """The type of a function: its parameters and its results."""
        given = self._listed(unit, node.field("parameters"))
        result = node.field("result")
        if result is not None and result.kind() != "parameter_list":
            return Shape("func", (given, Shape("tuple", (self.of(unit, result),))))
        return Shape("func", (given, self._listed(unit, result)))

    def _listed(self, unit: Unit, listed: Node | None) -> Shape:
        found: list[Shape] = []
        for each in listed.children() if listed is not None else ():
            kind = each.kind()
            if kind not in ("parameter_declaration", _VARIADIC):
                continue
            shape = self.of(unit, each.field("type"))
            if kind == _VARIADIC:
                shape = Shape("variadic", (shape,))
            found += [shape] * max(1, len(children(each, "name")))
        return Shape("tuple", tuple(found))

    def literal(self, unit: Unit, node: Node) -> Shape:
        """A struct or interface that is spelled out where it is used."""
        if node.kind() == "interface_type" and not any(c.is_named() for c in node.children()):
            return Shape("any")
        thing = Thing(unit.path, node.range().start.index, "", is_member=False)
        self._homes.setdefault(thing, Declared(unit, node, "literal", node))
        return Shape(thing)

    def word(self, unit: Unit, node: Node) -> Shape:
        """The type that a plain name means."""
        found = self.declared(unit, node)
        if found:
            return self.named(found)
        name = node.text()
        return Shape(_SAME.get(name, name)) if name in BASIC else OPEN


def _qualified(types: Types, unit: Unit, node: Node) -> Shape:
    return types.exported(unit, node.field("package"), node.field("name"))


def _selected(types: Types, unit: Unit, node: Node) -> Shape:
    operand = node.field("operand")
    if operand.kind() != "identifier" or types.declared(unit, operand):
        return OPEN
    return types.exported(unit, operand, node.field("field"))


def _pointer(types: Types, unit: Unit, node: Node) -> Shape:
    return Shape("pointer", (types.of(unit, node.children()[-1]),))


def _map(types: Types, unit: Unit, node: Node) -> Shape:
    return Shape("map", (types.of(unit, node.field("key")), types.of(unit, node.field("value"))))


def _channel(types: Types, unit: Unit, node: Node) -> Shape:
    return Shape("chan", (types.of(unit, node.field("value")),))


def _generic(types: Types, unit: Unit, node: Node) -> Shape:
    base = types.of(unit, node.field("type"))
    listed = node.field("type_arguments").children()
    given = tuple(types.of(unit, each) for each in listed if each.is_named())
    return Shape(base.head, given) if base != OPEN else OPEN


_SPELLED: dict[str, _Spelled] = {
    "type_identifier": Types.word,
    "identifier": Types.word,
    "qualified_type": _qualified,
    "selector_expression": _selected,
    "pointer_type": _pointer,
    "map_type": _map,
    "channel_type": _channel,
    "generic_type": _generic,
    "function_type": Types.function,
    "struct_type": Types.literal,
    "interface_type": Types.literal,
}
