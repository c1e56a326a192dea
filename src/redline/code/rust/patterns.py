"""What patterns take apart in Rust, and so the types of local names."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.rust import library
from redline.code.rust.owners import Want
from redline.code.rust.paths import Things, names_of, own
from redline.code.rust.scopes.names import Local, holds
from redline.code.rust.values import Values
from redline.code.scopes.model import Binding, Scope
from redline.code.syntax.node import Node


@dataclass(slots=True)
class Patterns:
    """Tells the types of the names that patterns bind."""

    values: Values
    _known: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def local(self, unit: Unit, binding: Binding) -> Shape:
        """The type of a local name."""
        local = names_of(unit).locals[binding]
        asked = (unit.path, "local", binding.sites[0].start)
        if asked not in self._known:
            self._known[asked] = OPEN
            whole = self.origin(local, unit)
            start = binding.sites[0].start
            self._known[asked] = self.taken(local.pattern, whole, start, unit, local.scope)
        return self._known[asked]

    def origin(self, local: Local, unit: Unit) -> Shape:
        """The type of what a pattern is held against."""
        if local.type is not None:
            return self.values.types.written(local.type, unit, local.scope)
        if local.how == "each":
            return self.values.iterated(self.values.of(local.value, unit, local.scope))
        if local.how == "closure":
            return self.passed(local, unit)
        return self.values.of(local.value, unit, local.scope)

    def passed(self, local: Local, unit: Unit) -> Shape:
        """The type of what a closure gets from what it is passed to."""
        closure = local.value
        assert closure is not None
        nth = _place_of(local.pattern, closure.field("parameters"))
        above = closure.parent()
        call = above.parent() if above is not None and above.kind() == "arguments" else None
        function = call.field("function") if call is not None else None
        if function is None or nth is None:
            return OPEN
        if function.kind() == "generic_function":
            function = function.field("function")
        if function.kind() != "field_expression":
            found = self.values.meant(function, unit, local.scope)
            return self._called_with(found, _place_of(closure, above), OPEN, nth) or OPEN
        name = function.field("field").text()
        owner = self.values.of(function.field("value"), unit, local.scope)
        found = self.values.owners.of(owner, Want(name))
        known = self._called_with(found, _place_of(closure, above), owner, nth)
        if known is not None:
            return known
        if isinstance(owner.head, Thing):
            owner = library.every(self.values.iterated(owner))
        return library.given(owner, name, nth)

    def _called_with(
        self, functions: Things, place: int | None, owner: Shape, nth: int
    ) -> Shape | None:
        """What functions of ours call a closure at a place with; None where there are none."""
        for thing in functions - {UNKNOWN}:
            taken = self.values.signatures.parameter(thing, place or 0, owner)
            return library.part(taken, nth + 1) if taken is not None else OPEN
        return None

    def taken(self, node: Node, shape: Shape, start: int, unit: Unit, scope: Scope) -> Shape:
        """The type of the name at *start* within a pattern for a value of *shape*."""
        kind = node.kind()
        if kind in ("identifier", "shorthand_field_identifier"):
            return shape
        if kind == "tuple_struct_pattern":
            return self._taken_of_tuple(node, shape, start, unit, scope)
        if kind == "struct_pattern":
            return self._taken_of_struct(node, shape, start, unit, scope)
        for nth, part in enumerate(_parts(node)):
            if holds(part, start):
                return self.taken(part, _inner(kind, shape, nth), start, unit, scope)
        return OPEN

    def _taken_of_tuple(
        self, node: Node, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        of = node.field("type")
        parts = _parts(node)[1:]
        nth = next((n for n, p in enumerate(parts) if p.range().end.index > start), 0)
        name = of.text().split("::")[-1]
        if name in ("Some", "Ok", "Err") and isinstance(shape.head, str):
            inner = library.part(shape, int(name == "Err"))
            return self.taken(parts[nth], inner, start, unit, scope)
        for thing in self.values.meant(of, unit, scope) - {UNKNOWN}:
            inner = self.values.parts.of_numbered(thing, nth, shape)
            return self.taken(parts[nth], inner, start, unit, scope)
        return OPEN

    def _taken_of_struct(
        self, node: Node, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        for part in node.children():
            if part.kind() != "field_pattern" or not holds(part, start):
                continue
            name, pattern = part.field("name"), part.field("pattern")
            for thing in self.key(node.field("type"), name.text(), unit, scope) - {UNKNOWN}:
                inner = self.values.parts.of_field(thing, shape)
                return inner if pattern is None else self.taken(pattern, inner, start, unit, scope)
        return OPEN

    def key(self, of: Node, name: str, unit: Unit, scope: Scope) -> Things:
        """The field that a struct or variant is given, or taken apart, by."""
        found = self.values.meant(of, unit, scope)
        for thing in found - {UNKNOWN}:
            if thing.binding is not None and "alias" in thing.binding.roles:
                found = frozenset(self.values.types.things_of(self.values.parts.of_value(found)))
        for thing in found - {UNKNOWN}:
            home, body = (
                self.values.types.paths.units.at(thing.path),
                self.values.owners.body(thing),
            )
            binding = body.names.get(name) if body is not None else None
            if home is not None and binding is not None:
                return frozenset({own(home, binding)})
        return frozenset({UNKNOWN}) if found else found


def _inner(kind: str, shape: Shape, nth: int) -> Shape:
    """What a part of a pattern is held against."""
    if kind == "tuple_pattern":
        return library.part(shape, nth) if shape.head == "tuple" else OPEN
    return library.indexed(shape) if kind == "slice_pattern" else shape


def _parts(node: Node) -> list[Node]:
    """What stands between the signs; `_` is a part like any other."""
    return [c for c in node.children() if c.kind() == "_" or c.is_named()]


def _place_of(node: Node, among: Node) -> int | None:
    """The place of a node among the parts of another."""
    starts = [part.range().start.index for part in _parts(among)]
    start = node.range().start.index
    return starts.index(start) if start in starts else None
