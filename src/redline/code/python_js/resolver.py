"""Find the references to a definition: occurrences that are bound to it, and possible ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from redline.code.python_js.exports import WHOLE, is_exported_key
from redline.code.python_js.heritage import (
    OfClass,
    Value,
    is_static,
    members_of,
    says_override,
)
from redline.code.python_js.imports import import_renaming, key_import
from redline.code.python_js.members import NoClass
from redline.code.python_js.origins import Definitions, Origins, import_at, in_namespace
from redline.code.python_js.project import Module, Project
from redline.code.python_js.values import ValueResolver
from redline.code.references.definition import FOREIGN, UNCHECKED, UNKNOWN, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import (
    Certainty,
    Meaning,
    Reference,
    ReferenceTarget,
    bound_to,
    by_line,
    verdicts,
)
from redline.code.scopes.model import (
    TYPE,
    VALUE,
    Binding,
    BindingRole,
    Member,
    MemberUse,
    Occurrence,
    ScopeKind,
)
from redline.code.syntax.node import SyntaxNode, begins_at, parent_of, start_of
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass


@dataclass(slots=True)
class Meanings:
    """Resolve the occurrences of one name."""

    name: str
    origins: Origins
    values: ValueResolver
    # For a rename: members of Python classes count as those of their bases that they override.
    renaming: bool = False

    def of_occurrence(self, module: Module, occurrence: Occurrence) -> Definitions:
        """Return what a name refers to; for an import, both itself and its target."""
        if module.is_broken(occurrence.start):
            return frozenset({UNKNOWN})
        found = self.origins.of_occurrence(module, occurrence)
        if occurrence.binding is None:
            return found
        scope = occurrence.binding.scope
        if self.follows_bases(module) and scope.kind == ScopeKind.CLASS and not module.is_script:
            found |= self.family(OfClass(module, scope))
        if BindingRole.FIELD in occurrence.binding.roles:
            around = next((s for s in scope.outward() if s.kind == ScopeKind.CLASS), None)
            found |= self.family(OfClass(module, around)) if around is not None else set()
        return found | {self.origins.own(module, occurrence.binding)}

    def follows_bases(self, module: Module) -> bool:
        """Return whether a member means those that it overrides as well."""
        return module.is_script or (self.renaming and not self.name.startswith("__"))

    def of_member(self, module: Module, member: Member) -> Definitions:
        """Return what a mention of a member refers to."""
        if module.is_broken(member.start):
            return frozenset({UNKNOWN})
        if member.form in (MemberUse.DEFINE, MemberUse.KEY):
            return self._of_definition(module, member)
        if member.form == MemberUse.LABEL:
            return self._of_label(module, member)
        return self._of_access(module, member)

    def _of_definition(self, module: Module, member: Member) -> Definitions:
        scope = member.scope
        own = OfClass(module, scope)
        if is_static(member) and self._is_mixed(own):
            return frozenset({self.member(own, static=True)})
        if scope.kind == ScopeKind.CLASS and member in members_of(own, member.name):
            family = self.family(own) if module.is_script else set()
            if module.is_script and self.values.owners(own, member.name, all_of=True).is_open:
                family.add(UNKNOWN)  # an unknown base may define it too
            return frozenset({self.member(own), *family})
        if not module.is_script:
            return frozenset({UNKNOWN})
        return self._of_key(module, member) or frozenset({UNKNOWN})

    def _of_key(self, module: Module, member: Member) -> Definitions:
        """Return what a key exports or imports."""
        exported = self.origins.of_export(module.path, member.name)
        if not is_exported_key(member.node):
            exported = frozenset(found for found in exported if found.start == member.start)
        imported = key_import(member.node)
        if imported is not None:
            return exported | self.origins.of_import(module.path, imported)
        if parent_of(member.node).kind() in ("pair_pattern", "object_pattern"):
            return exported | self.origins.of_extraction(module, member.node)
        return exported

    def _of_label(self, module: Module, member: Member) -> Definitions:
        """Return the field that a call of its class sets by name, if there is no constructor."""
        found: set[Definition] = set()
        for value in self.values.of(module, member.owner, member.scope):
            if isinstance(value, OfClass) and not value.is_instance:
                constructors = self.values.owners(value, "__init__").classes
                all_of = self.follows_bases(module)
                owners = self.values.owners(value, member.name, all_of=all_of).classes
                found |= {self.member(owner) for owner in owners if not constructors}
        return frozenset(found)

    def _of_access(self, module: Module, member: Member) -> Definitions:
        meaning = TYPE if member.kind == "type_identifier" else VALUE
        if module.is_script and member.owner is not None:
            inner = self.origins.of_namespace(module, member.owner, member.name)
            if inner:
                return in_namespace(inner, meaning)
        values = self.values.of(module, member.owner, member.scope)
        if not module.is_script and sum(isinstance(value, OfClass) for value in values) > 1:
            return frozenset({UNKNOWN})  # a check or an assignment may say which of them it is
        return self.of_values(module, values, member.name, meaning)

    def of_values(
        self, module: Module, values: Iterable[Value], name: str, meaning: str = VALUE
    ) -> Definitions:
        """Return the members of the name that *values* have."""
        found: set[Definition] = set()
        for value in values:
            if isinstance(value, Definition):
                found |= in_namespace(self.origins.of_export(value.path, name), meaning)
            elif isinstance(value, OfClass):
                all_of = self.follows_bases(module) and (value.is_instance or not module.is_script)
                owners, is_open = self.values.owners(value, name, all_of=all_of)
                found |= {
                    self.member(owner, static=not value.is_instance and self._is_mixed(owner))
                    for owner in owners
                }
                exported = self.values.exported_by_bases(value, name) if not owners else set()
                found |= exported
                if not (owners or exported) or (is_open and module.is_script):
                    found.add(UNKNOWN)
            elif value == NoClass.UNKNOWN:
                found.add(UNKNOWN)
            elif value == NoClass.ANYTHING:
                found |= {UNKNOWN, UNCHECKED}
        return frozenset(found)

    def family(self, value: OfClass) -> set[Definition]:
        """Return the members of the name in a class and all its bases.

        Constructors do not override those of the bases, and static members only if they say so.
        """
        own = members_of(value, self.name)
        if self.name == "constructor" or all(is_static(i) and not says_override(i) for i in own):
            return {self.member(value)}
        # An interface of the same name may have further bases.
        is_instance = not all(is_static(item) for item in own)
        whole = OfClass(value.module, value.scope, is_instance)
        owners = self.values.owners(whole, self.name, all_of=True).classes
        return {self.member(owner) for owner in owners}

    def overrides_library(self, definition: Definition) -> bool:
        """Return whether Python code says that a member overrides one of a class not known here."""
        module = definition.module
        if not isinstance(module, Module) or module.is_script or not definition.is_member:
            return False
        start = definition.start
        scopes = [scope for scope in module.classes.defined if start_of(scope.node) == start]
        says_so = any(
            _is_decorated(item, "override")
            for scope in scopes
            for item in members_of(OfClass(module, scope), self.name)
        )
        if not says_so:
            return False
        above = (OfClass(module, scope, above=True) for scope in scopes)
        return not any(self.values.owners(each, self.name).classes for each in above)

    def member(self, owner: OfClass, *, static: bool = False) -> Definition:
        """Return the member of the name that a class defines; *static* if it has one of each."""
        name = f"static {self.name}" if static else self.name
        return Definition(owner.module.path, start_of(owner.scope.node), name, True, owner.module)

    def _is_mixed(self, owner: OfClass) -> bool:
        """Return whether a class has both a static and an instance member of the name."""
        return len({is_static(item) for item in members_of(owner, self.name)}) > 1

    def constructing(self, definitions: Definitions) -> Definitions:
        """Return the classes whose constructors run for these; it may be inherited from a base."""
        found: set[Definition] = set()
        for definition in definitions:
            for value in self.values.of_definition(definition):
                if isinstance(value, OfClass) and value.module.is_script:
                    found |= self._classes(self.values.owners(value, "constructor").classes)
        return frozenset(found)

    def bases(self, value: OfClass) -> Definitions:
        """Return the direct bases of a class that have the name."""
        above = [base for base in self.values.bases(value) if isinstance(base, OfClass)]
        return frozenset(self._classes(base for base in above if base.scope.name == self.name))

    def _classes(self, values: Iterable[OfClass]) -> set[Definition]:
        owned = ((value, value.scope.owner) for value in values)
        return {self.origins.own(v.module, owner) for v, owner in owned if owner is not None}


def _is_decorated(item: Member | Binding, name: str) -> bool:
    """Return whether a function of Python has a decorator of that name, from whatever module."""
    site = item.sites[0].node if isinstance(item, Binding) else item.node
    around = parent_of(site).parent()
    if around is None or around.kind() != "decorated_definition":
        return False
    written = (child.text() for child in around.children() if child.kind() == "decorator")
    return any(each.lstrip("@").strip().rpartition(".")[2] == name for each in written)


# A list that is not closed reaches to the end, so that no text is read more than once.
_LISTED = re.compile(
    r"__all__\s*(?::[^=\n]{0,200})?(?:\+?=|\.extend\()\s*[\[(]([^\])]*)(?:[\])]|\Z)"
)
# What follows a name of Python if its value is a type that is told the name.
_MADE = (
    r"[^=\n]{0,200}=\s*(?:\w+\.)?(?:TypeVar|TypeVarTuple|ParamSpec|TypeAliasType|NewType"
    r"|namedtuple|NamedTuple|TypedDict)\(\s*['\"]"
)
_LOADING = re.compile(r"\bimport\s*\(")
_IMPORTING_ROLES = {BindingRole.IMPORT, BindingRole.DOTTED_IMPORT}
_IMPORTING = {BindingRole.IMPORT, BindingRole.VARIABLE, BindingRole.DOTTED_IMPORT}


@dataclass(slots=True)
class PythonJsResolver:
    """Find references to definitions of one name, file by file."""

    name: str
    project: Project
    origins: Origins
    meanings: Meanings
    # Only calls that construct the class of the name: the references of its constructor.
    made_only: bool = False
    # Also what must be renamed with the definition.
    renaming: bool = False

    @classmethod
    def to(
        cls,
        name: str,
        files: SourceFiles,
        *,
        made_only: bool = False,
        renaming: bool = False,
    ) -> PythonJsResolver:
        """Create a resolver of *name* among *files*."""
        project = Project(files, {name})
        origins = Origins(project)
        meanings = Meanings(name, origins, ValueResolver(origins), renaming)
        return cls(name, project, origins, meanings, made_only, renaming)

    def exported_as(self, target: ReferenceTarget, path: WorkspacePath) -> set[str]:
        """Return the names under which the script at *path* exports the definition."""
        module = self.project.module(path)
        if module is None or not module.is_script:
            return set()
        exports = self.origins.exports(module)
        names = {*exports.named, *([WHOLE] if exports.stars else [])}
        return {name for name in names if target.same & self.origins.of_export(path, name)}

    def target(self, path: WorkspacePath, start: int) -> ReferenceTarget | None:
        """Return the definition whose name begins at *start*; None if scopes are unknown."""
        module = self.project.module(path)
        if module is None or module.is_broken(start):
            return None
        for occurrence in module.names.occurrences:
            if occurrence.start == start and occurrence.binding is not None:
                return self._binding_target(module, occurrence.binding)
        for member in module.names.members:
            if member.start == start:
                return self._member_target(module, member)
        return None

    def _binding_target(self, module: Module, binding: Binding) -> ReferenceTarget:
        own = self.origins.own(module, binding)
        same = {own}
        if any(_is_import_of_same_name(module, site) for site in binding.sites):
            same |= self.origins.of_binding(module, binding) - {UNKNOWN, FOREIGN}
        if own.is_member and self.meanings.follows_bases(module):
            scope = next(s for s in module.names.scopes if start_of(s.node) == own.start)
            same |= self.meanings.family(OfClass(module, scope))
        if self.renaming and module.is_script:
            same |= {self.origins.own(module, other) for other in _merged_with(binding)}
        return ReferenceTarget(own, same, own.is_member or binding.scope.shared)

    def _member_target(self, module: Module, member: Member) -> ReferenceTarget:
        found = self.meanings.of_member(module, member) - {UNKNOWN, FOREIGN}
        if found:
            nearest = min(found, key=lambda each: (each.path != module.path, each.start))
            is_loose = nearest.binding is None and not nearest.is_member
            # A member that is assigned here is the target, not the value it is assigned.
            same = {nearest} if nearest.start == member.start else set(found)
            return ReferenceTarget(nearest, same, nearest.is_member or is_loose, is_loose)
        loose = Definition(module.path, member.start, member.name, True, module)
        return ReferenceTarget(loose, {loose}, True, True)

    def implements_library(self, target: ReferenceTarget) -> bool:
        """Return whether a library declares it, or has what it says that it overrides."""
        own, module = target.definition, target.definition.module
        if isinstance(module, Module) and module.is_declared_elsewhere(own.start):
            return True
        return any(self.meanings.overrides_library(each) for each in target.same)

    def is_apart(self, target: ReferenceTarget) -> bool:  # noqa: ARG002 - for other languages
        """Return False: classes and interfaces join members of several types."""
        return False

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file, in order; None if its scopes are unknown."""
        module = self.project.module(path)
        if module is None:
            return None
        found = list(
            self._constructor_calls(module) if self.made_only else self._occurrences(module)
        )
        return by_line([*verdicts(found, targets), *self._aliases(module, targets)])

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Return whether a file with this text can refer to another module's definition at all."""
        name = re.escape(self.name)
        if path.name.endswith((".py", ".pyi")):
            seen = (
                rf"\.\s*{name}\b|import\b[^\n(]*\b{name}\b|import\s*\([^)]*\b{name}\b|import\s*\*"
            )
        else:
            seen = r"\b(?:import|require|exports?)\b"
        return re.search(seen, text) is not None

    def _occurrences(self, module: Module) -> Iterator[Meaning]:
        """Yield every occurrence of the name, with what it may refer to."""
        seen: set[int] = set()
        for occurrence in module.names.occurrences:
            if occurrence.name == self.name:
                seen.add(occurrence.start)
                found = self._of_occurrence(module, occurrence)
                yield Meaning(occurrence.line, found, False, occurrence.start)
        is_script = self.renaming and module.is_script
        loads = _LOADING.search(module.parsed.text) if is_script else None
        for member in module.names.members:
            if member.name == self.name:
                seen.add(member.start)
                found = self.meanings.of_member(module, member)
                # What a module that is loaded by a call has may be taken out of it by any name.
                is_loaded = loads is not None and UNKNOWN in found
                is_read = not module.is_broken(member.start) and not is_loaded
                yield Meaning(member.line, found, is_read, member.start)
        for node in nodes_of(module.parsed, self.name):
            others = self._of_other_word(module, node) if start_of(node) not in seen else None
            if others is not None:
                yield Meaning(node.range().start.line + 1, others, False, start_of(node))
        if self.renaming and not module.is_script:
            yield from (each for each in self._find_listed(module) if each.start not in seen)

    def _find_listed(self, module: Module) -> Iterator[Meaning]:
        """Yield the name as text by which a Python module exports it, or a type knows its name."""
        text = module.parsed.text
        binding = module.names.root.names.get(self.name)
        if binding is not None:
            own = frozenset({self.origins.own(module, binding)})
            name = re.escape(self.name)
            for made in re.finditer(rf"^{name}\b{_MADE}({name})['\"]", text, re.MULTILINE):
                start = made.start(1)
                yield Meaning(text.count("\n", 0, start) + 1, own, False, start)
        found = self.origins.of_export(module.path, self.name)
        for listed in _LISTED.finditer(text) if "__all__" in text else ():
            for quoted in re.finditer(rf"(['\"]){re.escape(self.name)}\1", listed[0]):
                start = listed.start() + quoted.start() + 1
                yield Meaning(text.count("\n", 0, start) + 1, found, False, start)

    def _of_occurrence(self, module: Module, occurrence: Occurrence) -> Definitions:
        if self.renaming and (_is_shorthand_of_field(occurrence) or _is_double(occurrence)):
            return frozenset({UNKNOWN})
        return self.meanings.of_occurrence(module, occurrence)

    def _of_other_word(self, module: Module, node: SyntaxNode) -> Definitions | None:
        """Return what a word refers to that is neither a name nor a member of this module."""
        imported = import_renaming(node, script=module.is_script)
        if imported is not None:
            return self.origins.of_import(module.path, imported)
        return frozenset({UNKNOWN}) if module.is_broken(start_of(node)) else None

    def _constructor_calls(self, module: Module) -> Iterator[Meaning]:
        """Yield calls that construct the class of the name, and `super` calls of subclasses."""
        for occurrence in module.names.occurrences:
            if occurrence.name == self.name and _is_called(occurrence.node):
                called = self.meanings.of_occurrence(module, occurrence)
                found = called | self.meanings.constructing(called)
                yield Meaning(occurrence.line, found, False)
        for scope in module.classes.defined if module.is_script else ():
            bases = self.meanings.bases(OfClass(module, scope))
            for node in scope.node.find_all(kind="super") if bases else ():
                if _is_called(node):
                    yield Meaning(node.range().start.line + 1, bases, False, start_of(node))

    def _aliases(self, module: Module, targets: list[ReferenceTarget]) -> Iterator[Reference]:
        """Yield uses of the definition under another name that an import gives it."""
        exported = (self.exported_as(target, target.definition.path) for target in targets)
        known = {self.name, "default"}.union(*exported)
        for binding in module.names.bindings:
            if binding.name == self.name or not _may_import(module, binding, known):
                continue
            bound = bound_to(self.origins.of_binding(module, binding), targets)
            if bound is None:
                continue
            again = self.project.reread(module.path, binding.name) or module
            for other in again.names.bindings:
                if other.name == binding.name and other.sites[0].start == binding.sites[0].start:
                    for use in other.uses:
                        if not self.made_only or _is_called(use.node):
                            yield Reference(use.line, Certainty.BOUND, bound)


def _is_shorthand_of_field(occurrence: Occurrence) -> bool:
    """Return whether one word names a key and a constructor's parameter that is a field."""
    binding = occurrence.binding
    is_field = binding is not None and BindingRole.FIELD in binding.roles
    return is_field and occurrence.kind == "shorthand_property_identifier"


def _is_double(occurrence: Occurrence) -> bool:
    """Return whether a function of Python imports what is its parameter, too."""
    roles = occurrence.binding.roles if occurrence.binding is not None else set()
    return BindingRole.PARAMETER in roles and bool(roles & _IMPORTING_ROLES)


def _merged_with(binding: Binding) -> Iterator[Binding]:
    """Yield the type or value of the same name in a scope: TypeScript has them as one symbol."""
    scope = binding.scope
    for other in (scope.names.get(binding.name), scope.types.get(binding.name)):
        if other is not None and other is not binding and not other.roles & _IMPORTING_ROLES:
            yield other


def _may_import(module: Module, binding: Binding, known: set[str]) -> bool:
    """Return whether a binding may import one of the *known* names, or a whole script."""
    for site in binding.sites if binding.roles & _IMPORTING else ():
        imported = import_at(module, site)
        if imported is None:
            continue
        if imported.name in known or (imported.name is None and module.is_script):
            return True
    return False


def _is_import_of_same_name(module: Module, site: Occurrence) -> bool:
    """Return whether an import binds the definition's own name, not a variable assigned to it."""
    imported = import_at(module, site)
    if imported is None or parent_of(site.node).kind() == "variable_declarator":
        return False
    return imported.name in (site.name, "default")


def _is_called(node: SyntaxNode) -> bool:
    parent = parent_of(node)
    return begins_at(parent.field("function") or parent.field("constructor"), node)
