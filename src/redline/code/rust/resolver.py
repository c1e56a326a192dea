"""What refers to a definition in Rust.

Of a method of a trait its implementations and their calls are the same; of an implementation only
the calls that are known to reach it. `Self` refers to the type that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.file_access import Files
from redline.code.references.targets import Meaning
from redline.code.references.typed.base import Place, TypedReferring
from redline.code.references.typed.units import Unit
from redline.code.rust.crates import Crates
from redline.code.rust.owners import STANDARD, Owners, Want, for_type, of_library
from redline.code.rust.parts import Parts
from redline.code.rust.pasted import pasted_paths
from redline.code.rust.paths import ANY, NOTHING, OPEN, TYPE, Paths, Things, names_of, own
from redline.code.rust.patterns import Patterns
from redline.code.rust.scopes.names import RustNames, rust_names
from redline.code.rust.signatures import Signatures
from redline.code.rust.types import Types
from redline.code.rust.values import Values
from redline.code.scopes.model import Binding, Member, Occurrence, Scope
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Node


class RustReferring(TypedReferring):
    """Finds what refers to definitions of one name in Rust."""

    def __init__(self, name: str, files: Files) -> None:
        super().__init__(name, files)
        self._begin()

    def _begin(self) -> None:
        self.paths = Paths(self.units, Crates(self.units.files))
        self.types = Types(self.paths)
        self.owners = Owners(self.types)
        self.values = Values(
            self.types,
            self.owners,
            Parts(self.types, self.owners),
            Signatures(self.types, self.owners),
        )
        self.patterns = Patterns(self.values)
        self.values.of_local = self.patterns.local
        self.paths.members = self.owners.of_thing
        self.paths.self_type = self._self_type

    def forget(self) -> None:
        """Let go of everything that was read for the answer."""
        super().forget()
        # What asks each other is parted, so that the memory is free at once.
        self.paths.members = self.paths.self_type = self.values.of_local = _gone
        self._begin()

    def read(self, parsed: Parsed, spots: Sequence[int]) -> RustNames:
        """The names of a file."""
        return rust_names(parsed.root, parsed.text, spots)

    def of_spot(self, unit: Unit, spot: Occurrence) -> Things:
        """What a plain name means."""
        if spot.binding is None:
            found = self.paths.lookup(unit, spot.scope, spot.name, spot.meaning)
        else:
            found = self.paths.of_binding(unit, spot.binding, spot.meaning)
            if "import" in spot.binding.roles:
                found = found or self._macro(
                    unit, names_of(unit).uses[spot.binding.sites[0].start][-1]
                )
        return self._passed(unit, spot.start, found, is_plain=True)

    def of_member(self, unit: Unit, member: Member) -> Things:
        """What a word of a path, a field, a method or the name of a macro means."""
        return self._passed(unit, member.start, self._of_member(unit, member))

    def _of_member(self, unit: Unit, member: Member) -> Things:
        if member.form == "prefix":
            path = names_of(unit).prefixes[member.start]
            found = self.paths.resolve(unit, member.scope, path, ANY)
            return found or self._macro(unit, member.name)
        if member.form == "path":
            return self.values.within(member.owner, member.name, unit, member.scope)
        if member.form == "key":
            return self.patterns.key(member.owner, member.name, unit, member.scope)
        if member.form in ("field", "called"):
            shape = self.values.of(member.owner, unit, member.scope)
            return self.owners.of(shape, Want(member.name, member.form))
        if member.form == "macro":
            return self._macro(unit, member.name)
        return self._bound_type(unit, member) if member.form == "binding" else NOTHING

    def _bound_type(self, unit: Unit, member: Member) -> Things:
        """The type of a trait that is named among its arguments, as `Item` is."""
        shape = self.types.written(member.owner, unit, member.scope)
        if isinstance(shape.head, str):
            return frozenset({of_library(_last_word(member.owner), member.name)})
        return self.owners.of(shape, Want(member.name, "::", TYPE)) or OPEN

    def _passed(self, unit: Unit, start: int, found: Things, *, is_plain: bool = False) -> Things:
        """What a word means that may be passed to a macro: who knows what that makes of it."""
        spans = [span for span in names_of(unit).passed if span[0] <= start < span[1]]
        if not spans:
            return found
        macros = [self._macro(unit, name) - {UNKNOWN} for _, _, name in spans]
        if not all(macros):
            is_local = found and all(_is_local(thing) for thing in found)
            return found if is_local else OPEN
        if is_plain:
            found |= self._pasted(unit, start, spans[-1], macros[-1])
        return found | OPEN if is_plain or not found else found

    def _pasted(self, unit: Unit, start: int, span: tuple[int, int, str], macros: Things) -> Things:
        """What a macro of ours makes of a word that it is given."""
        found: set[Thing] = set()
        for macro in macros:
            assert macro.binding is not None
            node = macro.binding.sites[0].node.parent()
            for path in pasted_paths(node, unit.parsed.text, span[0], span[1], start):
                found |= self.paths.resolve(unit, unit.names.root, path, ANY)
        return frozenset(found)

    def family(self, thing: Thing) -> set[Thing]:
        """A member of a trait and what implements it; a module and its file.

        Of a type that belongs to a trait all that it is said to be are the same.
        """
        same = self.paths.same_module(thing) | self._library_kin(thing)
        for trait, home in self._traits(thing):
            body = names_of(home).bodies[trait]
            above = body.bound(thing.name, ANY)
            same |= {own(home, above)} if above is not None else set()
            for unit in self.owners.defining(thing.name, for_type(trait.name)):
                for found in names_of(unit).impls:
                    binding = found.scope.bound(thing.name, ANY)
                    if binding is not None and own(home, trait) in self.owners.trait_of(
                        unit, found
                    ):
                        same.add(own(unit, binding))
        return same

    def _library_kin(self, thing: Thing) -> set[Thing]:
        """A type that is given to a trait of the standard library, with all of its kind."""
        home = self.units.at(thing.path)
        if thing.binding is None or "alias" not in thing.binding.roles or home is None:
            return set()
        own_impl = names_of(home).impl(thing.binding.scope) if thing.is_member else None
        trait = _last_word(own_impl.trait) if own_impl is not None else ""
        if trait not in STANDARD:
            return set()
        kin = {
            own(unit, binding)
            for unit in self.owners.defining(thing.name, for_type(trait))
            for found in names_of(unit).impls
            if _last_word(found.trait) == trait
            and (binding := found.scope.bound(thing.name, ANY)) is not None
        }
        return {*kin, of_library(trait, thing.name)}

    def _traits(self, thing: Thing) -> list[tuple[Binding, Unit]]:
        """The trait that a member is declared in, or for a type that it is given in."""
        home = self.units.at(thing.path)
        if thing.binding is None or not thing.is_member or home is None:
            return []
        owner = thing.binding.scope.owner
        if owner is not None:
            return [(owner, home)] if "trait" in owner.roles else []
        found = names_of(home).impl(thing.binding.scope)
        if found is None or "alias" not in thing.binding.roles:
            return []
        traits = [(t.binding, self.units.at(t.path)) for t in self.owners.trait_of(home, found)]
        return [(trait, unit) for trait, unit in traits if trait is not None and unit is not None]

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        yield from super()._meanings(unit)
        names = names_of(unit)
        if not any(self.name in found.of.text() for found in names.impls):
            return
        for node in unit.parsed.root.find_all(regex="^Self$"):
            found = names.impl_at(node.range().start.index)
            # Of a reference to the type `Self` is the reference.
            is_plain = found is not None and found.of.kind() != "reference_type"
            if found is not None and is_plain and self.name in found.of.text():
                shape = self.types.written(found.of, unit, found.outer)
                things = frozenset(t for t in self.types.things_of(shape) if t.name == self.name)
                yield node.range().start.line + 1, things, False

    def _places(self, unit: Unit) -> Iterator[Place]:
        """Every place that spells the name; the words of a path may well mean no member."""
        starts = {m.start for m in unit.names.members if m.form in ("field", "called", "key")}
        for line, things, is_member, start in super()._places(unit):
            yield line, things, is_member and start in starts, start

    def _macro(self, unit: Unit, name: str) -> Things:
        """The macro of a name: of this file, else the only one there is."""
        binding = names_of(unit).macros.names.get(name)
        if binding is not None:
            return frozenset({own(unit, binding)})
        found = [
            own(home, known)
            for home in self.owners.defining(name, "macro_rules")
            if (known := names_of(home).macros.names.get(name)) is not None
        ]
        if len(found) > 1:
            roots = self.paths.root(unit)
            found = [thing for thing in found if self._root(thing) == roots] or found
        return frozenset(found) if len(found) == 1 else OPEN if found else NOTHING

    def _root(self, thing: Thing) -> Things:
        unit = self.units.at(thing.path)
        return self.paths.root(unit) if unit is not None else NOTHING

    def _self_type(self, unit: Unit, scope: Scope) -> Things:
        things = self.types.things_of(self.types.self_shape(unit, scope))
        return frozenset(things) or frozenset({UNKNOWN})


def _last_word(trait: Node | None) -> str:
    """The name of a trait as an `impl` spells it."""
    return trait.text().split("<")[0].split("::")[-1].strip() if trait is not None else ""


def _gone(*_: object) -> Any:
    raise AssertionError("asked after it was let go")


def _is_local(thing: Thing) -> bool:
    return thing.binding is not None and "local" in thing.binding.roles
