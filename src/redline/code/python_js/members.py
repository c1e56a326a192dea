"""Whose member a word after a dot is, as far as one file can say for sure.

A class of the file owns a member it defines. `self.x` in its methods, `Class.x`, and `x` of a
value that is plainly made by the class belong to it; what comes from an import or a literal does
not; everything else is unknown, and a rename that meets it is refused rather than guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from redline.code.scopes.model import Binding, Member, Names, Scope
from redline.code.syntax.node import Node

LITERALS = {
    *("string", "integer", "float", "list", "dictionary", "set", "tuple", "concatenated_string"),
    *("list_comprehension", "dictionary_comprehension", "set_comprehension", "none", "true"),
    *(
        "array",
        "object",
        "number",
        "template_string",
        "regex",
        "null",
        "generator_expression",
        "false",
    ),
}
_NO_INSTANCE = {"staticmethod"}
_OWN_THIS = {
    *("function_declaration", "function_expression", "generator_function"),
    *("generator_function_declaration", "method_definition"),
}
# Another class's or module's for sure, or not to be told.
Verdict: TypeAlias = Scope | Literal["other", "unknown"]


@dataclass(slots=True)
class Classes:
    """The classes of a file and what each defines."""

    names: Names
    script: bool
    defined: dict[Scope, dict[str, list[Member | Binding]]] = field(default_factory=dict)
    _bases: dict[Scope, list[Scope]] = field(default_factory=dict)
    _of_binding: dict[Binding, Scope] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Names, *, script: bool) -> Classes:
        """What is known of the classes in *names*."""
        known = cls(names, script)
        for scope in names.scopes:
            if scope.kind == "class" and _is_class(scope):
                known.defined[scope] = {}
                if scope.owner is not None and len(scope.owner.sites) == 1:
                    known._of_binding[scope.owner] = scope
        for scope in known.defined:
            known._bases[scope] = list(known._base_classes(scope))
        known._note_definitions()
        return known

    def _note_definitions(self) -> None:
        for scope, defined in self.defined.items():
            if not self.script:
                for binding in scope.names.values():
                    defined.setdefault(binding.name, []).append(binding)
        for member in self.names.members:
            if member.form == "define" and member.scope in self.defined:
                self.defined[member.scope].setdefault(member.name, []).append(member)
            elif member.form == "access" and is_written(member.node.parent()):
                owner = self.instance(member.owner, member.scope)
                if isinstance(owner, Scope):
                    self.defined[owner].setdefault(member.name, []).append(member)

    def owner(self, scope: Scope, name: str, depth: int = 0) -> Scope | None:
        """The class that defines *name* for instances of *scope*: itself or a base of the file."""
        if name in self.defined.get(scope, ()):
            return scope
        if depth < 20:
            for base in self._bases.get(scope, ()):
                found = self.owner(base, name, depth + 1)
                if found is not None:
                    return found
        return None

    def related(self, scope: Scope, name: str) -> list[Scope]:
        """Other classes of the same family that define *name* as well."""
        return [
            other
            for other, defined in self.defined.items()
            if other is not scope
            and name in defined
            and (self._descends(other, scope) or self._descends(scope, other))
        ]

    def _descends(self, scope: Scope, ancestor: Scope, depth: int = 0) -> bool:
        bases = self._bases.get(scope, ())
        return depth < 20 and any(
            base is ancestor or self._descends(base, ancestor, depth + 1) for base in bases
        )

    def _base_classes(self, scope: Scope) -> Iterator[Scope]:
        if self.script:
            heritage = scope.node.find(kind="class_heritage")
            words = heritage.find_all(kind="identifier") if heritage is not None else []
        else:
            named = scope.node.field("superclasses")
            bases = named.children() if named is not None else []
            # `Base[T]` derives from Base.
            words = [base.field("value") or base for base in bases]
        for word in words:
            spot = self.names.at(word)
            if spot is not None and spot.binding in self._of_binding:
                yield self._of_binding[spot.binding]

    def class_of(self, binding: Binding | None) -> Scope | None:
        """The class that a name means, when it can mean nothing else."""
        return self._of_binding.get(binding) if binding is not None else None

    def instance(self, node: Node | None, scope: Scope) -> Verdict:
        """The class a value before a dot is of."""
        if node is None:
            return "unknown"
        kind = node.kind()
        if kind == "this":
            return self._this(node, scope)
        if kind in LITERALS:
            return "other"
        if kind == "identifier":
            return self._named(node)
        if kind in ("call", "new_expression"):
            made = node.field("function") or node.field("constructor")
            return self._made(made)
        if kind == "member_expression" and node.field("property").text() == "prototype":
            return self._made(node.field("object"))
        return "unknown"

    def is_static(self, member: Member) -> bool:
        """Whether a script's member is of the class itself, not of what it makes."""
        if member.form == "define":
            return _is_static(member.node.parent())
        if member.owner is None or member.owner.kind() != "this":
            spot = self.names.at(member.owner) if member.owner is not None else None
            return self.class_of(spot.binding if spot is not None else None) is not None
        around = member.owner.parent()
        while around is not None and around.kind() != "class_body":
            if around.parent().kind() == "class_body":
                return _is_static(around)
            around = around.parent()
        return False

    def _made(self, made: Node | None) -> Verdict:
        """What a call of a class makes."""
        spot = self.names.at(made) if made is not None and made.kind() == "identifier" else None
        return self.class_of(spot.binding if spot else None) or "unknown"

    def _named(self, node: Node) -> Verdict:
        spot = self.names.at(node)
        binding = spot.binding if spot is not None else None
        if binding is None or binding.roles <= {"import", "dotted import"}:
            return "other"
        found = self.class_of(binding)
        if found is not None:
            return found
        if len(binding.sites) != 1:
            return "unknown"
        site = binding.sites[0]
        if "parameter" in binding.roles and not self.script:
            return self.first_parameter(binding)
        parent = site.node.parent()
        if parent.kind() in ("assignment", "variable_declarator"):
            value = parent.field("right") or parent.field("value")
            simple = parent.field("type") is None and value is not None
            if simple and value.kind() in ("call", "new_expression"):
                return self._made(value.field("function") or value.field("constructor"))
        return "unknown"

    def first_parameter(self, binding: Binding) -> Verdict:
        """`self` or `cls` of a method."""
        scope = binding.scope
        outer = scope.parent
        if outer is None or outer not in self.defined:
            return "unknown"
        parameters = scope.node.field("parameters")
        first = next((c for c in parameters.children() if c.is_named()), None)
        site = binding.sites[0]
        if first is None or first.range().start.index != site.start:
            return "unknown"
        if first.kind() != "identifier" or _decorators(scope.node) & _NO_INSTANCE:
            return "unknown"
        return outer

    def _this(self, node: Node, scope: Scope) -> Verdict:
        """`this` within a method or field of a class, arrow functions passed through."""
        around = node.parent()
        while around is not None:
            kind = around.kind()
            if kind in _OWN_THIS and around.parent().kind() != "class_body":
                return "unknown"
            if kind in ("method_definition", "public_field_definition", "field_definition"):
                holder = scope
                while holder.parent is not None and holder not in self.defined:
                    holder = holder.parent
                return holder if holder in self.defined else "unknown"
            around = around.parent()
        return "unknown"


def _is_class(scope: Scope) -> bool:
    return scope.node.kind() in (
        *("class_definition", "class_declaration", "abstract_class_declaration", "class"),
    )


def _is_static(node: Node) -> bool:
    return any(child.kind() == "static" for child in node.children())


def is_written(access: Node) -> bool:
    """Whether an access is what an assignment writes to."""
    parent = access.parent()
    if parent is None or parent.kind() not in ("assignment", "assignment_expression"):
        return False
    left = parent.field("left")
    return left is not None and bool(left.range().start.index == access.range().start.index)


def _decorators(node: Node) -> set[str]:
    parent = node.parent()
    if parent is None or parent.kind() != "decorated_definition":
        return set()
    found = (child for child in parent.children() if child.kind() == "decorator")
    return {child.text().lstrip("@").strip().split("(")[0] for child in found}
