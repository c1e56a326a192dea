"""Who has a member: the fields and variants of types, what `impl`s and traits give them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.typed.types import Shape
from redline.code.references.typed.units import Unit
from redline.code.rust.paths import NOTHING, OPEN, TYPE, Things, names_of, own
from redline.code.rust.scopes.names import Impl
from redline.code.rust.types import Types
from redline.code.scopes.model import ANY, Binding, Scope
from redline.core.paths import WorkspacePath

# Files that are looked through for a member that only leads to the one that is asked for.
_MOST_ON_THE_WAY = 8
# Files that the index names at most.
_MOST = 50
# Traits of the standard library that types are given to.
STANDARD = {
    *("Iterator", "IntoIterator", "Deref", "Index", "TryFrom", "TryInto", "FromStr", "Future"),
    *("Add", "Sub", "Mul", "Div", "Rem", "Neg", "Not", "BitAnd", "BitOr", "BitXor", "Shl", "Shr"),
    *("FnOnce", "ToOwned"),
}
# How a file looks that has a trait. A plain word first is found fast.
A_TRAIT = r"trait\s+\w+[^;{]*\{"
# What the body of a type itself has, by how it is asked for.
_OWN = {"::": {"variant"}, "called": set[str](), "field": {"field"}}


@dataclass(frozen=True, slots=True)
class Want:
    """A member that is looked for: its name, and how: after `::`, called, or as a `field`."""

    name: str
    how: str = "called"
    meaning: str = ANY


@dataclass(slots=True)
class Owners:
    """Finds the members of types."""

    types: Types
    _impls: dict[tuple[object, ...], bool] = field(default_factory=dict)
    _asked: set[tuple[object, ...]] = field(default_factory=set)
    _fitting: dict[tuple[WorkspacePath, str], bool] = field(default_factory=dict)
    _homes: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)

    def of(self, shape: Shape, want: Want) -> Things:
        """What a member of a value, or of a type, is.

        Nothing where a library or the language has it, UNKNOWN where that cannot be told.
        """
        if shape.head == "?":
            return OPEN
        asked = (shape, want)
        if asked in self._asked:
            return NOTHING
        self._asked.add(asked)
        found = self._of(shape, want)
        self._asked.discard(asked)
        return found

    def of_thing(self, thing: Thing, name: str, meaning: str) -> Things:
        """What `Type::name` is."""
        if thing == UNKNOWN or thing.binding is None:
            return OPEN
        roles = thing.binding.roles
        if "alias" in roles:
            shape = self.types.of_things(frozenset({thing}), (), thing.name)
            return self.of(shape, Want(name, "::", meaning))
        if roles & {"type", "trait", "type parameter", "associated"}:
            return self.of(Shape(thing), Want(name, "::", meaning))
        return NOTHING

    def _of(self, shape: Shape, want: Want) -> Things:
        if isinstance(shape.head, str):
            if shape.head == "bounds":
                return self._of_any(list(shape.parts), want)
            return self._of_library(shape, want)
        thing = shape.head
        assert thing.binding is not None
        roles = thing.binding.roles
        if "associated" in roles:
            real = self.projected(shape)
            if real is not None:
                return self.of(real, want)
            return self._of_any(self.types.bounds(thing), want) or OPEN
        if "type parameter" in roles:
            bounds = self.types.bounds(thing)
            return self._of_any(bounds, want) or self._by_trait(want.name)
        if "trait" in roles:
            return self._of_trait(thing, want)
        return self._of_type(thing, want)

    def projected(self, shape: Shape) -> Shape | None:
        """What an associated type is for the type it belongs to, where that is known."""
        thing, owner = shape.head, shape.parts[0].head if shape.parts else None
        if not isinstance(thing, Thing) or not isinstance(owner, Thing):
            return None
        for found in self.of(Shape(owner), Want(thing.name, "::", TYPE)):
            binding = found.binding
            if binding is not None and "alias" in binding.roles:
                return self.types.of_things(frozenset({found}), (), found.name)
        return None

    def _of_any(self, shapes: list[Shape], want: Want) -> Things:
        found: set[Thing] = set()
        for shape in shapes:
            found |= self.of(shape, want)
        return frozenset(found - {UNKNOWN}) or frozenset(found)

    def _of_library(self, shape: Shape, want: Want) -> Things:
        """What a type of a library has by a trait of ours; of what it holds it may pass all on."""
        for unit in self.defining(want.name, for_type(str(shape.head))):
            for found in names_of(unit).impls:
                binding = found.scope.bound(want.name, ANY)
                if binding is not None and self._head(found, unit) == shape.head:
                    return frozenset({own(unit, binding)})
        if shape.head in STANDARD and want.how == "::" and want.name[:1].isupper():
            return frozenset({of_library(str(shape.head), want.name)})
        held = [part for part in shape.parts if isinstance(part.head, Thing)]
        if any(self.of(part, want) for part in held):
            return OPEN
        return self._by_trait(want.name)

    def _by_trait(self, name: str) -> Things:
        """UNKNOWN where a trait of ours might give the member to any type."""
        for unit in self.defining(name, A_TRAIT):
            for binding, scope in names_of(unit).bodies.items():
                if "trait" in binding.roles and scope.bound(name, ANY) is not None:
                    return OPEN
        return NOTHING

    def _of_trait(self, thing: Thing, want: Want) -> Things:
        unit = self.types.paths.units.at(thing.path)
        body = self.body(thing)
        if unit is None or body is None:
            return OPEN
        binding = body.bound(want.name, want.meaning)
        if binding is not None:
            return frozenset({own(unit, binding)})
        node = body.node.field("bounds")
        if node is None:
            return NOTHING
        above = self.types.written(node, unit, body.parent or body)
        return self._of_any(list(above.parts), want)

    def _of_type(self, thing: Thing, want: Want) -> Things:
        unit = self.types.paths.units.at(thing.path)
        body = self.body(thing)
        if unit is None or body is None:
            return OPEN
        binding = body.bound(want.name, want.meaning)
        if binding is not None and _OWN[want.how] & binding.roles:
            return frozenset({own(unit, binding)})
        if want.how == "field":
            return self._stood_for(unit, thing, want) or NOTHING
        for inherent in (True, False):
            for home in (unit, *self.defining(want.name, for_type(thing.name))):
                found = self._implemented(home, thing, want, inherent)
                if found:
                    # Of one trait with several arguments it may be any.
                    return frozenset({own(home, found[0])}) if len(found) == 1 else OPEN
        return self._given(unit, thing, want)

    def _implemented(self, unit: Unit, thing: Thing, want: Want, inherent: bool) -> list[Binding]:
        """What a file gives a type by that name."""
        impls = [found for found in names_of(unit).impls if (found.trait is None) is inherent]
        named = [(found, found.scope.bound(want.name, want.meaning)) for found in impls]
        return [b for found, b in named if b is not None and self._is_of(found, unit, thing)]

    def _given(self, unit: Unit, thing: Thing, want: Want) -> Things:
        """What a trait gives by default, or another type that this one stands for."""
        may_be = False
        for home in self.defining(want.name, A_TRAIT):
            for trait, scope in names_of(home).bodies.items():
                is_trait = "trait" in trait.roles
                binding = scope.bound(want.name, want.meaning) if is_trait else None
                if binding is None:
                    continue
                may_be = True
                if any(self._has(each, thing, own(home, trait)) for each in (unit, home)):
                    return frozenset({own(home, binding)})
        found = self._stood_for(unit, thing, want)
        if found is not None:
            return found
        return OPEN if may_be or self.is_cut(want.name) else NOTHING

    def _stood_for(self, unit: Unit, thing: Thing, want: Want) -> Things | None:
        """What the type has that a type is read as; None where it is read as no other."""
        for found in self.impls(unit, thing):
            if found.trait is not None and found.trait.text().split("::")[-1] == "Deref":
                target = found.scope.bound("Target", TYPE)
                if target is not None:
                    return self.of(self._assigned(unit, found, target), want)
        return None

    def _has(self, unit: Unit, thing: Thing, trait: Thing) -> bool:
        """Whether a file makes a type have a trait."""
        for found in names_of(unit).impls:
            if found.trait is None or trait.name not in found.trait.text():
                continue
            if trait not in self.trait_of(unit, found):
                continue
            if self._is_of(found, unit, thing) or self._is_for_all(found, unit):
                return True
        return False

    def trait_of(self, unit: Unit, found: Impl) -> list[Thing]:
        """The trait that an `impl` is for."""
        if found.trait is None:
            return []
        return self.types.things_of(self.types.written(found.trait, unit, found.outer))

    def impls(self, unit: Unit, thing: Thing) -> Iterator[Impl]:
        """What a file implements for a type."""
        return (found for found in names_of(unit).impls if self._is_of(found, unit, thing))

    def associated(self, unit: Unit, thing: Thing, trait: str, name: str) -> Shape | None:
        """The type that an `impl` of a library's trait says, such as the items of an iterator."""
        for found in self.impls(unit, thing):
            if found.trait is not None and found.trait.text().split("<")[0].endswith(trait):
                target = found.scope.bound(name, TYPE)
                if target is not None:
                    return self._assigned(unit, found, target)
        return None

    def _assigned(self, unit: Unit, found: Impl, binding: Binding) -> Shape:
        node = binding.sites[0].node.parent()
        return self.types.written(node.field("type"), unit, found.outer)

    def _is_of(self, found: Impl, unit: Unit, thing: Thing) -> bool:
        asked = (unit.path, found.scope, thing)
        if asked not in self._impls:
            self._impls[asked] = self._head(found, unit) == thing
        return self._impls[asked]

    def _is_for_all(self, found: Impl, unit: Unit) -> bool:
        head = self._head(found, unit)
        binding = head.binding if isinstance(head, Thing) else None
        return binding is not None and "type parameter" in binding.roles

    def _head(self, found: Impl, unit: Unit) -> Thing | str:
        return self.types.written(found.of, unit, found.outer).head

    def body(self, thing: Thing) -> Scope | None:
        """The scope of what a type or trait itself has."""
        unit = self.types.paths.units.at(thing.path)
        if unit is None or thing.binding is None:
            return None
        return names_of(unit).bodies.get(thing.binding)

    def defining(self, name: str, pattern: str) -> Iterator[Unit]:
        """The files with such a text that define *name*; not all of them for one on the way."""
        units = self.types.paths.units
        paths = self._defining(name)
        for path in paths if name == units.word else paths[:_MOST_ON_THE_WAY]:
            unit = units.at(path) if self._fits(path, pattern) else None
            if unit is not None:
                yield unit

    def _fits(self, path: WorkspacePath, pattern: str) -> bool:
        """Whether a file is worth parsing, by its text."""
        if (path, pattern) not in self._fitting:
            text = self.types.paths.units.files.text(path)
            self._fitting[path, pattern] = text is None or bool(re.search(pattern, text))
        return self._fitting[path, pattern]

    def is_cut(self, name: str) -> bool:
        """Whether not all files that define *name* are looked through."""
        most = _MOST if name == self.types.paths.units.word else _MOST_ON_THE_WAY
        return len(self._defining(name)) >= most

    def _defining(self, name: str) -> Sequence[WorkspacePath]:
        if name not in self._homes:
            self._homes[name] = self.types.paths.units.files.defining(name)
        return self._homes[name]


def for_type(name: str) -> str:
    """How a file looks that has an `impl` of a trait or for a type."""
    return rf"impl\b[^;{{]*\b{re.escape(name)}\b"


def of_library(trait: str, name: str) -> Thing:
    """A type that belongs to a trait of a library."""
    return Thing(WorkspacePath(-1, (trait,)), 0, name, is_member=True)
