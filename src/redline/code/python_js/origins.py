"""What a name comes from: its own file's definition, or another's through imports and exports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from redline.code.python_js.exports import Exports, Given, Taken, exported_keys, exports_of
from redline.code.python_js.imports import (
    Import,
    python_import,
    python_places,
    python_stars,
    script_import,
    script_places,
    taken_from,
)
from redline.code.python_js.project import Module, Project
from redline.code.references.definition import UNKNOWN, Thing, whole
from redline.code.scopes.model import TYPE, VALUE, Binding, Occurrence
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

# Circles of imports that are looked at from each of their sides; a web of them never ends.
_MOST_CIRCLES = 200
_PYTHON = (".py", ".pyi", ".pyw")
_ASSIGNING = {"assignment_expression", "augmented_assignment_expression"}


def import_at(module: Module, site: Occurrence) -> Import | None:
    """The import that binds the name at *site*."""
    return script_import(site.node) if module.is_script else python_import(site.node)


def as_meant(found: frozenset[Thing], meaning: str) -> frozenset[Thing]:
    """Those of *found* that are meant: a type and a value may share a name."""
    if meaning not in (TYPE, VALUE) or len(found) < 2:
        return found
    against = VALUE if meaning == TYPE else TYPE
    return frozenset(t for t in found if not t.binding or t.binding.meaning != against)


Key = TypeVar("Key")


@dataclass(slots=True)
class Origins:
    """Follows names to where they are defined; every answer is kept."""

    project: Project
    _bindings: dict[Binding, frozenset[Thing]] = field(default_factory=dict)
    _exported: dict[tuple[WorkspacePath, str], frozenset[Thing]] = field(default_factory=dict)
    _exports: dict[WorkspacePath, Exports] = field(default_factory=dict)
    _stars: dict[WorkspacePath, list[str]] = field(default_factory=dict)
    _pending: set[object] = field(default_factory=set)
    _circles: int = 0

    def of_spot(self, module: Module, spot: Occurrence) -> frozenset[Thing]:
        """What the name at *spot* means; nothing when it is the language's or a library's."""
        if spot.binding is None:
            return frozenset() if module.is_script else self._from_stars(module.path, spot.name)
        return as_meant(self.of_binding(module, spot.binding), spot.meaning)

    def of_binding(self, module: Module, binding: Binding) -> frozenset[Thing]:
        """What a binding of *module* stands for."""
        known = self._bindings.get(binding)
        if known is None:
            known = self._once(binding, self._bindings, lambda: self._followed(module, binding))
        return known

    def _once(
        self, key: Key, known: dict[Key, frozenset[Thing]], find: Callable[[], frozenset[Thing]]
    ) -> frozenset[Thing]:
        """What *find* finds, kept unless a circle of imports, which leads nowhere, cut it short."""
        if key in self._pending:
            self._circles += 1
            return frozenset()
        before = self._circles
        self._pending.add(key)
        found = find()
        self._pending.discard(key)
        if before == self._circles or not self._pending or self._circles > _MOST_CIRCLES:
            known[key] = found
        return found

    def _followed(self, module: Module, binding: Binding) -> frozenset[Thing]:
        found: set[Thing] = set()
        own = False
        for site in binding.sites:
            brought = import_at(module, site)
            if brought is None:
                own = own or "moved" not in binding.roles or len(binding.roles) > 1
                found |= self._set_to(module, binding, site)
            else:
                found |= self.of_import(module.path, brought)
        if own or not found:
            found.add(self.own(module, binding))
        return frozenset(found)

    def _set_to(self, module: Module, binding: Binding, site: Occurrence) -> frozenset[Thing]:
        """What a variable is set to, once and for all, out of another module.

        So JavaScript brings names in; in TypeScript, whose imports are words of the language, such
        a variable is a thing of its own.
        """
        brings = module.parsed.language.name == "javascript" and "variable" in binding.roles
        if not brings or _is_set_again(binding):
            return frozenset()
        return self.taken(module, site.node)

    def taken(self, module: Module, node: Node) -> frozenset[Thing]:
        """What the name or key at *node* takes out of another module: `{ name } = module`."""
        found = taken_from(node)
        return self._out_of(module, *found) if found is not None else frozenset()

    def _out_of(self, module: Module, holder: Node, name: str) -> frozenset[Thing]:
        spot = module.names.at(holder)
        things = self.of_spot(module, spot) if spot is not None else frozenset()
        modules = [thing.path for thing in things if thing.is_module]
        return frozenset(t for path in modules for t in self.exported(path, name)) - {UNKNOWN}

    def is_foreign(self, module: Module, binding: Binding) -> bool:
        """Whether a binding is nothing but an import from outside the workspace."""
        return all(import_at(module, site) is not None for site in binding.sites)

    def own(self, module: Module, binding: Binding) -> Thing:
        """The thing that a binding of the file itself is."""
        scope = binding.scope
        if scope.kind == "class" and (not module.is_script or "enum member" in binding.roles):
            start = scope.node.range().start.index
            return Thing(module.path, start, binding.name, True, module, binding)
        return Thing(module.path, binding.sites[0].start, binding.name, False, module, binding)

    def of_import(self, path: WorkspacePath, brought: Import) -> frozenset[Thing]:
        """What an import in the file at *path* brings in."""
        target = self.resolve(path, brought.spec)
        if brought.name is None:
            return self._whole(target) if target is not None else frozenset()
        if not path.name.endswith(_PYTHON):
            found = self.exported(target, brought.name) if target is not None else frozenset()
            return found or frozenset({UNKNOWN} if target is not None else ())
        # What a package takes out of itself is a module of it.
        if target is not None and target != path:
            return self.exported(target, brought.name)
        dot = "" if brought.spec.endswith(".") else "."
        inner = self.resolve(path, f"{brought.spec}{dot}{brought.name}")
        return frozenset({whole(inner)}) if inner is not None else frozenset()

    def _whole(self, target: WorkspacePath) -> frozenset[Thing]:
        """A module, and what `module.exports` makes of it."""
        return frozenset({whole(target)}) | self.exported(target, "=", or_unknown=False)

    def resolve(self, path: WorkspacePath, spec: str) -> WorkspacePath | None:
        """The file that *spec* means in the file at *path*."""
        is_python = path.name.endswith(_PYTHON)
        places = python_places(path, spec) if is_python else script_places(path, spec)
        return next((place for place in places if self.project.exists(place)), None)

    def exported(
        self, path: WorkspacePath, name: str, *, or_unknown: bool = True
    ) -> frozenset[Thing]:
        """What *name* of the module at *path* means."""
        key = (path, name)
        found = self._exported.get(key)
        if found is None:
            found = self._once(key, self._exported, lambda: self._of_module(path, name))
        return found if or_unknown else found - {UNKNOWN}

    def _of_module(self, path: WorkspacePath, name: str) -> frozenset[Thing]:
        module = self.project.module(path)
        if module is None:
            return frozenset({UNKNOWN})
        return self._of_script(module, name) if module.is_script else self._of_python(module, name)

    def _of_python(self, module: Module, name: str) -> frozenset[Thing]:
        binding = module.names.root.names.get(name)
        if binding is not None:
            return self.of_binding(module, binding)
        if module.path.name.startswith("__init__."):
            inner = self.resolve(module.path, f".{name}")
            if inner is not None:
                return frozenset({whole(inner)})
        return self._from_stars(module.path, name)

    def _from_stars(self, path: WorkspacePath, name: str) -> frozenset[Thing]:
        """A name that only an import of everything can bring."""
        found: frozenset[Thing] = frozenset()
        for spec in self._stars_of(path):
            target = self.resolve(path, spec)
            if target is not None and target != path:
                found |= self.exported(target, name)
        return found - {UNKNOWN} or found

    def _stars_of(self, path: WorkspacePath) -> list[str]:
        if path not in self._stars:
            module = self.project.module(path)
            text = module.parsed.text if module is not None else ""
            root = module.parsed.root if module is not None and "*" in text else None
            self._stars[path] = python_stars(root) if root is not None else []
        return self._stars[path]

    def exports(self, module: Module) -> Exports:
        """What a script gives away."""
        if module.path not in self._exports:
            self._exports[module.path] = exports_of(module.parsed.root)
        return self._exports[module.path]

    def _of_script(self, module: Module, name: str) -> frozenset[Thing]:
        exports = self.exports(module)
        found: set[Thing] = set()
        names = [name, "="] if name == "default" else [name]
        for given in (given for word in names for given in exports.named.get(word, ())):
            found |= self._given(module, given)
        if not found and name not in ("=", "default"):
            for thing in self.exported(module.path, "=", or_unknown=False):
                found |= self._of_object(thing, name)
        if not found - {UNKNOWN} and name != "default":
            for spec in exports.stars:
                target = self.resolve(module.path, spec)
                if target is not None and target != module.path:
                    found |= self.exported(target, name)
        return frozenset(found - {UNKNOWN} or found)

    def _given(self, module: Module, given: Given) -> frozenset[Thing]:
        if isinstance(given, Import):
            return self.of_import(module.path, given)
        if isinstance(given, Taken):
            return self._out_of(module, given.holder, given.name)
        return self.of_node(module, given)

    def _of_object(self, thing: Thing, name: str) -> frozenset[Thing]:
        """A key of what `module.exports` is set to; of what is made by a call, who knows."""
        if thing.is_module or not isinstance(thing.module, Module):
            return frozenset()
        if thing.binding is None:
            return frozenset({UNKNOWN})
        for site in thing.binding.sites:
            parent = site.node.parent()
            value = parent.field("value") if parent.kind() == "variable_declarator" else None
            if value is not None and value.kind() == "object":
                key = exported_keys(value).get(name)
                if key is not None:
                    return self.of_node(thing.module, key)
        return frozenset({UNKNOWN}) if "variable" in thing.binding.roles else frozenset()

    def of_namespace(self, module: Module, holder: Node, name: str) -> frozenset[Thing]:
        """What the namespace that *holder* spells has under a name."""
        spot = module.names.at(holder)
        found: set[Thing] = set()
        for thing in self.of_spot(module, spot) if spot is not None else ():
            if not isinstance(thing.module, Module) or thing.binding is None:
                continue
            for scope in thing.module.namespaces.get(thing.binding, ()):
                bound = {scope.names.get(name), scope.types.get(name)} - {None}
                found |= {self.own(thing.module, one) for one in bound if one is not None}
        return frozenset(found)

    def of_node(self, module: Module, node: Node) -> frozenset[Thing]:
        """What a node means that spells or makes a value."""
        spot = module.names.at(node)
        if spot is not None:
            return self.of_spot(module, spot)
        start = node.range().start.index
        return frozenset({Thing(module.path, start, node.text()[:80], False, module)})


def _is_set_again(binding: Binding) -> bool:
    """Whether an assignment gives a script's variable another value."""
    for use in binding.uses:
        parent = use.node.parent()
        left = parent.field("left") if parent.kind() in _ASSIGNING else None
        if left is not None and left.range().start.index == use.start:
            return True
    return len(binding.sites) > 1
