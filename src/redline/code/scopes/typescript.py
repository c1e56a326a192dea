"""Read the scopes of types: classes, interfaces, enums, namespaces and type parameters."""

from __future__ import annotations

from redline.code.scopes.model import (
    ANY,
    TYPE,
    BindingRole,
    MemberUse,
    Scope,
    ScopeKind,
    TreeReader,
)
from redline.code.syntax.node import SyntaxNode, named_children, required_field

_NAMED_TYPES = {
    "interface_declaration": TYPE,
    "type_alias_declaration": TYPE,
    "class_declaration": ANY,
    "abstract_class_declaration": ANY,
}


class TypeReader(TreeReader):
    """Read the nodes that declare or name types."""

    def nested_type(self, node: SyntaxNode, scope: Scope) -> None:
        for child in node.children():
            if child.kind() == "identifier":
                self.names.refer(child, scope, ANY)
            elif child.kind() == "type_identifier":
                self.names.member(child, scope, MemberUse.ACCESS, node.field("module"))
            else:
                self.visit(child, scope)

    def type_parameters(self, node: SyntaxNode, scope: Scope) -> None:
        found = node.field("type_parameters")
        for part in found.children() if found is not None else ():
            if part.kind() == "type_parameter":
                self.names.bind(required_field(part, "name"), scope, BindingRole.TYPE, TYPE)
                for field in ("constraint", "value"):
                    self.field(part, field, scope)

    def type_like(self, node: SyntaxNode, scope: Scope) -> None:
        """Read a class, interface or type alias, with the scope of its type parameters."""
        name = node.field("name")
        inner = self.names.open(
            ScopeKind.CLASS, scope, node, name.text() if name is not None else ""
        )
        if name is not None and node.kind() in _NAMED_TYPES:
            inner.owner = self.names.bind(name, scope, BindingRole.CLASS, _NAMED_TYPES[node.kind()])
        elif name is not None:
            inner.owner = self.names.bind(name, inner, BindingRole.CLASS, ANY)
        self.type_parameters(node, inner)
        start = name.range().start.index if name is not None else -1
        for child in node.children():
            if child.range().start.index != start and child.kind() != "type_parameters":
                self.visit(child, inner)

    def enum(self, node: SyntaxNode, scope: Scope) -> None:
        bound = self.names.bind(required_field(node, "name"), scope, BindingRole.ENUM, ANY)
        inner = self.names.open(ScopeKind.CLASS, scope, node, bound.name)
        inner.owner = bound
        for child in required_field(node, "body").children():
            name = child.field("name") if child.kind() == "enum_assignment" else child
            if name is not None and name.kind() == "property_identifier":
                self.names.bind(name, inner, BindingRole.ENUM_MEMBER)
            self.field(child, "value", inner)

    def namespace(self, node: SyntaxNode, scope: Scope) -> None:
        name, body = node.field("name"), node.field("body")
        owner = None
        if name is not None and name.kind() == "identifier":
            owner = self.names.bind(name, scope, BindingRole.NAMESPACE, ANY)
        elif name is not None and name.kind() == "nested_identifier":
            first = name.find(kind="identifier")
            if first is not None:
                self.names.bind(first, scope, BindingRole.NAMESPACE, ANY)
        inner = self.names.open(
            ScopeKind.FUNCTION, scope, node, name.text() if name is not None else ""
        )
        inner.shared = True
        inner.owner = owner
        if body is not None:
            self.visit_all(body, inner)

    def ambient(self, node: SyntaxNode, scope: Scope) -> None:
        """Read `declare global { ... }` or another ambient declaration."""
        for child in node.children():
            if child.kind() == "statement_block":
                inner = self.names.open(ScopeKind.FUNCTION, scope, node)
                inner.shared = True
                self.visit_all(child, inner)
            else:
                self.visit(child, scope)

    def conditional(self, node: SyntaxNode, scope: Scope) -> None:
        self.visit_all(node, self.names.open(ScopeKind.PART, scope, node))

    def infer(self, node: SyntaxNode, scope: Scope) -> None:
        home = next((s for s in scope.outward() if s.node.kind() == "conditional_type"), scope)
        for nth, child in enumerate(named_children(node)):
            if nth == 0 and child.kind() == "type_identifier":
                self.names.bind(child, home, BindingRole.TYPE, TYPE)
            else:
                self.visit(child, scope)

    def index_signature(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.names.open(ScopeKind.PART, scope, node)
        for child in node.children():
            if child.kind() == "mapped_type_clause":
                self.names.bind(required_field(child, "name"), inner, BindingRole.TYPE, TYPE)
                for part in ("type", "alias"):
                    self.field(child, part, inner)
            elif child.kind() == "identifier":
                self.names.bind(child, inner, BindingRole.PARAMETER)
            else:
                self.visit(child, inner)
