"""What a word of a Python or script module may mean: things, as scopes and classes tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from redline.code.python_js.exports import is_given_key
from redline.code.python_js.heritage import OfClass, is_static, members_of
from redline.code.python_js.imports import key_import
from redline.code.python_js.origins import Origins, as_meant
from redline.code.python_js.project import Module
from redline.code.python_js.values import Values
from redline.code.references.definition import UNKNOWN, Thing
from redline.code.scopes.model import TYPE, VALUE, Member, Occurrence


@dataclass(slots=True)
class Meanings:
    """Tells what the places mean that spell one name."""

    name: str
    origins: Origins
    values: Values

    def of_spot(self, module: Module, spot: Occurrence) -> frozenset[Thing]:
        """What a name means: an import itself, too, beside what it brings in."""
        if module.is_broken(spot.start):
            return frozenset({UNKNOWN})
        found = self.origins.of_spot(module, spot)
        if spot.binding is None:
            return found
        return found | {self.origins.own(module, spot.binding)}

    def of_member(self, module: Module, member: Member) -> frozenset[Thing]:
        """What a word that belongs to a value means."""
        if module.is_broken(member.start):
            return frozenset({UNKNOWN})
        if member.form in ("define", "key"):
            return self._defined(module, member)
        if member.form == "label":
            return self._of_label(module, member)
        return self._accessed(module, member)

    def _defined(self, module: Module, member: Member) -> frozenset[Thing]:
        scope = member.scope
        own = OfClass(module, scope)
        if is_static(member) and self._is_mixed(own):
            return frozenset({self.member(own, static=True)})
        if scope.kind == "class" and member in members_of(own, member.name):
            family = self.family(own) if module.is_script else set()
            if module.is_script and self.values.owners(own, member.name, all_of=True)[1]:
                family.add(UNKNOWN)  # what it derives from may have it too
            return frozenset({self.member(own), *family})
        if module.is_script:
            return self._of_key(module, member) or frozenset({UNKNOWN})
        return frozenset({UNKNOWN})

    def _of_key(self, module: Module, member: Member) -> frozenset[Thing]:
        """A key under which a script gives something away, or takes something in."""
        exported = self.origins.exported(module.path, member.name)
        if not is_given_key(member.node):
            exported = frozenset(thing for thing in exported if thing.start == member.start)
        brought = key_import(member.node)
        if brought is not None:
            return exported | self.origins.of_import(module.path, brought)
        if member.node.parent().kind() in ("pair_pattern", "object_pattern"):
            return exported | self.origins.taken(module, member.node)
        return exported

    def _of_label(self, module: Module, member: Member) -> frozenset[Thing]:
        """A field that a call of its class sets by name, where no constructor says otherwise."""
        found: set[Thing] = set()
        for value in self.values.of(module, member.owner, member.scope):
            if isinstance(value, OfClass) and not value.is_instance:
                made, _ = self.values.owners(value, "__init__")
                owners, _ = self.values.owners(value, member.name)
                found |= {self.member(owner) for owner in owners if not made}
        return frozenset(found)

    def _accessed(self, module: Module, member: Member) -> frozenset[Thing]:
        found: set[Thing] = set()
        meaning = TYPE if member.kind == "type_identifier" else VALUE
        if module.is_script and member.owner is not None:
            inner = self.origins.of_namespace(module, member.owner, member.name)
            if inner:
                return as_meant(inner, meaning)
        for value in self.values.of(module, member.owner, member.scope):
            if isinstance(value, Thing):
                found |= as_meant(self.origins.exported(value.path, member.name), meaning)
            elif isinstance(value, OfClass):
                kin = module.is_script and value.is_instance
                owners, is_open = self.values.owners(value, member.name, all_of=kin)
                found |= {
                    self.member(owner, static=not value.is_instance and self._is_mixed(owner))
                    for owner in owners
                }
                if not owners or (is_open and module.is_script):
                    found.add(UNKNOWN)
            elif value == "unknown":
                found.add(UNKNOWN)
        return frozenset(found)

    def family(self, value: OfClass) -> set[Thing]:
        """Members of the name in a class and all it derives from.

        Constructors and members of the class itself are no kin of their namesakes above.
        """
        own = members_of(value, self.name)
        if self.name == "constructor" or all(is_static(item) for item in own):
            return {self.member(value)}
        owners, _ = self.values.owners(value, self.name, all_of=True)
        return {self.member(owner) for owner in owners}

    def member(self, owner: OfClass, *, static: bool = False) -> Thing:
        """The member of the name that a class has; of two of one name, the *static* one if so."""
        start = owner.scope.node.range().start.index
        name = f"static {self.name}" if static else self.name
        return Thing(owner.module.path, start, name, True, owner.module)

    def _is_mixed(self, owner: OfClass) -> bool:
        """Whether a class has both a member of its own and one of what it makes by the name."""
        return len({is_static(item) for item in members_of(owner, self.name)}) > 1

    def made_above(self, things: frozenset[Thing]) -> frozenset[Thing]:
        """The classes whose constructors make these: a class without one is made by its base's."""
        found: set[Thing] = set()
        for thing in things:
            for value in self.values.of_thing(thing):
                if isinstance(value, OfClass) and value.module.is_script:
                    owners, _ = self.values.owners(value, "constructor")
                    found |= self._classes(owners)
        return frozenset(found)

    def bases(self, value: OfClass) -> frozenset[Thing]:
        """The classes of the name that a class derives from."""
        above = [base for base in self.values.bases(value) if isinstance(base, OfClass)]
        return frozenset(self._classes(base for base in above if base.scope.name == self.name))

    def _classes(self, values: Iterable[OfClass]) -> set[Thing]:
        owned = ((value, value.scope.owner) for value in values)
        return {self.origins.own(v.module, owner) for v, owner in owned if owner is not None}
