"""Evaluate Go type expressions, with type arguments substituted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from redline.code.go.library import Library, library_type
from redline.code.go.names import GoDeclaration, GoKind, Locals, children, type_parameters
from redline.code.go.packages import GoPackages
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.records import dataclass, field

BASIC = frozenset(
    {"bool", "string", "error", "any", "comparable", "byte", "rune", "uintptr"}
    | {"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"}
    | {"float32", "float64", "complex64", "complex128"}
)
_SAME = {"byte": "uint8", "rune": "int32"}
_ELEMENTS = {"slice_type", "array_type", "implicit_length_array_type"}
_WRAPPED = {"parenthesized_type", "type_constraint", "type_elem"}
# Longer chains of named types are cycles.
_MAX_NESTED = 20
_VARIADIC = "variadic_parameter_declaration"


def without_pointer(shape: Shape) -> Shape:
    """Return a type without the pointer to it."""
    return shape.parts[0] if shape.head == "pointer" else shape


_TypeReader: TypeAlias = Callable[["GoTypes", Unit, SyntaxNode], Shape]


@dataclass(slots=True)
class GoTypes:
    """Evaluates type expressions; a named type is identified by its declaration."""

    packages: GoPackages
    locals: Locals = field(default_factory=Locals)
    _library: Library = field(default_factory=Library)
    _homes: dict[Definition, GoDeclaration] = field(default_factory=dict)
    _in_progress: set[Definition] = field(default_factory=set)

    def declarations(self, unit: Unit, node: SyntaxNode) -> list[GoDeclaration]:
        """Return the declarations of the name at *node* that are visible there."""
        name = node.text()
        local = self.locals.find(unit, node, name)
        if local is not None:
            return [local.declaration]
        source = self.packages.source(unit)
        return self.packages.of_package(source, name) or self.packages.find_dotted(source, name)

    def declaration_of(self, shape: Shape) -> GoDeclaration | None:
        """Return the declaration of a type or type parameter, or an anonymous type's literal."""
        if isinstance(shape.head, Definition):
            return self._homes.get(shape.head)
        home = self._library.declaration_of(shape.head)
        if home is not None:
            self.packages.register(home.unit)
        return home

    def of(self, unit: Unit, node: SyntaxNode | None) -> Shape:
        """Return the type that *node* denotes."""
        if node is None:
            return UNKNOWN_TYPE
        kind = node.kind()
        if kind in _TYPE_READERS:
            return _TYPE_READERS[kind](self, unit, node)
        if kind in _ELEMENTS:
            return Shape("slice", (self.of(unit, node.field("element")),))
        if kind in _WRAPPED:
            inner = [child for child in node.children() if child.is_named()]
            return self.of(unit, inner[0]) if len(inner) == 1 else UNKNOWN_TYPE
        return UNKNOWN_TYPE

    def declared_type(self, declarations: list[GoDeclaration]) -> Shape:
        """Return the type that a declaration introduces; for an alias, the aliased type."""
        for each in declarations:
            if each.kind not in (GoKind.TYPE, GoKind.TYPE_PARAMETER):
                continue
            definition = each.definition
            self._homes[definition] = each
            if each.node.kind() != "type_alias":
                return Shape(definition)
            if definition in self._in_progress:
                return UNKNOWN_TYPE
            self._in_progress.add(definition)
            try:
                return self.of(each.unit, each.node.field("type"))
            finally:
                self._in_progress.discard(definition)
        return UNKNOWN_TYPE

    def exported_type(self, unit: Unit, package: SyntaxNode, name: SyntaxNode) -> Shape:
        """Return the type *name* of another package."""
        source = self.packages.source(unit)
        found = self.packages.find_exported(source, package.text(), name.text())
        if found:
            return self.declared_type(found)
        paths = [each.path for each in self.packages.imports_named(source, package.text())]
        if len(paths) != 1 or self.packages.is_in_module(source, paths[0]):
            return UNKNOWN_TYPE
        return library_type(paths[0], name.text())

    def parameters(self, home: GoDeclaration) -> list[Definition]:
        """Return the type parameters of a declared type or function."""
        return [each.definition for each in type_parameters(home.unit, home.node)]

    def underlying(self, shape: Shape) -> Shape:
        """Return what a named type is defined as; other types are returned as they are."""
        for _ in range(_MAX_NESTED):
            home = self.declaration_of(shape)
            if home is None or home.kind is not GoKind.TYPE:
                return shape
            made = self.of(home.unit, home.node.field("type"))
            shape = substitute(made, self.arguments(home, shape))
        return UNKNOWN_TYPE

    def arguments(self, home: GoDeclaration, shape: Shape) -> dict[Definition, Shape]:
        """Map the type parameters of a declared type to their arguments in *shape*."""
        if not shape.parts:
            return {}
        return dict(zip(self.parameters(home), shape.parts, strict=False))

    def function(self, unit: Unit, node: SyntaxNode) -> Shape:
        """Return the type of a function: its parameters and its results."""
        given = self._parameter_types(unit, node.field("parameters"))
        result = node.field("result")
        if result is not None and result.kind() != "parameter_list":
            return Shape("func", (given, Shape("tuple", (self.of(unit, result),))))
        return Shape("func", (given, self._parameter_types(unit, result)))

    def _parameter_types(self, unit: Unit, listed: SyntaxNode | None) -> Shape:
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

    def literal(self, unit: Unit, node: SyntaxNode) -> Shape:
        """Return the type of an anonymous struct or interface."""
        if node.kind() == "interface_type" and not any(c.is_named() for c in node.children()):
            return Shape("any")
        definition = Definition(unit.path, node.range().start.index, "", is_member=False)
        self._homes.setdefault(definition, GoDeclaration(unit, node, GoKind.LITERAL, node))
        return Shape(definition)

    def named_type(self, unit: Unit, node: SyntaxNode) -> Shape:
        """Return the type that a plain name refers to."""
        found = self.declarations(unit, node)
        if found:
            return self.declared_type(found)
        name = node.text()
        return Shape(_SAME.get(name, name)) if name in BASIC else UNKNOWN_TYPE


def _qualified_type(types: GoTypes, unit: Unit, node: SyntaxNode) -> Shape:
    return types.exported_type(unit, required_field(node, "package"), required_field(node, "name"))


def _selector_type(types: GoTypes, unit: Unit, node: SyntaxNode) -> Shape:
    operand = required_field(node, "operand")
    if operand.kind() != "identifier" or types.declarations(unit, operand):
        return UNKNOWN_TYPE
    return types.exported_type(unit, operand, required_field(node, "field"))


def _pointer_type(types: GoTypes, unit: Unit, node: SyntaxNode) -> Shape:
    return Shape("pointer", (types.of(unit, node.children()[-1]),))


def _map_type(types: GoTypes, unit: Unit, node: SyntaxNode) -> Shape:
    return Shape("map", (types.of(unit, node.field("key")), types.of(unit, node.field("value"))))


def _channel_type(types: GoTypes, unit: Unit, node: SyntaxNode) -> Shape:
    return Shape("chan", (types.of(unit, node.field("value")),))


def _generic_type(types: GoTypes, unit: Unit, node: SyntaxNode) -> Shape:
    base = types.of(unit, node.field("type"))
    listed = required_field(node, "type_arguments").children()
    given = tuple(types.of(unit, each) for each in listed if each.is_named())
    return Shape(base.head, given) if base != UNKNOWN_TYPE else UNKNOWN_TYPE


_TYPE_READERS: dict[str, _TypeReader] = {
    "type_identifier": GoTypes.named_type,
    "identifier": GoTypes.named_type,
    "qualified_type": _qualified_type,
    "selector_expression": _selector_type,
    "pointer_type": _pointer_type,
    "map_type": _map_type,
    "channel_type": _channel_type,
    "generic_type": _generic_type,
    "function_type": GoTypes.function,
    "struct_type": GoTypes.literal,
    "interface_type": GoTypes.literal,
}
