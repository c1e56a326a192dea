"""What the paths of Rust lead to: through modules, what they bring in, and types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from redline.code.references.definition import UNKNOWN, Thing, whole
from redline.code.references.typed.units import Unit, Units
from redline.code.rust.crates import Crates
from redline.code.rust.scopes.names import Path, RustNames
from redline.code.scopes.model import ANY, TYPE, VALUE, Binding, Scope
from redline.core.paths import WorkspacePath

Things = frozenset[Thing]
NOTHING: Things = frozenset()
OPEN: Things = frozenset({UNKNOWN})


def names_of(unit: Unit) -> RustNames:
    """The names of a Rust file."""
    assert isinstance(unit.names, RustNames)
    return unit.names


def own(unit: Unit, binding: Binding) -> Thing:
    """The thing that a binding is."""
    is_member = binding.scope.kind == "class"
    return Thing(unit.path, binding.sites[0].start, binding.name, is_member, binding=binding)


@dataclass(slots=True)
class Paths:
    """Follows paths. What belongs to a type is for `members`, which is told the type's thing."""

    units: Units
    crates: Crates
    members: Callable[[Thing, str, str], Things] = lambda *_: OPEN
    self_type: Callable[[Unit, Scope], Things] = lambda *_: OPEN
    _asked: set[tuple[object, ...]] = field(default_factory=set)
    _known: dict[tuple[object, ...], Things] = field(default_factory=dict)
    # How often a path led back to itself.
    _cut: int = 0

    def of_binding(self, unit: Unit, binding: Binding, meaning: str = ANY) -> Things:
        """What a name that a scope binds means: for what is brought in, what that is."""
        if "import" not in binding.roles:
            return frozenset({own(unit, binding)})
        found: set[Thing] = set()
        for site in binding.sites:
            path = names_of(unit).uses.get(site.start)
            if path is not None:
                found |= self.resolve(unit, binding.scope, path, meaning)
        if binding.roles - {"import"}:
            found.add(own(unit, binding))
        return frozenset(found)

    def lookup(
        self, unit: Unit, scope: Scope, name: str, meaning: str, *, from_outside: bool = False
    ) -> Things:
        """What a plain name means in a scope; nothing for what comes with the language."""
        is_open = False
        for each in scope.outward():
            if each.kind == "class":
                continue
            binding = each.bound(name, meaning)
            if binding is not None and not (from_outside and _is_hidden(unit, binding)):
                return self.of_binding(unit, binding, meaning)
            found = self._in_globs(unit, each, name, meaning, from_outside)
            if found - {UNKNOWN}:
                return found
            is_open = is_open or bool(found)
        return OPEN if is_open else NOTHING

    def _in_globs(
        self, unit: Unit, scope: Scope, name: str, meaning: str, from_outside: bool
    ) -> Things:
        """What is brought in with all else that a path has."""
        found: set[Thing] = set()
        for glob in names_of(unit).globs:
            if glob.scope is not scope or (from_outside and not glob.is_passed_on):
                continue
            is_inside = set(glob.path) <= {"super", "crate"}
            for thing in self.resolve(unit, scope, glob.path, TYPE):
                found |= self.step(thing, name, meaning, from_outside=not is_inside)
        return frozenset(found)

    def resolve(self, unit: Unit, scope: Scope, path: Path, meaning: str) -> Things:
        """What a path means in a scope; nothing for what lies in a library."""
        asked = (unit.path, scope, path, meaning)
        if asked in self._known:
            return self._known[asked]
        if asked in self._asked:
            self._cut += 1
            return NOTHING
        cut = self._cut
        self._asked.add(asked)
        found, rest = self._head(unit, scope, path, meaning)
        for nth, name in enumerate(rest):
            last = nth + 1 == len(rest)
            found = self._through(found, name, meaning if last else TYPE)
        self._asked.discard(asked)
        # What goes in circles is known only to whom the circle began with.
        if self._cut == cut or not self._asked:
            self._known[asked] = found
        return found

    def _through(self, things: Iterable[Thing], name: str, meaning: str) -> Things:
        found: set[Thing] = set()
        for thing in things:
            found |= self.step(thing, name, meaning)
        return frozenset(found)

    def _head(self, unit: Unit, scope: Scope, path: Path, meaning: str) -> tuple[Things, Path]:
        """What the first word of a path means, and the words after it."""
        head = path[0]
        module = names_of(unit).module(scope)
        if head == "crate":
            return self.root(unit), path[1:]
        if head == "self":
            return self._module(unit, module), path[1:]
        if head == "super":
            found, rest = self.parent(unit, module), path[1:]
            while rest[:1] == ("super",):
                found = frozenset(t for thing in found for t in self._above(thing))
                rest = rest[1:]
            return found, rest
        if head == "Self":
            return self.self_type(unit, scope), path[1:]
        if head == "":
            return self._crate(unit, path[1]), path[2:]
        known = self.lookup(unit, scope, head, TYPE if len(path) > 1 else meaning)
        if known - {UNKNOWN}:
            return known, path[1:]
        return self._crate(unit, head) or self._extern(unit, head) or known, path[1:]

    def _crate(self, unit: Unit, name: str) -> Things:
        found = self.crates.libraries(unit.path, name)
        return frozenset(whole(path) for path in found)

    def _extern(self, unit: Unit, name: str) -> Things:
        """A crate by the name that the first file of this one gives it."""
        for thing in self.root(unit):
            first = self.units.at(thing.path) if thing != UNKNOWN else None
            path = names_of(first).externs.get(name) if first is not None else None
            if first is not None and path is not None:
                return self._crate(first, path[1])
        return NOTHING

    def _module(self, unit: Unit, scope: Scope) -> Things:
        """The thing that a module is."""
        names = names_of(unit)
        if scope is names.root:
            return frozenset({whole(unit.path)})
        owners = (binding for binding, body in names.bodies.items() if body is scope)
        return frozenset(own(unit, binding) for binding in owners)

    def root(self, unit: Unit) -> Things:
        """The module that is the whole crate."""
        path = unit.path
        seen: set[WorkspacePath] = set()
        while not self.crates.is_root(path) and path not in seen:
            seen.add(path)
            above = self._declaring(path)
            if not above:
                return OPEN
            path = above[0]
        return frozenset({whole(path)})

    def _declaring(self, path: WorkspacePath) -> list[WorkspacePath]:
        words, tried = self.crates.above(path)
        if len(tried) < 2:
            return tried
        units = [(each, self.units.at(each)) for each in tried]
        return [p for p, unit in units if unit is not None and words[0] in unit.names.root.types]

    def parent(self, unit: Unit, scope: Scope) -> Things:
        """The module around a module."""
        names = names_of(unit)
        if scope in names.supers:
            return self._module(unit, names.supers[scope])
        found: Things = frozenset(whole(path) for path in self._declaring(unit.path))
        for word in self.crates.above(unit.path)[0][:-1]:
            found = self._through(found, word, TYPE)
        return found or OPEN

    def _above(self, thing: Thing) -> Things:
        unit = self.units.at(thing.path)
        if unit is None:
            return OPEN
        if thing.is_module:
            return self.parent(unit, unit.names.root)
        assert thing.binding is not None
        return self.parent(unit, names_of(unit).bodies[thing.binding])

    def step(self, thing: Thing, name: str, meaning: str, *, from_outside: bool = False) -> Things:
        """What *name* means within a module or type."""
        if thing == UNKNOWN:
            return OPEN
        place = self.place(thing)
        if place is None:
            return self.members(thing, name, meaning)
        unit, scope = place
        if unit is None or scope is None:
            return OPEN
        asked = (unit.path, scope, name, meaning)
        if asked in self._asked:
            self._cut += 1
            return NOTHING
        self._asked.add(asked)
        found = self.lookup(unit, scope, name, meaning, from_outside=from_outside)
        self._asked.discard(asked)
        return found

    def place(self, thing: Thing) -> tuple[Unit | None, Scope | None] | None:
        """The file and scope of a module; None for what is no module."""
        if thing.is_module:
            unit = self.units.at(thing.path)
            return unit, unit.names.root if unit is not None else None
        binding = thing.binding
        if binding is None or "module" not in binding.roles:
            return None
        unit = self.units.at(thing.path)
        if unit is None:
            return None, None
        names = names_of(unit)
        if binding in names.bodies:
            return unit, names.bodies[binding]
        inline = _inline(names, binding.scope)
        for path in self.crates.below(unit.path, inline, binding.name):
            below = self.units.at(path)
            return below, below.names.root if below is not None else None
        return None, None

    def same_module(self, thing: Thing) -> set[Thing]:
        """A module by its declaration and by its file."""
        place = self.place(thing)
        found = {thing}
        if place is not None and place[0] is not None and place[1] is place[0].names.root:
            found.add(whole(place[0].path))
        return found


def _is_hidden(unit: Unit, binding: Binding) -> bool:
    """Whether a name only brings something in that is not passed on."""
    shown = names_of(unit).passed_on
    return binding.roles == {"import"} and not any(site.start in shown for site in binding.sites)


def _inline(names: RustNames, scope: Scope) -> tuple[str, ...]:
    """The names of the inline modules around, outermost first."""
    found: list[str] = []
    at: Scope | None = names.module(scope)
    while at is not None and at is not names.root:
        found.insert(0, at.name)
        at = names.supers.get(at)
    return tuple(found)


__all__ = ["ANY", "NOTHING", "OPEN", "TYPE", "VALUE", "Paths", "Things", "names_of", "own"]
