"""Match the methods of interfaces with those of the types that satisfy them."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.code.go.library import LIBRARY
from redline.code.go.members import GoMembers
from redline.code.go.names import GoDeclaration, GoKind
from redline.code.go.sources import receiver_of
from redline.code.go.types import GoTypes
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.syntax.node import required_field


@dataclass(slots=True)
class Interfaces:
    """Determines whether two methods correspond."""

    types: GoTypes
    members: GoMembers
    _known: dict[tuple[Definition, Definition], bool] = field(default_factory=dict)

    def correspond(self, one: GoDeclaration, other: GoDeclaration) -> bool:
        """Return whether one belongs to an interface that the other's type satisfies."""
        key = (one.definition, other.definition)
        if key not in self._known:
            pair = (one, other) if _is_abstract(one) else (other, one)
            apart = _is_abstract(one) != _is_abstract(other)
            self._known[key] = apart and self._satisfies(*pair)
        return self._known[key]

    def _satisfies(self, asked: GoDeclaration, given: GoDeclaration) -> bool:
        if not self._have_same_signature(asked, given):
            return False
        interface = self._interface(asked)
        receiver = receiver_of(given)
        kind = self.types.of(given.unit, receiver) if receiver is not None else UNKNOWN_TYPE
        wanted = self.members.all_methods(interface)
        if kind == UNKNOWN_TYPE or wanted is None:
            return False
        return all(self._has(kind, method) for method in wanted)

    def _has(self, kind: Shape, method: GoDeclaration) -> bool:
        found = self.members.find(kind, method.name)
        if not found.declarations:
            return found.may_be_external or found.is_unknown
        return self._have_same_signature(method, found.declarations[0])

    def _have_same_signature(self, one: GoDeclaration, other: GoDeclaration) -> bool:
        """Return whether two methods have the same signature."""
        if one.definition == other.definition:
            return True
        if other.kind is not GoKind.METHOD:
            return False
        mine = self.types.function(one.unit, one.node)
        theirs = self.types.function(other.unit, other.node)
        return _are_same(mine, theirs)

    def _interface(self, method: GoDeclaration) -> Shape:
        """Return the interface that lists a method."""
        above = method.node.parent()
        assert above is not None
        spec = above.parent()
        if spec is not None and spec.kind() == "type_spec":
            return self.types.declared_type(
                [GoDeclaration(method.unit, required_field(spec, "name"), GoKind.TYPE, spec)]
            )
        return self.types.literal(method.unit, above)


def _is_abstract(method: GoDeclaration) -> bool:
    return method.node.kind() == "method_elem"


def _are_same(one: Shape, other: Shape) -> bool:
    """Return whether two types are the same as far as they are known."""
    if UNKNOWN_TYPE in (one, other) or LIBRARY in (one, other):
        return True
    if _is_anonymous(one) and _is_anonymous(other):
        return True  # anonymous structs or interfaces: their text may differ
    if one.head != other.head or len(one.parts) != len(other.parts):
        return False
    return all(_are_same(mine, theirs) for mine, theirs in zip(one.parts, other.parts, strict=True))


def _is_anonymous(shape: Shape) -> bool:
    return isinstance(shape.head, Definition) and not shape.head.name
