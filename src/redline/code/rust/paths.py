"""Resolve Rust paths through modules, imports and types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition, whole
from redline.code.references.typed.units import Unit, Units
from redline.code.rust.crates import Crates
from redline.code.rust.scopes import Path, Role, RustNames
from redline.code.scopes.model import ANY, TYPE, Binding, Scope
from redline.code.syntax.node import parent_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

Definitions = frozenset[Definition]
NOTHING: Definitions = frozenset()
_ITEMS = "mod|struct|enum|union|trait|type|fn|const|static"


def names_of(unit: Unit) -> RustNames:
    """Return the names of a Rust file."""
    assert isinstance(unit.names, RustNames)
    return unit.names


def definition_of(unit: Unit, binding: Binding) -> Definition:
    """Return the definition of a binding."""
    is_member = binding.scope.kind == "class"
    return Definition(unit.path, binding.sites[0].start, binding.name, is_member, binding=binding)


class ModuleScope(NamedTuple):
    """The file and scope of a module; None if the file cannot be read."""

    unit: Unit | None
    scope: Scope | None

    @classmethod
    def of_file(cls, unit: Unit | None) -> ModuleScope:
        """Return the scope of a whole file."""
        return cls(unit, unit.names.root if unit is not None else None)


@dataclass(slots=True)
class Paths:
    """Resolves paths; *members* resolves what belongs to a type."""

    units: Units
    crates: Crates
    members: Callable[[Definition, str, str], Definitions] = lambda *_: UNRESOLVED
    self_type: Callable[[Unit, Scope], Definitions] = lambda *_: UNRESOLVED
    _in_progress: set[tuple[object, ...]] = field(default_factory=set)
    _known: dict[tuple[object, ...], Definitions] = field(default_factory=dict)
    # The macros of a file that are given items.
    _given: dict[WorkspacePath, list[str]] = field(default_factory=dict)
    # How often a path led back to itself.
    _cycles: int = 0

    def of_binding(self, unit: Unit, binding: Binding, meaning: str = ANY) -> Definitions:
        """Resolve a binding; for an import, its target."""
        if Role.IMPORT not in binding.roles:
            return frozenset({definition_of(unit, binding)})
        found: set[Definition] = set()
        for site in binding.sites:
            path = names_of(unit).uses.get(site.start)
            if path is not None:
                found |= self.resolve(unit, binding.scope, path, meaning)
        if binding.roles - {Role.IMPORT}:
            found.add(definition_of(unit, binding))
        return frozenset(found)

    def lookup(
        self, unit: Unit, scope: Scope, name: str, meaning: str, *, from_outside: bool = False
    ) -> Definitions:
        """Resolve a plain name in a scope; empty if the language defines it."""
        is_open = False
        for each in scope.outward():
            if each.kind == "class":
                continue
            binding = each.binding_of(name, meaning)
            if binding is not None and not (from_outside and _is_hidden(unit, binding)):
                return self.of_binding(unit, binding, meaning)
            found = self._in_globs(unit, each, name, meaning, from_outside)
            if found - {UNKNOWN}:
                return found
            is_open = is_open or bool(found)
        return UNRESOLVED if is_open else NOTHING

    def _in_globs(
        self, unit: Unit, scope: Scope, name: str, meaning: str, from_outside: bool
    ) -> Definitions:
        """Resolve a name in the glob imports of a scope."""
        found: set[Definition] = set()
        for glob in names_of(unit).globs:
            if glob.scope is not scope or (from_outside and not glob.is_reexported):
                continue
            is_inside = set(glob.path) <= {"super", "crate"}
            for definition in self.resolve(unit, scope, glob.path, TYPE):
                found |= self.step(definition, name, meaning, from_outside=not is_inside)
        return frozenset(found)

    def resolve(self, unit: Unit, scope: Scope, path: Path, meaning: str) -> Definitions:
        """Resolve a path in a scope; empty if it leads to a library."""
        key = (unit.path, scope, path, meaning)
        if key in self._known:
            return self._known[key]
        if key in self._in_progress:
            self._cycles += 1
            return NOTHING
        cycles = self._cycles
        self._in_progress.add(key)
        found, rest = self._head(unit, scope, path, meaning)
        for nth, name in enumerate(rest):
            last = nth + 1 == len(rest)
            found = self._through(found, name, meaning if last else TYPE)
        self._in_progress.discard(key)
        # Within a cycle, only the result of its outermost path is complete.
        if self._cycles == cycles or not self._in_progress:
            self._known[key] = found
        return found

    def _through(self, definitions: Iterable[Definition], name: str, meaning: str) -> Definitions:
        found: set[Definition] = set()
        for definition in definitions:
            found |= self.step(definition, name, meaning)
        return frozenset(found)

    def _head(self, unit: Unit, scope: Scope, path: Path, meaning: str) -> tuple[Definitions, Path]:
        """Resolve the first words of a path, and return the remaining ones."""
        head = path[0]
        module = names_of(unit).module(scope)
        if head == "crate":
            return self.root(unit), path[1:]
        if head == "self":
            return self._module(unit, module), path[1:]
        if head == "super":
            found, rest = self.parent(unit, module), path[1:]
            while rest[:1] == ("super",):
                found = frozenset(t for definition in found for t in self._above(definition))
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

    def _crate(self, unit: Unit, name: str) -> Definitions:
        found = self.crates.libraries(unit.path, name)
        return frozenset(whole(path) for path in found)

    def _extern(self, unit: Unit, name: str) -> Definitions:
        """Resolve a crate that the crate root renames by `extern crate`."""
        for definition in self.root(unit):
            first = self.units.at(definition.path) if definition != UNKNOWN else None
            path = names_of(first).externs.get(name) if first is not None else None
            if first is not None and path is not None:
                return self._crate(first, path[1])
        return NOTHING

    def _module(self, unit: Unit, scope: Scope) -> Definitions:
        """Return the definition of a module."""
        names = names_of(unit)
        if scope is names.root:
            return frozenset({whole(unit.path)})
        owners = (binding for binding, body in names.bodies.items() if body is scope)
        return frozenset(definition_of(unit, binding) for binding in owners)

    def root(self, unit: Unit) -> Definitions:
        """Return the root module of the crate."""
        path = unit.path
        seen: set[WorkspacePath] = set()
        while not self.crates.is_root(path) and path not in seen:
            seen.add(path)
            above = self._declaring_files(path)
            if not above:
                return UNRESOLVED
            path = above[0]
        return frozenset({whole(path)})

    def _declaring_files(self, path: WorkspacePath) -> list[WorkspacePath]:
        words, tried = self.crates.above(path)
        if len(tried) < 2:
            return tried
        units = [(each, self.units.at(each)) for each in tried]
        return [p for p, unit in units if unit is not None and words[0] in unit.names.root.types]

    def parent(self, unit: Unit, scope: Scope) -> Definitions:
        """Return the module around a module."""
        names = names_of(unit)
        if scope in names.supers:
            return self._module(unit, names.supers[scope])
        found: Definitions = frozenset(whole(path) for path in self._declaring_files(unit.path))
        for word in self.crates.above(unit.path)[0][:-1]:
            found = self._through(found, word, TYPE)
        return found or UNRESOLVED

    def _above(self, definition: Definition) -> Definitions:
        unit = self.units.at(definition.path)
        if unit is None:
            return UNRESOLVED
        if definition.is_module:
            return self.parent(unit, unit.names.root)
        assert definition.binding is not None
        return self.parent(unit, names_of(unit).bodies[definition.binding])

    def step(
        self, definition: Definition, name: str, meaning: str, *, from_outside: bool = False
    ) -> Definitions:
        """Resolve *name* within a module or type."""
        if definition == UNKNOWN:
            return UNRESOLVED
        modules = self.module_scopes(definition)
        if modules is None:
            return self.members(definition, name, meaning)
        found: Definitions = NOTHING
        for module in modules:
            found |= self._in_module(module, name, meaning, from_outside=from_outside)
        return found

    def _in_module(
        self, module: ModuleScope, name: str, meaning: str, *, from_outside: bool
    ) -> Definitions:
        unit, scope = module
        if unit is None or scope is None:
            return UNRESOLVED
        key = (unit.path, scope, name, meaning)
        if key in self._in_progress:
            self._cycles += 1
            return NOTHING
        self._in_progress.add(key)
        found = self.lookup(unit, scope, name, meaning, from_outside=from_outside)
        self._in_progress.discard(key)
        return found or (UNRESOLVED if self._is_in_macro(unit, name) else NOTHING)

    def _is_in_macro(self, unit: Unit, name: str) -> bool:
        """Return whether a macro of a file is given an item of that name, which it may declare."""
        given = self._given.get(unit.path)
        if given is None:
            calls = unit.parsed.root.find_all(kind="macro_invocation")
            given = [text for text in (call.text() for call in calls) if text.endswith("}")]
            self._given[unit.path] = given
        word = re.escape(name)
        item = re.compile(rf"\b(?:{_ITEMS})\s+{word}\b|\buse\s[^;]*\b{word}\b")
        return any(item.search(text) for text in given)

    def module_scopes(self, definition: Definition) -> list[ModuleScope] | None:
        """Return the files and scopes of a module, one for each build; None if it is not one."""
        if definition.is_module:
            unit = self.units.at(definition.path)
            return [ModuleScope.of_file(unit)]
        binding = definition.binding
        if binding is None or Role.MODULE not in binding.roles:
            return None
        unit = self.units.at(definition.path)
        if unit is None:
            return [ModuleScope(None, None)]
        names = names_of(unit)
        body = names.bodies.get(binding)
        found = [ModuleScope(unit, body)] if body is not None else []
        inline = _inline(names, binding.scope)
        files: dict[WorkspacePath, None] = {}
        for site in binding.sites:
            declared = parent_of(site.node)
            if declared.field("body") is None:
                below = self.crates.below(unit.path, inline, binding.name, declared)
                files |= dict.fromkeys(below)
        found += [ModuleScope.of_file(self.units.at(path)) for path in files]
        return found or [ModuleScope(None, None)]

    def same_module(self, definition: Definition) -> set[Definition]:
        """Return a module's definition by its declaration and by its file."""
        found = {definition}
        for unit, scope in self.module_scopes(definition) or ():
            if unit is not None and scope is unit.names.root:
                found.add(whole(unit.path))
        return found


def _is_hidden(unit: Unit, binding: Binding) -> bool:
    """Return whether a name is only a private import."""
    shown = names_of(unit).reexported
    return binding.roles == {Role.IMPORT} and not any(site.start in shown for site in binding.sites)


def _inline(names: RustNames, scope: Scope) -> tuple[str, ...]:
    """Return the names of the inline modules around a scope, outermost first."""
    found: list[str] = []
    at: Scope | None = names.module(scope)
    while at is not None and at is not names.root:
        found.insert(0, at.name)
        at = names.supers.get(at)
    return tuple(found)
