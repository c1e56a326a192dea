"""Which methods of Go correspond: an interface's and those of the types that satisfy it."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.code.go.library import LIBRARY
from redline.code.go.members import Members
from redline.code.go.names import Declared
from redline.code.go.sources import receiver_of
from redline.code.go.types import Types
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.syntax.node import Node


@dataclass(slots=True)
class Interfaces:
    """Tells whether a method answers for another."""

    types: Types
    members: Members
    _known: dict[tuple[Thing, Thing], bool] = field(default_factory=dict)

    def correspond(self, one: Declared, other: Declared) -> bool:
        """Whether one is a method of an interface that the type of the other satisfies."""
        key = (one.thing, other.thing)
        if key not in self._known:
            pair = (one, other) if _is_abstract(one) else (other, one)
            apart = _is_abstract(one) != _is_abstract(other)
            self._known[key] = apart and self._satisfies(*pair)
        return self._known[key]

    def _satisfies(self, asked: Declared, given: Declared) -> bool:
        if not self._alike(asked, given):
            return False
        interface = self._interface(asked)
        receiver = receiver_of(given)
        kind = self.types.of(given.unit, receiver) if receiver is not None else OPEN
        wanted = self.members.all_methods(interface)
        if kind == OPEN or wanted is None:
            return False
        return all(self._has(kind, method) for method in wanted)

    def _has(self, kind: Shape, method: Declared) -> bool:
        found = self.members.find(kind, method.name)
        if not found.declared:
            return found.is_outside or found.is_open
        return self._alike(method, found.declared[0])

    def _alike(self, one: Declared, other: Declared) -> bool:
        """Whether two methods take and give the same."""
        if one.thing == other.thing:
            return True
        if other.kind != "method":
            return False
        mine = self.types.function(one.unit, one.node)
        theirs = self.types.function(other.unit, other.node)
        return _same(mine, theirs)

    def _interface(self, method: Declared) -> Shape:
        """The interface that spells a method out."""
        above: Node = method.node.parent()
        spec = above.parent()
        if spec is not None and spec.kind() == "type_spec":
            return self.types.named([Declared(method.unit, spec.field("name"), "type", spec)])
        return self.types.literal(method.unit, above)


def _is_abstract(method: Declared) -> bool:
    return bool(method.node.kind() == "method_elem")


def _same(one: Shape, other: Shape) -> bool:
    """Whether two types are the same, as far as they can be told."""
    if OPEN in (one, other) or LIBRARY in (one, other):
        return True
    if _is_spelled(one) and _is_spelled(other):
        return True  # structs or interfaces without a name: their words may differ
    if one.head != other.head or len(one.parts) != len(other.parts):
        return False
    return all(_same(mine, theirs) for mine, theirs in zip(one.parts, other.parts, strict=True))


def _is_spelled(shape: Shape) -> bool:
    return isinstance(shape.head, Thing) and not shape.head.name
