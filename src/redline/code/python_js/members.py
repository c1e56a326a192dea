"""Find the class that owns the member after a dot, as far as one file makes it certain.

A class of the file owns the members that it defines: `self.x` in its methods, `Class.x`, and `x`
of a value that a visible call of the class creates. Members of imports and literals are not its
own; everything else is unknown, and a rename that meets it is refused rather than guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TypeAlias

from redline.code.scopes.model import (
    Binding,
    BindingRole,
    Member,
    MemberUse,
    Names,
    Scope,
    ScopeKind,
)
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
)
from redline.core.records import dataclass, field

LITERALS = frozenset(
    """
    string integer float list dictionary set tuple concatenated_string list_comprehension
    dictionary_comprehension set_comprehension none true array object number template_string regex
    null generator_expression false
    """.split()
)
_NO_INSTANCE = {"staticmethod"}
_OWN_THIS = frozenset(
    """
    function_declaration function_expression generator_function generator_function_declaration
    method_definition
    """.split()
)
_MAX_DEPTH = 20


class NoClass(StrEnum):
    """Why a value has no class that is defined here."""

    # It certainly is something else: a literal, a module, or of a library's class.
    OTHER = "other"
    # The same, of the language's or the browser's own: it hands out nothing of the workspace.
    GLOBAL = "global"
    # A script says that it may be anything, or a parameter of Python says nothing: a type checker
    # looks no further.
    ANYTHING = "anything"
    UNKNOWN = "unknown"


ClassOrNot: TypeAlias = Scope | NoClass


@dataclass(slots=True)
class FileClasses:
    """The classes of a file and the members that each defines."""

    names: Names
    script: bool
    # Whether an assignment to a member of `this` defines it; TypeScript has it declared.
    by_assignment: bool = True
    defined: dict[Scope, dict[str, list[Member | Binding]]] = field(default_factory=dict)
    _bases: dict[Scope, list[Scope]] = field(default_factory=dict)
    _of_binding: dict[Binding, Scope] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Names, *, script: bool, by_assignment: bool = True) -> FileClasses:
        """Collect the classes in *names*."""
        known = cls(names, script, by_assignment)
        for scope in names.scopes:
            if scope.kind == ScopeKind.CLASS and _is_class(scope):
                known.defined[scope] = {}
                if scope.owner is not None and len(scope.owner.sites) == 1:
                    known._of_binding[scope.owner] = scope
        for scope in known.defined:
            known._bases[scope] = list(known._base_classes(scope))
        known._record_definitions()
        return known

    def _record_definitions(self) -> None:
        for scope, defined in self.defined.items():
            if not self.script:
                for binding in scope.names.values():
                    defined.setdefault(binding.name, []).append(binding)
        for member in self.names.members:
            if member.form == MemberUse.DEFINE and member.scope in self.defined:
                self.defined[member.scope].setdefault(member.name, []).append(member)
            elif self.by_assignment and member.form == MemberUse.ACCESS and _is_target(member):
                owner = self.class_of_value(member.owner, member.scope)
                if isinstance(owner, Scope):
                    self.defined[owner].setdefault(member.name, []).append(member)

    def owner(self, scope: Scope, name: str, depth: int = 0) -> Scope | None:
        """Return the class that defines *name* for instances of *scope*: itself or a base here."""
        if name in self.defined.get(scope, ()):
            return scope
        if depth < _MAX_DEPTH:
            for base in self._bases.get(scope, ()):
                found = self.owner(base, name, depth + 1)
                if found is not None:
                    return found
        return None

    def relatives_defining(self, scope: Scope, name: str) -> list[Scope]:
        """Return the bases and subclasses of a class that also define *name*."""
        return [
            other
            for other, defined in self.defined.items()
            if other is not scope
            and name in defined
            and (self._descends(other, scope) or self._descends(scope, other))
        ]

    def _descends(self, scope: Scope, ancestor: Scope, depth: int = 0) -> bool:
        bases = self._bases.get(scope, ())
        return depth < _MAX_DEPTH and any(
            base is ancestor or self._descends(base, ancestor, depth + 1) for base in bases
        )

    def _base_classes(self, scope: Scope) -> Iterator[Scope]:
        words: Iterable[SyntaxNode]
        if self.script:
            heritage = scope.node.find(kind="class_heritage")
            words = heritage.find_all(kind="identifier") if heritage is not None else []
        else:
            named = scope.node.field("superclasses")
            bases = named.children() if named is not None else []
            # `Base[T]` derives from Base.
            words = [base.field("value") or base for base in bases]
        for word in words:
            occurrence = self.names.at(word)
            if occurrence is not None and occurrence.binding in self._of_binding:
                yield self._of_binding[occurrence.binding]

    def class_of(self, binding: Binding | None) -> Scope | None:
        """Return the class that a name refers to, if it can refer to nothing else."""
        return self._of_binding.get(binding) if binding is not None else None

    def class_of_value(self, node: SyntaxNode | None, scope: Scope) -> ClassOrNot:
        """Return the class of the value before a dot: of an instance, or the class itself."""
        if node is None:
            return NoClass.UNKNOWN
        kind = node.kind()
        if kind == "this":
            return self._class_of_this(node, scope)
        if kind in LITERALS:
            return NoClass.OTHER
        if kind == "identifier":
            return self._class_of_name(node)
        if kind in ("call", "new_expression"):
            return self._class_at(node.field("function") or node.field("constructor"))
        if kind == "member_expression" and required_field(node, "property").text() == "prototype":
            return self._class_at(node.field("object"))
        return NoClass.UNKNOWN

    def is_static(self, member: Member) -> bool:
        """Return whether a script's member belongs to the class itself, not to instances."""
        if member.form == MemberUse.DEFINE:
            return has_static(parent_of(member.node))
        if member.owner is None or member.owner.kind() != "this":
            return self._binding_class(member.owner) is not None
        around = member.owner.parent()
        while around is not None and around.kind() != "class_body":
            if parent_of(around).kind() == "class_body":
                return has_static(around)
            around = around.parent()
        return False

    def _class_at(self, node: SyntaxNode | None) -> ClassOrNot:
        """Return the class that *node* names."""
        found = node if node is not None and node.kind() == "identifier" else None
        return self._binding_class(found) or NoClass.UNKNOWN

    def _binding_class(self, node: SyntaxNode | None) -> Scope | None:
        occurrence = self.names.at(node) if node is not None else None
        return self.class_of(occurrence.binding if occurrence is not None else None)

    def _class_of_name(self, node: SyntaxNode) -> ClassOrNot:
        occurrence = self.names.at(node)
        binding = occurrence.binding if occurrence is not None else None
        if binding is None or binding.roles <= {BindingRole.IMPORT, BindingRole.DOTTED_IMPORT}:
            return NoClass.OTHER
        found = self.class_of(binding)
        if found is not None:
            return found
        if len(binding.sites) != 1:
            return NoClass.UNKNOWN
        if BindingRole.PARAMETER in binding.roles and not self.script:
            return self.first_parameter(binding)
        parent = parent_of(binding.sites[0].node)
        if parent.kind() in ("assignment", "variable_declarator") and parent.field("type") is None:
            value = parent.field("right") or parent.field("value")
            if value is not None and value.kind() in ("call", "new_expression"):
                return self._class_at(value.field("function") or value.field("constructor"))
        return NoClass.UNKNOWN

    def first_parameter(self, binding: Binding) -> ClassOrNot:
        """Return the class of `self` or `cls` if *binding* is the first parameter of a method."""
        scope = binding.scope
        outer = scope.parent
        if outer is None or outer not in self.defined:
            return NoClass.UNKNOWN
        given = named_children(required_field(scope.node, "parameters"))
        first = next((each for each in given if each.kind() != "comment"), None)
        if not begins_at(first, binding.sites[0].node) or first is None:
            return NoClass.UNKNOWN
        if first.kind() != "identifier" or _decorators(scope.node) & _NO_INSTANCE:
            return NoClass.UNKNOWN
        return outer

    def _class_of_this(self, node: SyntaxNode, scope: Scope) -> ClassOrNot:
        """Return the class of `this` in a method or field, including inside arrow functions."""
        around = node.parent()
        while around is not None:
            kind = around.kind()
            if kind in _OWN_THIS and parent_of(around).kind() != "class_body":
                return NoClass.UNKNOWN
            if kind in ("method_definition", "public_field_definition", "field_definition"):
                holder = scope
                while holder.parent is not None and holder not in self.defined:
                    holder = holder.parent
                return holder if holder in self.defined else NoClass.UNKNOWN
            around = around.parent()
        return NoClass.UNKNOWN


def _is_class(scope: Scope) -> bool:
    return scope.node.kind() in (
        "class_definition",
        "class_declaration",
        "abstract_class_declaration",
        "class",
    )


def has_static(node: SyntaxNode) -> bool:
    """Return whether a member definition has the modifier `static`."""
    return any(child.kind() == "static" for child in node.children())


def is_assigned(access: SyntaxNode) -> bool:
    """Return whether an access is the target of an assignment."""
    parent = access.parent()
    if parent is None or parent.kind() not in ("assignment", "assignment_expression"):
        return False
    return begins_at(parent.field("left"), access)


def _is_target(member: Member) -> bool:
    return is_assigned(parent_of(member.node))


def _decorators(node: SyntaxNode) -> set[str]:
    parent = node.parent()
    if parent is None or parent.kind() != "decorated_definition":
        return set()
    found = (child for child in parent.children() if child.kind() == "decorator")
    return {child.text().lstrip("@").strip().split("(")[0] for child in found}
