"""The types that are written in Rust, as shapes; references and boxes count as what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.rust.paths import TYPE, Paths, Things, names_of, own
from redline.code.rust.scopes.names import Path
from redline.code.scopes.model import Binding, Scope
from redline.code.syntax.node import Node

# Types that are used as what they hold.
_HOLDERS = {
    *("Box", "Rc", "Arc", "Pin", "Cow", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard"),
    *("RwLockWriteGuard", "ManuallyDrop", "Reverse", "Lazy", "LazyLock"),
}
_ITERATORS = {"Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator"}
_DEEPEST = 12
# Parts of type arguments that are no types.
_NO_TYPES = {"lifetime", "type_binding", "block", "integer_literal"}
_NAMES = {"type_identifier", "scoped_type_identifier", "identifier", "scoped_identifier"}
# Kinds of types that count as one of their parts, and that part.
_HOLDING = {
    "reference_type": "type",
    "pointer_type": "type",
    "dynamic_type": "trait",
    "abstract_type": "trait",
}
# Kinds of types with a word of their own, and the part they are made of; None for all.
_MADE_OF = {
    "tuple_type": ("tuple", None),
    "array_type": ("slice", "element"),
    "trait_bounds": ("bounds", None),
}


@dataclass(slots=True)
class Types:
    """Reads types as they are written."""

    paths: Paths
    _depth: int = 0
    _written: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def written(self, node: Node | None, unit: Unit, scope: Scope) -> Shape:
        """The type that a node spells."""
        if node is None or self._depth > _DEEPEST:
            return OPEN
        where = node.range()
        asked = (unit.path, where.start.index, where.end.index, scope)
        if asked not in self._written:
            self._depth += 1
            self._written[asked] = self._read(node, unit, scope)
            self._depth -= 1
        return self._written[asked]

    def _read(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        kind = node.kind()
        if kind in _NAMES:
            return self.named(node, (), unit, scope)
        if kind == "generic_type":
            return self._generic(node, unit, scope)
        if kind == "primitive_type":
            return Shape(node.text())
        if kind in _HOLDING:
            return self.written(node.field(_HOLDING[kind]), unit, scope)
        if kind in _MADE_OF:
            word, part = _MADE_OF[kind]
            held = [node.field(part)] if part is not None else _types(node)
            return Shape(word, tuple(self.written(each, unit, scope) for each in held))
        if kind == "bounded_type":
            return _plainest([self.written(each, unit, scope) for each in _types(node)])
        if kind == "function_type":
            return self._function(node, unit, scope)
        return Shape("()") if kind == "unit_type" else OPEN

    def _function(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        """What can be called: what it gives, and then what it is given."""
        given = node.field("parameters")
        parts = tuple(self._each(given, unit, scope)) if given is not None else ()
        return Shape("Fn", (self.written(node.field("return_type"), unit, scope), *parts))

    def _each(self, node: Node, unit: Unit, scope: Scope) -> Iterator[Shape]:
        return (self.written(child, unit, scope) for child in _types(node))

    def _generic(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        head, given = node.field("type"), node.field("type_arguments")
        parts = tuple(self._each(given, unit, scope)) if given is not None else ()
        if given is not None and head.text().split("::")[-1] in _ITERATORS:
            bound = [c for c in given.children() if c.kind() == "type_binding"]
            if bound:
                return Shape("Iter", (self.written(bound[0].field("type"), unit, scope),))
        return self.named(head, parts, unit, scope)

    def named(self, node: Node, parts: tuple[Shape, ...], unit: Unit, scope: Scope) -> Shape:
        """The type of a name or path with its arguments."""
        path = path_of(node)
        if path is None:
            return OPEN
        if path == ("Self",):
            return self.self_shape(unit, scope)
        if path[0] == "Self" and len(path) == 2:
            things = self.paths.members(self._head(self.self_shape(unit, scope)), path[1], TYPE)
        else:
            things = self.paths.resolve(unit, scope, path, TYPE)
        shape = self.of_things(things, parts, path[-1])
        if len(path) > 1 and has_role(shape, "associated"):
            before = self.paths.resolve(unit, scope, path[:-1], TYPE)
            return Shape(shape.head, (self.of_things(before, (), path[-2]),))
        return shape

    def _head(self, shape: Shape) -> Thing:
        return shape.head if isinstance(shape.head, Thing) else UNKNOWN

    def of_things(self, things: Things, parts: tuple[Shape, ...], name: str) -> Shape:
        """The type that a name means."""
        if not things:
            if name in _HOLDERS:
                return parts[-1] if parts else OPEN
            return Shape(name, parts)
        known = [thing for thing in things if thing != UNKNOWN]
        if not known or known[0].binding is None:
            return OPEN
        thing = min(known, key=lambda t: (t.path, t.start))
        binding = thing.binding
        assert binding is not None
        if "alias" in binding.roles:
            return self._alias(thing, binding, parts)
        if binding.roles & {"type", "trait", "type parameter", "associated"}:
            return Shape(thing, parts)
        return OPEN

    def _alias(self, thing: Thing, binding: Binding, parts: tuple[Shape, ...]) -> Shape:
        unit = self.paths.units.at(thing.path)
        node = binding.sites[0].node.parent()
        if unit is None or node is None:
            return OPEN
        scope = next((s for s in unit.names.scopes if _is_same(s.node, node)), binding.scope)
        shape = self.written(node.field("type"), unit, scope)
        given = dict(zip(parameters(unit, scope), parts, strict=False))
        return replaced(shape, given)

    def self_shape(self, unit: Unit, scope: Scope) -> Shape:
        """What `Self` is in a scope."""
        names = names_of(unit)
        found = names.impl(scope)
        if found is not None:
            return self.written(found.of, unit, found.outer)
        owner = names.trait(scope)
        return Shape(own(unit, owner)) if owner is not None else OPEN

    def bounds(self, thing: Thing) -> list[Shape]:
        """What a type parameter, or an associated type, is said to be."""
        unit = self.paths.units.at(thing.path)
        binding = thing.binding
        if unit is None or binding is None:
            return [OPEN]
        node = binding.sites[0].node.parent()
        found = [
            self.written(child, unit, binding.scope)
            for child in node.children()
            if child.kind() == "trait_bounds"
        ]
        for clause in binding.scope.node.children():
            for said in clause.children() if clause.kind() == "where_clause" else ():
                left = said.field("left") if said.kind() == "where_predicate" else None
                if left is not None and left.text() == binding.name:
                    found.append(self.written(said.field("bounds"), unit, binding.scope))
        return [part for shape in found for part in shape.parts or (shape,)]

    def callable(self, shape: Shape) -> Shape | None:
        """What a value can be called as, by its type or what its type is said to be."""
        found = [shape]
        if isinstance(shape.head, Thing) and has_role(shape, "type parameter"):
            found = self.bounds(shape.head)
        parts = [p for each in found for p in (each.parts if each.head == "bounds" else (each,))]
        return next((part for part in parts if part.head == "Fn"), None)

    def things_of(self, shape: Shape) -> list[Thing]:
        """The types and traits that members are looked for in."""
        if shape.head == "bounds":
            return [thing for part in shape.parts for thing in self.things_of(part)]
        return [shape.head] if isinstance(shape.head, Thing) else []


def _types(node: Node) -> list[Node]:
    """The types among the parts of a node."""
    return [c for c in node.children() if c.is_named() and c.kind() not in _NO_TYPES]


def _plainest(shapes: list[Shape]) -> Shape:
    """Of several things that a type is said to be, the one that tells what it gives."""
    telling = [shape for shape in shapes if shape.head in ("Iter", "Fn")]
    if telling or len(shapes) == 1:
        return (telling or shapes)[0]
    return Shape("bounds", tuple(shapes))


def has_role(shape: Shape, role: str) -> bool:
    """Whether a type is ours and of that kind."""
    binding = shape.head.binding if isinstance(shape.head, Thing) else None
    return binding is not None and role in binding.roles


def parameters(unit: Unit, scope: Scope) -> list[Thing]:
    """The type parameters that a scope binds, in order."""
    found = [b for b in scope.types.values() if "type parameter" in b.roles]
    return [own(unit, binding) for binding in found]


def path_of(node: Node) -> Path | None:
    """The words of a path, without arguments; None for what is more than words."""
    kind = node.kind()
    if kind in ("scoped_identifier", "scoped_type_identifier"):
        path = node.field("path")
        before = path_of(path) if path is not None else ("",)
        return (*before, node.field("name").text()) if before is not None else None
    if kind == "generic_type":
        return path_of(node.field("type"))
    if kind in ("identifier", "type_identifier", "self", "super", "crate", "primitive_type"):
        return (node.text(),)
    return ("crate",) if node.text() == "$crate" else None


def replaced(shape: Shape, given: Mapping[Thing, Shape]) -> Shape:
    """A type with its parameters replaced."""
    if not given:
        return shape
    if isinstance(shape.head, Thing) and shape.head in given:
        return given[shape.head]
    return Shape(shape.head, tuple(replaced(part, given) for part in shape.parts))


def matched(pattern: Shape, real: Shape, given: dict[Thing, Shape]) -> None:
    """Note what the parameters of *pattern* are in *real*."""
    head = pattern.head
    if isinstance(head, Thing) and head.binding and "type parameter" in head.binding.roles:
        given.setdefault(head, real)
    elif head == real.head:
        for one, other in zip(pattern.parts, real.parts, strict=False):
            matched(one, other, given)


def _is_same(one: Node, other: Node) -> bool:
    a, b = one.range(), other.range()
    return bool(a.start.index == b.start.index and a.end.index == b.end.index)
