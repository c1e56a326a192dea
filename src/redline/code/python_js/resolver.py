"""What refers to a definition: places that are bound to it, and places that possibly are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from redline.code.python_js.heritage import OfClass
from redline.code.python_js.imports import Import, python_import, script_import, unquoted
from redline.code.python_js.meanings import Meanings
from redline.code.python_js.origins import Origins, import_at
from redline.code.python_js.project import Module, Project
from redline.code.python_js.values import Values
from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.file_access import Files
from redline.code.references.targets import Meaning, Reference, Target, bound_to, by_line, verdicts
from redline.code.scopes.model import Binding, Member, Occurrence
from redline.code.syntax.node import Node
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath


@dataclass(slots=True)
class Referring:
    """Finds what refers to definitions of one name, file by file."""

    name: str
    project: Project
    origins: Origins
    means: Meanings
    # Only where a class makes something: the references of its constructor.
    made_only: bool = False

    @classmethod
    def to(cls, name: str, files: Files, *, made_only: bool = False) -> Referring:
        """References to *name* among *files*."""
        project = Project(files, {name})
        origins = Origins(project)
        return cls(name, project, origins, Meanings(name, origins, Values(origins)), made_only)

    def exported_as(self, target: Target, path: WorkspacePath) -> set[str]:
        """The names under which the module at *path* gives a script's thing away."""
        module = self.project.module(path)
        if module is None or not module.is_script:
            return set()
        exports = self.origins.exports(module)
        names = {*exports.named, *(["="] if exports.stars else [])}
        return {name for name in names if target.same & self.origins.exported(path, name)}

    def target(self, path: WorkspacePath, start: int) -> Target | None:
        """The definition whose name begins at *start*; None where scopes cannot be told."""
        module = self.project.module(path)
        if module is None or module.is_broken(start):
            return None
        for spot in module.names.occurrences:
            if spot.start == start and spot.binding is not None:
                return self._binding_target(module, spot.binding)
        for member in module.names.members:
            if member.start == start:
                return self._member_target(module, member)
        return None

    def _binding_target(self, module: Module, binding: Binding) -> Target:
        thing = self.origins.own(module, binding)
        same = {thing}
        if any(_stands_for(module, site) for site in binding.sites):
            same |= self.origins.of_binding(module, binding)
        if thing.is_member and module.is_script:
            scope = next(s for s in module.names.scopes if _start(s.node) == thing.start)
            same |= self.means.family(OfClass(module, scope))
        return Target(thing, same, thing.is_member or binding.scope.shared)

    def _member_target(self, module: Module, member: Member) -> Target:
        things = self.means.of_member(module, member) - {UNKNOWN}
        if things:
            thing = min(things, key=lambda found: (found.path != module.path, found.start))
            is_loose = thing.binding is None and not thing.is_member
            # What is set here is itself, not what it is set to.
            same = {thing} if thing.start == member.start else set(things)
            return Target(thing, same, thing.is_member or is_loose, is_loose)
        loose = Thing(module.path, member.start, member.name, True, module)
        return Target(loose, {loose}, True, True)

    def in_file(self, path: WorkspacePath, targets: list[Target]) -> list[Reference] | None:
        """The references of one file, in order; None where scopes cannot be told."""
        module = self.project.module(path)
        if module is None:
            return None
        meanings = self._made(module) if self.made_only else self._meanings(module)
        return by_line([*verdicts(meanings, targets), *self._aliased(module, targets)])

    def forget(self) -> None:
        """Let go of everything that was read for the answer."""
        self.project.forget()

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Whether a file can name a thing of another module at all, by its text alone."""
        name = re.escape(self.name)
        if path.name.endswith((".py", ".pyi")):
            seen = (
                rf"\.\s*{name}\b|import\b[^\n(]*\b{name}\b|import\s*\([^)]*\b{name}\b|import\s*\*"
            )
        else:
            seen = r"\b(?:import|require|exports?)\b"
        return re.search(seen, text) is not None

    def _meanings(self, module: Module) -> Iterator[Meaning]:
        """Every place that spells the name: line, what it may mean, whether a member."""
        seen: set[int] = set()
        for spot in module.names.occurrences:
            if spot.name == self.name:
                seen.add(spot.start)
                yield spot.line, self.means.of_spot(module, spot), False
        for member in module.names.members:
            if member.name == self.name:
                seen.add(member.start)
                is_told = not module.is_broken(member.start)
                yield member.line, self.means.of_member(module, member), is_told
        for node in nodes_of(module.parsed, self.name):
            things = self._unread(module, node) if _start(node) not in seen else None
            if things is not None:
                yield node.range().start.line + 1, things, False

    def _unread(self, module: Module, node: Node) -> frozenset[Thing] | None:
        """What a word means that is no name of this module."""
        brought = _passed_on(node, module)
        if brought is not None:
            return self.origins.of_import(module.path, brought)
        return frozenset({UNKNOWN}) if module.is_broken(_start(node)) else None

    def _made(self, module: Module) -> Iterator[Meaning]:
        """Where the class of the name is called to make something, or by what derives from it."""
        for spot in module.names.occurrences:
            if spot.name == self.name and _is_called(spot.node):
                made = self.means.of_spot(module, spot)
                yield spot.line, made | self.means.made_above(made), False
        for scope in module.classes.defined if module.is_script else ():
            things = self.means.bases(OfClass(module, scope))
            for node in scope.node.find_all(kind="super") if things else ():
                if _is_called(node):
                    yield node.range().start.line + 1, things, False

    def _aliased(self, module: Module, targets: list[Target]) -> Iterator[Reference]:
        """Uses of the thing under another name that an import gives it."""
        bindings = [b for b in module.names.bindings if b.name != self.name and _is_import(b)]
        given = (self.exported_as(target, target.thing.path) for target in targets)
        known = {self.name, "default"}.union(*given)
        for binding in bindings:
            if not _may_be(module, binding, known):
                continue
            things = self.origins.of_binding(module, binding)
            if bound_to(things, targets) is None:
                continue
            again = self.project.reread(module.path, binding.name) or module
            for other in again.names.bindings:
                if other.name == binding.name and other.sites[0].start == binding.sites[0].start:
                    for use in other.uses:
                        if self.made_only and not _is_called(use.node):
                            continue
                        yield Reference(use.line, "bound", bound_to(things, targets))


def _may_be(module: Module, binding: Binding, known: set[str]) -> bool:
    """Whether a name may be another one for what is brought in by one of the *known* names."""
    for site in binding.sites:
        brought = import_at(module, site)
        if brought is not None and brought.name in known:
            return True
        if brought is not None and brought.name is None and module.is_script:
            return True
    return False


def _stands_for(module: Module, site: Occurrence) -> bool:
    """Whether a name that is imported is the thing itself, not a variable set to it."""
    brought = import_at(module, site)
    is_set = site.node.parent().kind() == "variable_declarator"
    return brought is not None and brought.name in (site.name, "default") and not is_set


def _is_import(binding: Binding) -> bool:
    return bool(binding.roles & {"import", "variable", "dotted import"})


def _is_called(node: Node) -> bool:
    parent = node.parent()
    made = parent.field("function") or parent.field("constructor")
    return made is not None and _start(made) == _start(node)


def _start(node: Node) -> int:
    return int(node.range().start.index)


def _passed_on(node: Node, module: Module) -> Import | None:
    """The import in which *node* is the name that the other module uses."""
    parent = node.parent()
    if not module.is_script:
        outer = parent.parent() if parent.kind() == "dotted_name" else None
        if outer is None or outer.kind() != "aliased_import":
            return None
        return python_import(outer.field("alias"))
    if parent.kind() == "import_specifier":
        return script_import(node)
    if parent.kind() == "export_specifier":
        source = parent.parent().parent().field("source")
        name = parent.field("name")
        if source is not None and _start(name) == _start(node):
            return Import(unquoted(source), node.text())
    return None
