"""Find the definitions that an occurrence of a name may refer to, in Python and scripts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from redline.code.python_js.exports import is_exported_key
from redline.code.python_js.heritage import (
    Inferred,
    OfClass,
    Value,
    is_static,
    members_of,
    says_override,
)
from redline.code.python_js.imports import key_import
from redline.code.python_js.inference.context import ScriptContext
from redline.code.python_js.inference.shapes import (
    MAX_DEPTH,
    OUTSIDE,
    Holder,
    KeysOf,
    TypeParameter,
    key_definition,
)
from redline.code.python_js.members import NoClass
from redline.code.python_js.origins import Definitions, Origins, in_namespace
from redline.code.python_js.project import Module
from redline.code.python_js.python_values import Container
from redline.code.python_js.values import ValueResolver
from redline.code.references.definition import UNCHECKED, UNKNOWN, Definition
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
from redline.code.syntax.node import parent_of, start_of


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
        found = self._of_key(module, member)
        if isinstance(self.values, ScriptContext):
            return found | self._of_typed_key(self.values, module, member)
        return found or frozenset({UNKNOWN})

    def _of_typed_key(self, values: ScriptContext, module: Module, member: Member) -> Definitions:
        """Return what a key is by the type of its object, or of what a pattern takes apart."""
        node, parent = member.node, parent_of(member.node)
        kind = parent.kind()
        if kind in ("object_pattern", "pair_pattern", "object_assignment_pattern"):
            holder = parent if kind == "object_pattern" else parent_of(parent)
            whole = values.bound_values(module, holder, member.scope, 0)
            return self.of_values(module, whole or {NoClass.UNKNOWN}, member.name)
        own = key_definition(module, node, member.name)
        holder = parent if kind == "object" else parent_of(parent)
        if holder.kind() != "object":
            return frozenset({own})
        return frozenset({own}) | values.expects_key(module, holder, member.name, member.scope)

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
        return self.of_values(module, values, member.name, meaning)

    def of_values(
        self, module: Module, values: Iterable[Value], name: str, meaning: str = VALUE
    ) -> Definitions:
        """Return the members of the name that *values* have."""
        found: set[Definition] = set()
        for value in values:
            if isinstance(value, Definition):
                found |= in_namespace(self.origins.of_export(value.path, name), meaning)
            elif isinstance(value, Inferred):
                found |= self._of_inferred(module, value, name)
            elif isinstance(value, OfClass) and not value.hides(name):
                all_of = self.follows_bases(module) and (value.is_instance or not module.is_script)
                owners, is_open = self.values.owners(value, name, all_of=all_of)
                found |= {
                    self.member(owner, static=not value.is_instance and self._is_mixed(owner))
                    for owner in owners
                }
                exported = self.values.exported_by_bases(value, name) if not owners else set()
                found |= exported
                is_missing = not (owners or exported) and not self._extends_library(value)
                if is_missing or (is_open and module.is_script):
                    found.add(UNKNOWN)
            elif value == NoClass.UNKNOWN:
                found.add(UNKNOWN)
            elif value == NoClass.ANYTHING:
                found |= {UNKNOWN, UNCHECKED}
        return frozenset(found)

    def _extends_library(self, value: OfClass, depth: int = 0) -> bool:
        """Return whether a type of TypeScript extends one of a library, which has what it has not.

        In JavaScript anything may be added to an object.
        """
        is_known = isinstance(self.values, ScriptContext) and value.module.is_typed
        if not is_known or depth > MAX_DEPTH:
            return False
        return any(
            self._extends_library(base, depth + 1) if isinstance(base, OfClass) else base in OUTSIDE
            for base in self.values.bases(value)
        )

    def _of_inferred(self, module: Module, value: Inferred, name: str) -> set[Definition]:
        """Return the members of an object type, an object or a function; arrays have none."""
        is_plain = isinstance(value, Holder | KeysOf | Container)
        if is_plain or not isinstance(self.values, ScriptContext):
            return set()
        if isinstance(value, TypeParameter):
            return set(self.of_values(module, self.values.least_types(value), name))
        return self.values.member_definitions(value, name) or {UNKNOWN}

    def family(self, value: OfClass) -> set[Definition]:
        """Return the members of the name in a class and all its bases.

        Constructors do not override those of the bases, and static members only if they say so.
        """
        own = members_of(value, self.name)
        if self.name == "constructor" or all(is_static(i) and not says_override(i) for i in own):
            return {self.member(value)}
        # An interface of the same name may have further bases.
        is_instance = not all(is_static(item) for item in own)
        whole = OfClass(value.module, value.scope, is_instance, given=value.given)
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
