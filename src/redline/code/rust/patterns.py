"""Determine the types of local names from the patterns that bind them."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.rust import library
from redline.code.rust.members import Want
from redline.code.rust.paths import Definitions, definition_of, names_of
from redline.code.rust.scopes.names import LocalOrigin, Role, RustLocal, contains
from redline.code.rust.values import RustValues
from redline.code.scopes.model import Binding, Scope
from redline.code.syntax.node import SyntaxNode, required_field


@dataclass(slots=True)
class Patterns:
    """Types the names that patterns bind."""

    values: RustValues
    _known: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def local(self, unit: Unit, binding: Binding) -> Shape:
        """Return the type of a local name."""
        local = names_of(unit).locals[binding]
        key = (unit.path, "local", binding.sites[0].start)
        if key not in self._known:
            self._known[key] = UNKNOWN_TYPE
            whole = self.origin(local, unit)
            start = binding.sites[0].start
            self._known[key] = self.bound_type(local.pattern, whole, start, unit, local.scope)
        return self._known[key]

    def origin(self, local: RustLocal, unit: Unit) -> Shape:
        """Return the type of the value that a pattern matches."""
        if local.type is not None:
            return self.values.types.evaluate(local.type, unit, local.scope)
        if local.how is LocalOrigin.EACH:
            return self.values.item_type(self.values.of(local.value, unit, local.scope))
        if local.how is LocalOrigin.CLOSURE:
            return self.closure_parameter(local, unit)
        return library.settled(self.values.of(local.value, unit, local.scope))

    def closure_parameter(self, local: RustLocal, unit: Unit) -> Shape:
        """Return the type of a closure's parameter, by the function it is passed to."""
        closure = local.value
        assert closure is not None
        nth = _index_of(local.pattern, required_field(closure, "parameters"))
        above = closure.parent()
        call = above.parent() if above is not None and above.kind() == "arguments" else None
        function = call.field("function") if call is not None else None
        if above is None or function is None or nth is None:
            return UNKNOWN_TYPE
        if function.kind() == "generic_function":
            function = required_field(function, "function")
        if function.kind() != "field_expression":
            found = self.values.resolve_path(function, unit, local.scope)
            return (
                self._closure_argument(found, _index_of(closure, above), UNKNOWN_TYPE, nth)
                or UNKNOWN_TYPE
            )
        name = required_field(function, "field").text()
        owner = self.values.of(function.field("value"), unit, local.scope)
        found = self.values.members.of(owner, Want(name))
        known = self._closure_argument(found, _index_of(closure, above), owner, nth)
        if known is not None:
            return known
        if isinstance(owner.head, Definition):
            owner = library.iterator_of(self.values.item_type(owner))
        return library.closure_argument(owner, name, nth)

    def _closure_argument(
        self, functions: Definitions, index: int | None, owner: Shape, nth: int
    ) -> Shape | None:
        """Return what workspace functions pass to a closure argument; None if there are none."""
        for definition in functions - {UNKNOWN}:
            taken = self.values.signatures.parameter(definition, index or 0, owner)
            return library.part(taken, nth + 1) if taken is not None else UNKNOWN_TYPE
        return None

    def bound_type(
        self, node: SyntaxNode, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        """Return the type of the name at *start* in a pattern that matches *shape*."""
        kind = node.kind()
        if kind in ("identifier", "shorthand_field_identifier"):
            return shape
        if kind == "tuple_struct_pattern":
            return self._bound_in_tuple_struct(node, shape, start, unit, scope)
        if kind == "struct_pattern":
            return self._bound_in_struct(node, shape, start, unit, scope)
        for nth, part in enumerate(_parts(node)):
            if contains(part, start):
                return self.bound_type(part, _inner(kind, shape, nth), start, unit, scope)
        return UNKNOWN_TYPE

    def _bound_in_tuple_struct(
        self, node: SyntaxNode, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        of = required_field(node, "type")
        parts = _parts(node)[1:]
        nth = next((n for n, p in enumerate(parts) if p.range().end.index > start), 0)
        name = of.text().split("::")[-1]
        if name in ("Some", "Ok", "Err") and isinstance(shape.head, str):
            inner = library.part(shape, int(name == "Err"))
            return self.bound_type(parts[nth], inner, start, unit, scope)
        for definition in self.values.resolve_path(of, unit, scope) - {UNKNOWN}:
            inner = self.values.parts.of_tuple_field(definition, nth, shape)
            return self.bound_type(parts[nth], inner, start, unit, scope)
        return UNKNOWN_TYPE

    def _bound_in_struct(
        self, node: SyntaxNode, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        for part in node.children():
            if part.kind() != "field_pattern" or not contains(part, start):
                continue
            name, pattern = required_field(part, "name"), part.field("pattern")
            for definition in self.key(required_field(node, "type"), name.text(), unit, scope) - {
                UNKNOWN
            }:
                inner = self.values.parts.of_field(definition, shape)
                return (
                    inner
                    if pattern is None
                    else self.bound_type(pattern, inner, start, unit, scope)
                )
        return UNKNOWN_TYPE

    def key(self, of: SyntaxNode, name: str, unit: Unit, scope: Scope) -> Definitions:
        """Resolve a field in the literal or pattern of a struct or variant."""
        found = self.values.resolve_path(of, unit, scope)
        for definition in found - {UNKNOWN}:
            if definition.binding is not None and Role.ALIAS in definition.binding.roles:
                found = frozenset(
                    self.values.types.definitions_of(self.values.parts.of_value(found))
                )
        fields: set[Definition] = set()
        for definition in found - {UNKNOWN}:
            home = self.values.types.paths.units.at(definition.path)
            body = self.values.members.body(definition)
            binding = body.names.get(name) if body is not None else None
            if home is not None and binding is not None:
                fields.add(definition_of(home, binding))
        return frozenset(fields) or (UNRESOLVED if found else found)


def _inner(kind: str, shape: Shape, nth: int) -> Shape:
    """Return the type that a part of a pattern matches."""
    if kind == "tuple_pattern":
        return library.part(shape, nth) if shape.head == "tuple" else UNKNOWN_TYPE
    return library.element_type(shape) if kind == "slice_pattern" else shape


def _parts(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the parts of a pattern; `_` counts."""
    return [c for c in node.children() if c.kind() == "_" or c.is_named()]


def _index_of(node: SyntaxNode, among: SyntaxNode) -> int | None:
    """Return the index of a node among the parts of another."""
    starts = [part.range().start.index for part in _parts(among)]
    start = node.range().start.index
    return starts.index(start) if start in starts else None
