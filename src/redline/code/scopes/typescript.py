"""The scopes that types make: classes, interfaces, enums, namespaces and type parameters."""

from __future__ import annotations

from redline.code.scopes.model import ANY, TYPE, Scope, TreeReader
from redline.code.syntax.node import Node

_NAMED_TYPES = {
    "interface_declaration": TYPE,
    "type_alias_declaration": TYPE,
    "class_declaration": ANY,
    "abstract_class_declaration": ANY,
}


class TypeReader(TreeReader):
    """Reads what declares or names a type."""

    def nested_type(self, node: Node, scope: Scope) -> None:
        for child in node.children():
            if child.kind() == "identifier":
                self.names.refer(child, scope, ANY)
            elif child.kind() == "type_identifier":
                self.names.member(child, scope, "access", node.field("module"))
            else:
                self.visit(child, scope)

    def type_parameters(self, node: Node, scope: Scope) -> None:
        found = node.field("type_parameters")
        for part in found.children() if found is not None else ():
            if part.kind() == "type_parameter":
                self.names.bind(part.field("name"), scope, "type", TYPE)
                for field in ("constraint", "value"):
                    self.field(part, field, scope)

    def type_like(self, node: Node, scope: Scope) -> None:
        """Classes, interfaces and type aliases, with the scope of their type parameters."""
        name = node.field("name")
        inner = self.names.open("class", scope, node, name.text() if name is not None else "")
        if node.kind() in _NAMED_TYPES:
            inner.owner = self.names.bind(name, scope, "class", _NAMED_TYPES[node.kind()])
        elif name is not None:
            inner.owner = self.names.bind(name, inner, "class", ANY)
        self.type_parameters(node, inner)
        start = name.range().start.index if name is not None else -1
        for child in node.children():
            if child.range().start.index != start and child.kind() != "type_parameters":
                self.visit(child, inner)

    def enum(self, node: Node, scope: Scope) -> None:
        bound = self.names.bind(node.field("name"), scope, "enum", ANY)
        inner = self.names.open("class", scope, node, bound.name)
        inner.owner = bound
        for child in node.field("body").children():
            name = child.field("name") if child.kind() == "enum_assignment" else child
            if name is not None and name.kind() == "property_identifier":
                self.names.bind(name, inner, "enum member")
            self.field(child, "value", inner)

    def namespace(self, node: Node, scope: Scope) -> None:
        name, body = node.field("name"), node.field("body")
        owner = None
        if name is not None and name.kind() == "identifier":
            owner = self.names.bind(name, scope, "namespace", ANY)
        elif name is not None and name.kind() == "nested_identifier":
            first = name.find(kind="identifier")
            self.names.bind(first, scope, "namespace", ANY)
        inner = self.names.open("function", scope, node, name.text() if name is not None else "")
        inner.shared = True
        inner.owner = owner
        if body is not None:
            self.visit_all(body, inner)

    def ambient(self, node: Node, scope: Scope) -> None:
        """`declare global { ... }` and plain declarations."""
        for child in node.children():
            if child.kind() == "statement_block":
                inner = self.names.open("function", scope, node)
                inner.shared = True
                self.visit_all(child, inner)
            else:
                self.visit(child, scope)

    def conditional(self, node: Node, scope: Scope) -> None:
        self.visit_all(node, self.names.open("part", scope, node))

    def inferred(self, node: Node, scope: Scope) -> None:
        home = next((s for s in scope.outward() if s.node.kind() == "conditional_type"), scope)
        for nth, child in enumerate(c for c in node.children() if c.is_named()):
            if nth == 0 and child.kind() == "type_identifier":
                self.names.bind(child, home, "type", TYPE)
            else:
                self.visit(child, scope)

    def index_signature(self, node: Node, scope: Scope) -> None:
        inner = self.names.open("part", scope, node)
        for child in node.children():
            if child.kind() == "mapped_type_clause":
                self.names.bind(child.field("name"), inner, "type", TYPE)
                for part in ("type", "alias"):
                    self.field(child, part, inner)
            elif child.kind() == "identifier":
                self.names.bind(child, inner, "parameter")
            else:
                self.visit(child, inner)
