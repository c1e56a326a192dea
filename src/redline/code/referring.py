"""What refers to a definition: places that are bound to it, and places that possibly are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from redline.code.heritage import OfClass, is_static, members_of
from redline.code.imports import Import, key_import, python_import, script_import, unquoted
from redline.code.named import Node
from redline.code.origins import Origins, import_at
from redline.code.project import Files, Module, Project
from redline.code.references import nodes_of
from redline.code.scopes import Binding, Member, Occurrence
from redline.code.targets import Meaning, Reference, Target, bound_to, by_line, verdicts
from redline.code.things import UNKNOWN, Thing
from redline.code.values import Values
from redline.core.paths import WorkspacePath


@dataclass(slots=True)
class Referring:
    """Finds what refers to definitions of one name, file by file."""

    name: str
    project: Project
    origins: Origins
    values: Values
    # Only where a class makes something: the references of its constructor.
    made_only: bool = False

    @classmethod
    def to(cls, name: str, files: Files, *, made_only: bool = False) -> Referring:
        """References to *name* among *files*."""
        project = Project(files, {name})
        origins = Origins(project)
        return cls(name, project, origins, Values(origins), made_only)

    def exported_as(self, target: Target) -> set[str]:
        """The names under which its module gives a script's thing away."""
        module = self.project.module(target.thing.path)
        if module is None or not module.is_script:
            return set()
        names = self.origins.exports(module).named
        return {name for name in names if target.same & self.origins.exported(module.path, name)}

    def target(self, path: WorkspacePath, start: int) -> Target | None:
        """The definition whose name begins at *start*; None where scopes cannot be told."""
        module = self.project.module(path)
        if module is None:
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
            same |= self._family(OfClass(module, scope))
        return Target(thing, same, thing.is_member)

    def _member_target(self, module: Module, member: Member) -> Target:
        things = self._of_member(module, member) - {UNKNOWN}
        if things:
            thing = min(things, key=lambda found: (found.path != module.path, found.start))
            is_loose = thing.binding is None and not thing.is_member
            return Target(thing, set(things), thing.is_member or is_loose, is_loose)
        loose = Thing(module.path, member.start, member.name, True, module)
        return Target(loose, {loose}, True, True)

    def _family(self, value: OfClass) -> set[Thing]:
        """Members of the name in a class and all it derives from.

        Constructors and members of the class itself are no kin of their namesakes above.
        """
        own = members_of(value, self.name)
        if self.name == "constructor" or any(is_static(item) for item in own):
            return {self._member(value)}
        owners, _ = self.values.owners(value, self.name, all_of=True)
        return {self._member(owner) for owner in owners}

    def _member(self, owner: OfClass) -> Thing:
        start = _start(owner.scope.node)
        return Thing(owner.module.path, start, self.name, True, owner.module)

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
                yield spot.line, self._of_spot(module, spot), False
        for member in module.names.members:
            if member.name == self.name:
                seen.add(member.start)
                yield member.line, self._of_member(module, member), True
        for node in nodes_of(module.parsed, self.name):
            if _start(node) not in seen:
                brought = _passed_on(node, module)
                if brought is not None:
                    line = node.range().start.line + 1
                    yield line, self.origins.of_import(module.path, brought), False

    def _made(self, module: Module) -> Iterator[Meaning]:
        """Where the class of the name is called to make something, or by what derives from it."""
        for spot in module.names.occurrences:
            if spot.name == self.name and _is_called(spot.node):
                yield spot.line, self._of_spot(module, spot), False
        for scope in module.classes.defined if module.is_script else ():
            above = [v for v in self.values.bases(OfClass(module, scope)) if isinstance(v, OfClass)]
            things = {self._class(value) for value in above if value.scope.name == self.name}
            for node in scope.node.find_all(kind="super") if things else ():
                if _is_called(node):
                    yield node.range().start.line + 1, frozenset(things), False

    def _class(self, value: OfClass) -> Thing:
        assert value.scope.owner is not None
        return self.origins.own(value.module, value.scope.owner)

    def _of_spot(self, module: Module, spot: Occurrence) -> frozenset[Thing]:
        """What a name means: an import itself, too, beside what it brings in."""
        found = self.origins.of_spot(module, spot)
        if spot.binding is None:
            return found
        return found | {self.origins.own(module, spot.binding)}

    def _aliased(self, module: Module, targets: list[Target]) -> Iterator[Reference]:
        """Uses of the thing under another name that an import gives it."""
        bindings = [b for b in module.names.bindings if b.name != self.name and _is_import(b)]
        for binding in bindings:
            if not self._may_be(module, binding):
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

    def _may_be(self, module: Module, binding: Binding) -> bool:
        for site in binding.sites:
            brought = import_at(module, site)
            if brought is not None and brought.name in (self.name, "default"):
                return True
            if brought is not None and brought.name is None and module.is_script:
                return True
        return False

    def _of_member(self, module: Module, member: Member) -> frozenset[Thing]:
        if member.form in ("define", "key"):
            return self._defined(module, member)
        if member.form == "label":
            return self._of_label(module, member)
        return self._accessed(module, member)

    def _defined(self, module: Module, member: Member) -> frozenset[Thing]:
        scope = member.scope
        own = OfClass(module, scope)
        if scope.kind == "class" and member in members_of(own, member.name):
            family = self._family(own) if module.is_script else set()
            return frozenset({self._member(own), *family})
        if module.is_script:
            exported = self.origins.exported(module.path, member.name)
            given = {thing for thing in exported if thing.start == member.start}
            brought = key_import(member.node)
            if brought is not None:
                given |= self.origins.of_import(module.path, brought)
            if given:
                return frozenset(given)
        return frozenset({UNKNOWN})

    def _of_label(self, module: Module, member: Member) -> frozenset[Thing]:
        """A field that a call of its class sets by name, where no constructor says otherwise."""
        found: set[Thing] = set()
        for value in self.values.of(module, member.owner, member.scope):
            if isinstance(value, OfClass) and not value.is_instance:
                made, _ = self.values.owners(value, "__init__")
                owners, _ = self.values.owners(value, member.name)
                found |= {self._member(owner) for owner in owners if not made}
        return frozenset(found)

    def _accessed(self, module: Module, member: Member) -> frozenset[Thing]:
        found: set[Thing] = set()
        for value in self.values.of(module, member.owner, member.scope):
            if isinstance(value, Thing):
                found |= self.origins.exported(value.path, member.name)
            elif isinstance(value, OfClass):
                kin = module.is_script and value.is_instance
                owners, is_open = self.values.owners(value, member.name, all_of=kin)
                found |= {self._member(owner) for owner in owners}
                if not owners or (is_open and module.is_script):
                    found.add(UNKNOWN)
            elif value == "unknown":
                found.add(UNKNOWN)
        return frozenset(found)


def _stands_for(module: Module, site: Occurrence) -> bool:
    """Whether a name that is imported is the thing itself, not a variable set to it."""
    brought = import_at(module, site)
    is_set = site.node.parent().kind() == "variable_declarator"
    return brought is not None and brought.name is not None and not is_set


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
