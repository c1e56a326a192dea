"""Find the references to a definition: occurrences that are bound to it, and possible ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from redline.code.python_js.exports import WHOLE
from redline.code.python_js.heritage import OfClass
from redline.code.python_js.imports import import_renaming
from redline.code.python_js.inference.context import ScriptContext
from redline.code.python_js.inference.shapes import (
    FUNCTIONS,
    OUTSIDE,
    is_object_key,
    is_shorthand_of_field,
)
from redline.code.python_js.inference.texts import ScriptTexts
from redline.code.python_js.joining import MemberJoins
from redline.code.python_js.meanings import Meanings
from redline.code.python_js.origins import Definitions, Origins, import_at
from redline.code.python_js.project import Module, Project
from redline.code.python_js.values import ValueResolver
from redline.code.references.definition import FOREIGN, UNKNOWN, Definition
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
from redline.code.scopes.model import Binding, BindingRole, Member, Occurrence
from redline.code.syntax.node import SyntaxNode, begins_at, parent_of, start_of
from redline.code.syntax.uses import nodes_of, quoted_nodes
from redline.core.paths import WorkspacePath

# A list that is not closed reaches to the end, so that no text is read more than once.
_LISTED = re.compile(
    r"__all__\s*(?::[^=\n]{0,200})?(?:\+?=|\.extend\()\s*[\[(]([^\])]*)(?:[\])]|\Z)"
)
# What follows a name of Python if its value is a type that is told the name.
_MADE = (
    r"[^=\n]{0,200}=\s*(?:\w+\.)?(?:TypeVar|TypeVarTuple|ParamSpec|TypeAliasType|NewType"
    r"|namedtuple|NamedTuple|TypedDict)\(\s*['\"]"
)
_IMPORTING_ROLES = {BindingRole.IMPORT, BindingRole.DOTTED_IMPORT}
_IMPORTING = {BindingRole.IMPORT, BindingRole.VARIABLE, BindingRole.DOTTED_IMPORT}


@dataclass(slots=True)
class PythonJsResolver:
    """Find references to definitions of one name, file by file."""

    name: str
    project: Project
    origins: Origins
    meanings: Meanings
    joining: MemberJoins
    # Only calls that construct the class of the name: the references of its constructor.
    made_only: bool = False
    # Also what must be renamed with the definition.
    renaming: bool = False
    # Keys of objects that a library is given and calls.
    _called_by_library: set[Definition] = field(default_factory=set)

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
        project = Project(files, {name}, reads_scripts_whole=renaming)
        origins = Origins(project)
        values = ScriptTexts(origins) if renaming else ValueResolver(origins)
        meanings = Meanings(name, origins, values, renaming)
        return cls(name, project, origins, meanings, MemberJoins(name, values), made_only, renaming)

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
        meaning = self.meanings.of_member(module, member)
        found = meaning - {UNKNOWN, FOREIGN}
        if found and self.renaming and is_object_key(member.node):
            own = Definition(module.path, member.start, member.name, True, module)
            if self._is_called_by_library(module, member):
                self._called_by_library.add(own)
            return ReferenceTarget(own, set(found), True, UNKNOWN in meaning)
        if found:
            nearest = min(found, key=lambda each: (each.path != module.path, each.start))
            is_loose = nearest.binding is None and not nearest.is_member
            # A member that is assigned here is the target, not the value it is assigned.
            same = {nearest} if nearest.start == member.start else set(found)
            return ReferenceTarget(nearest, same, nearest.is_member or is_loose, is_loose)
        loose = Definition(module.path, member.start, member.name, True, module)
        return ReferenceTarget(loose, {loose}, True, True)

    def _is_called_by_library(self, module: Module, member: Member) -> bool:
        """Return whether a key is a function in an object that is made for a library."""
        values, part = self.meanings.values, parent_of(member.node)
        written = part if part.kind() in FUNCTIONS else part.field("value")
        if not isinstance(values, ScriptContext) or written is None:
            return False
        asked = values.context_of(module, parent_of(part), member.scope)
        call = parent_of(parent_of(parent_of(part)))
        if call.kind() == "new_expression" and not asked <= OUTSIDE:
            # What a library's constructor is given has the members that it asks for.
            asked = values.of(module, call.field("constructor"), member.scope)
        return written.kind() in FUNCTIONS and bool(asked) and asked <= OUTSIDE

    def implements_library(self, target: ReferenceTarget) -> bool:
        """Return whether a library calls it by its name, declares it, or has what it overrides."""
        own, module = target.definition, target.definition.module
        if own in self._called_by_library:
            return True
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
        if self.renaming and module.is_script:
            self.joining.join(found, targets)
            self.joining.join_patterns(module, found, targets)
        return by_line([*verdicts(found, targets), *self._aliases(module, targets)])

    @property
    def joins(self) -> int:
        """How often members were joined to a target."""
        return self.joining.count

    def types_to_join(self, targets: list[ReferenceTarget]) -> tuple[set[str], set[WorkspacePath]]:
        """Return the types that have the member, if others than the targets' do; their files."""
        return self.joining.types_to_join(targets)

    def join_values(self, path: WorkspacePath, targets: list[ReferenceTarget]) -> None:
        """Count members as the same where a file gives a value of one type to another."""
        module = self.project.module(path)
        if module is not None and module.is_typed:
            self.joining.join_values(module, targets)

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
        for member in module.names.members:
            if member.name == self.name:
                seen.add(member.start)
                is_read = not module.is_broken(member.start)
                found = self.meanings.of_member(module, member)
                yield Meaning(member.line, found, is_read, member.start)
        for node in nodes_of(module.parsed, self.name):
            others = self._of_other_word(module, node) if start_of(node) not in seen else None
            if others is not None:
                yield Meaning(node.range().start.line + 1, others, False, start_of(node))
        if self.renaming:
            texts = self._find_quoted(module) if module.is_script else self._find_listed(module)
            yield from (each for each in texts if each.start not in seen)

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
        if self.renaming and (is_shorthand_of_field(occurrence) or _is_double(occurrence)):
            return frozenset({UNKNOWN})
        return self.meanings.of_occurrence(module, occurrence)

    def _find_quoted(self, module: Module) -> Iterator[Meaning]:
        """Yield the name as text where a script names a member by it: `x["name"]`."""
        values = self.meanings.values
        if not isinstance(values, ScriptTexts):
            return
        for node in quoted_nodes(module.parsed, self.name):
            named = values.named_by_text(module, node)
            if named is not None:
                found = self.meanings.of_values(module, named, self.name)
                yield Meaning(node.range().start.line + 1, found, True, start_of(node) + 1)

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
