"""Who has a member: the fields and variants of types, what `impl`s and traits give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from redline.code.rust.names import Impl
from redline.code.rust.paths import NOTHING, OPEN, TYPE, Things, names_of, own
from redline.code.rust.types import Types
from redline.code.scopes import ANY, Binding, Scope
from redline.code.things import UNKNOWN, Thing
from redline.code.typed.shapes import Shape
from redline.code.typed.units import Unit
from redline.core.paths import WorkspacePath

# Files that are looked through for a member that only leads to the one that is asked for.
_MOST_ON_THE_WAY = 8


@dataclass(slots=True)
class Owners:
    """Finds the members of types."""

    types: Types
    _impls: dict[tuple[object, ...], bool] = field(default_factory=dict)
    _asked: set[tuple[object, ...]] = field(default_factory=set)
    _homes: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)

    def of(self, shape: Shape, name: str, *, is_path: bool = False, meaning: str = ANY) -> Things:
        """What the member *name* of a value, or of a type, is.

        Nothing where a library or the language has it, UNKNOWN where that cannot be told.
        """
        if shape.head == "?":
            return OPEN
        asked = (shape, name, is_path)
        if asked in self._asked:
            return NOTHING
        self._asked.add(asked)
        found = self._of(shape, name, is_path, meaning)
        self._asked.discard(asked)
        return found

    def of_thing(self, thing: Thing, name: str, meaning: str) -> Things:
        """What `Type::name` is."""
        if thing == UNKNOWN or thing.binding is None:
            return OPEN
        roles = thing.binding.roles
        if "alias" in roles:
            shape = self.types.of_things(frozenset({thing}), (), thing.name)
            return self.of(shape, name, is_path=True, meaning=meaning)
        if roles & {"type", "trait", "type parameter", "associated"}:
            return self.of(Shape(thing), name, is_path=True, meaning=meaning)
        return NOTHING

    def _of(self, shape: Shape, name: str, is_path: bool, meaning: str) -> Things:
        if isinstance(shape.head, str):
            if shape.head == "bounds":
                return self._of_any(list(shape.parts), name, is_path, meaning)
            return self._of_library(shape, name)
        thing = shape.head
        assert thing.binding is not None
        roles = thing.binding.roles
        if "associated" in roles:
            real = self.projected(shape)
            if real is not None:
                return self.of(real, name, is_path=is_path, meaning=meaning)
            return self._of_any(self.types.bounds(thing), name, is_path, meaning) or OPEN
        if "type parameter" in roles:
            bounds = self.types.bounds(thing)
            return self._of_any(bounds, name, is_path, meaning) or self._by_trait(name)
        if "trait" in roles:
            return self._of_trait(thing, name, is_path, meaning)
        return self._of_type(thing, name, is_path, meaning)

    def projected(self, shape: Shape) -> Shape | None:
        """What an associated type is for the type it belongs to, where that is known."""
        thing, owner = shape.head, shape.parts[0].head if shape.parts else None
        if not isinstance(thing, Thing) or not isinstance(owner, Thing):
            return None
        for found in self.of(Shape(owner), thing.name, is_path=True, meaning=TYPE):
            binding = found.binding
            if binding is not None and "alias" in binding.roles:
                return self.types.of_things(frozenset({found}), (), found.name)
        return None

    def _of_any(self, shapes: list[Shape], name: str, is_path: bool, meaning: str) -> Things:
        found: set[Thing] = set()
        for shape in shapes:
            found |= self.of(shape, name, is_path=is_path, meaning=meaning)
        return frozenset(found - {UNKNOWN}) or frozenset(found)

    def _of_library(self, shape: Shape, name: str) -> Things:
        """What a type of a library has by a trait of ours; of what it holds it may pass all on."""
        for unit in self.defining(name, "impl", str(shape.head)):
            for found in names_of(unit).impls:
                binding = found.scope.bound(name, ANY)
                if binding is not None and self._head(found, unit) == shape.head:
                    return frozenset({own(unit, binding)})
        held = [part for part in shape.parts if isinstance(part.head, Thing)]
        if any(self.of(part, name) for part in held):
            return OPEN
        return self._by_trait(name)

    def _by_trait(self, name: str) -> Things:
        """UNKNOWN where a trait of ours might give the member to any type."""
        for unit in self.defining(name, "trait "):
            for binding, scope in names_of(unit).bodies.items():
                if "trait" in binding.roles and scope.bound(name, ANY) is not None:
                    return OPEN
        return NOTHING

    def _of_trait(self, thing: Thing, name: str, is_path: bool, meaning: str) -> Things:
        unit = self.types.paths.units.at(thing.path)
        body = self.body(thing)
        if unit is None or body is None:
            return OPEN
        binding = body.bound(name, meaning)
        if binding is not None:
            return frozenset({own(unit, binding)})
        node = body.node.field("bounds")
        if node is None:
            return NOTHING
        above = self.types.written(node, unit, body.parent or body)
        return self._of_any(list(above.parts), name, is_path, meaning)

    def _of_type(self, thing: Thing, name: str, is_path: bool, meaning: str) -> Things:
        unit = self.types.paths.units.at(thing.path)
        body = self.body(thing)
        if unit is None or body is None:
            return OPEN
        binding = body.bound(name, meaning)
        if binding is not None and ("variant" in binding.roles) == is_path:
            return frozenset({own(unit, binding)})
        for inherent in (True, False):
            for home in (unit, *self.defining(name, "impl", thing.name)):
                found = self._implemented(home, thing, name, inherent, meaning)
                if found is not None:
                    return frozenset({own(home, found)})
        return self._given(unit, thing, name, is_path, meaning)

    def _implemented(
        self, unit: Unit, thing: Thing, name: str, inherent: bool, meaning: str
    ) -> Binding | None:
        for found in names_of(unit).impls:
            if (found.trait is None) is inherent:
                binding = found.scope.bound(name, meaning)
                if binding is not None and self._is_of(found, unit, thing):
                    return binding
        return None

    def _given(self, unit: Unit, thing: Thing, name: str, is_path: bool, meaning: str) -> Things:
        """What a trait gives by default, or another type that this one stands for."""
        may_be = False
        for home in self.defining(name, "trait "):
            for trait, scope in names_of(home).bodies.items():
                binding = scope.bound(name, meaning) if "trait" in trait.roles else None
                if binding is None:
                    continue
                may_be = True
                if any(self._has(each, thing, own(home, trait)) for each in (unit, home)):
                    return frozenset({own(home, binding)})
        for found in self.impls(unit, thing):
            if found.trait is not None and found.trait.text().split("::")[-1] == "Deref":
                target = found.scope.bound("Target", TYPE)
                if target is not None:
                    shape = self._assigned(unit, found, target)
                    return self.of(shape, name, is_path=is_path, meaning=meaning)
        return OPEN if may_be or self.is_cut(name) else NOTHING

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

    def defining(self, name: str, *words: str) -> Iterator[Unit]:
        """The files with these words that define *name*; not all of them for one on the way."""
        units = self.types.paths.units
        paths = self._defining(name)
        for path in paths if name == units.word else paths[:_MOST_ON_THE_WAY]:
            text = units.files.text(path) if words else None
            if text is not None and not all(word in text for word in words):
                continue
            unit = units.at(path)
            if unit is not None:
                yield unit

    def is_cut(self, name: str) -> bool:
        """Whether not all files that define *name* are looked through."""
        word = self.types.paths.units.word
        return name != word and len(self._defining(name)) > _MOST_ON_THE_WAY

    def _defining(self, name: str) -> Sequence[WorkspacePath]:
        if name not in self._homes:
            self._homes[name] = self.types.paths.units.files.defining(name)
        return self._homes[name]
