"""Read the items of a Rust file: what modules, types, traits and `impl`s declare."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from redline.code.rust.scopes.names import Impl, LocalOrigin, MemberForm, Role, RustLocal
from redline.code.rust.scopes.uses import UseReader
from redline.code.scopes.model import ANY, TYPE, VALUE, Binding, Scope
from redline.code.syntax.node import SyntaxNode, required_field

_Visit: TypeAlias = Callable[["ItemReader", SyntaxNode, Scope], None]


class ItemReader(UseReader):
    """Reads declarations; `BodyReader` adds bodies."""

    def visit(self, node: SyntaxNode, scope: Scope) -> None:
        known = _ITEMS.get(node.kind())
        if known is not None:
            known(self, node, scope)
        elif not node.is_leaf():
            self.visit_all(node, scope)

    def read_type(self, node: SyntaxNode | None, scope: Scope) -> None:
        """Note the names in a type; without a wanted name it is read only when needed."""
        if node is not None and self.matters(node):
            self.visit(node, scope)

    @abstractmethod
    def pattern(self, node: SyntaxNode, scope: Scope, local: RustLocal) -> None:
        """Bind the names of a pattern."""

    def module(self, node: SyntaxNode, scope: Scope) -> None:
        name, body = required_field(node, "name"), node.field("body")
        binding = self.names.bind(name, scope, Role.MODULE, TYPE)
        if body is None:
            return
        # A build has only one of several modules of one name; they share a scope.
        inner = self.names.bodies.get(binding)
        if inner is None:
            inner = Scope("module", None, node, name.text())
            self.names.scopes.append(inner)
            self.names.bodies[binding] = inner
            self.names.supers[inner] = self.names.module(scope)
        self.visit_all(body, inner)

    def function(self, node: SyntaxNode, scope: Scope) -> None:
        name = required_field(node, "name")
        binding = self.names.bind(name, scope, Role.FUNCTION, VALUE)
        inner = self.names.open("function", scope, node, name.text())
        inner.owner = binding
        self.names.functions[name.range().start.index] = inner
        self.parameters_of_types(node, inner)
        if not self.matters(node):
            return
        for part in required_field(node, "parameters").children():
            self.parameter(part, inner)
        self.field(node, "return_type", inner)
        self.bounds(node, inner)
        self.field(node, "body", inner)

    def parameter(self, node: SyntaxNode, inner: Scope) -> None:
        if node.kind() != "parameter":
            if node.kind() not in ("self_parameter", "identifier"):
                self.visit(node, inner)
            return
        written, pattern = node.field("type"), node.field("pattern")
        if written is not None:
            self.visit(written, inner)
        if pattern is not None:
            self.pattern(pattern, inner, RustLocal(LocalOrigin.TYPE, pattern, inner, type=written))

    def parameters_of_types(self, node: SyntaxNode, inner: Scope) -> None:
        """Bind the type parameters of a declaration."""
        given = node.field("type_parameters")
        for part in given.children() if given is not None else ():
            if part.kind() in ("type_parameter", "const_parameter"):
                is_type = part.kind() == "type_parameter"
                name = required_field(part, "name")
                role = Role.TYPE_PARAMETER if is_type else Role.CONSTANT
                self.names.bind(name, inner, role, TYPE if is_type else VALUE)
                for child in part.children():
                    if child.range().start.index != name.range().start.index:
                        self.read_type(child, inner)
            elif part.kind() == "constrained_type_parameter":
                self.constrained_parameter(part, inner)

    def constrained_parameter(self, node: SyntaxNode, inner: Scope) -> None:
        left = node.field("left")
        if left is not None and left.kind() == "type_identifier":
            self.names.bind(left, inner, Role.TYPE_PARAMETER, TYPE)
        self.read_type(node.field("bounds"), inner)

    def bounds(self, node: SyntaxNode, scope: Scope) -> None:
        """Read the `where` clause."""
        for child in node.children():
            if child.kind() == "where_clause":
                self.read_type(child, scope)

    def part(self, node: SyntaxNode, scope: Scope) -> Scope:
        """Open the scope of a declaration's type parameters."""
        inner = self.names.open("part", scope, node)
        self.parameters_of_types(node, inner)
        self.bounds(node, inner)
        return inner

    def body(self, binding: Binding, outer: Scope, node: SyntaxNode) -> Scope:
        """Open the scope of the members of a type or trait."""
        # A build has only one of several types of one name; they share a scope.
        if binding not in self.names.bodies:
            inner = self.names.open("class", outer, node, binding.name)
            inner.owner = binding
            self.names.bodies[binding] = inner
        return self.names.bodies[binding]

    def struct(self, node: SyntaxNode, scope: Scope) -> None:
        fields = node.field("body")
        is_value = fields is None or fields.kind() == "ordered_field_declaration_list"
        name = required_field(node, "name")
        binding = self.names.bind(name, scope, Role.TYPE, ANY if is_value else TYPE)
        outer = self.part(node, scope)
        inner = self.body(binding, outer, node)
        if fields is not None:
            self.fields(fields, inner, outer)

    def fields(self, node: SyntaxNode, inner: Scope, outer: Scope) -> None:
        for child in node.children():
            if child.kind() == "field_declaration":
                self.names.bind(required_field(child, "name"), inner, Role.FIELD, VALUE)
                self.read_type(child.field("type"), outer)
            else:
                self.read_type(child, outer)

    def enum(self, node: SyntaxNode, scope: Scope) -> None:
        binding = self.names.bind(required_field(node, "name"), scope, Role.TYPE, TYPE)
        outer = self.part(node, scope)
        inner = self.body(binding, outer, node)
        for child in required_field(node, "body").children():
            if child.kind() == "enum_variant":
                self.variant(child, inner, outer)
            else:
                self.read_type(child, outer)

    def variant(self, node: SyntaxNode, inner: Scope, outer: Scope) -> None:
        binding = self.names.bind(required_field(node, "name"), inner, Role.VARIANT, ANY)
        own = self.body(binding, outer, node)
        fields = node.field("body")
        if fields is not None:
            self.fields(fields, own, outer)
        self.read_type(node.field("value"), outer)

    def trait(self, node: SyntaxNode, scope: Scope) -> None:
        binding = self.names.bind(required_field(node, "name"), scope, Role.TRAIT, TYPE)
        outer = self.part(node, scope)
        self.read_type(node.field("bounds"), outer)
        inner = self.body(binding, outer, node)
        self.visit_all(required_field(node, "body"), inner)

    def impl(self, node: SyntaxNode, scope: Scope) -> None:
        outer = self.part(node, scope)
        inner = self.names.open("class", outer, node)
        of, trait = required_field(node, "type"), node.field("trait")
        self.names.impls.append(Impl(inner, outer, of, trait))
        self.read_type(trait, outer)
        self.read_type(of, outer)
        body = node.field("body")
        if body is not None:
            self.visit_all(body, inner)

    def type_(self, node: SyntaxNode, scope: Scope) -> None:
        role = Role.ALIAS if node.kind() == "type_item" else Role.ASSOCIATED
        self.names.bind(required_field(node, "name"), scope, role, TYPE)
        outer = self.part(node, _around(scope))
        self.read_type(node.field("type"), outer)
        self.read_type(node.field("bounds"), outer)

    def constant(self, node: SyntaxNode, scope: Scope) -> None:
        name = node.field("name")
        if name is not None and name.text() != "_":
            self.names.bind(name, scope, Role.CONSTANT, VALUE)
        self.read_type(node.field("type"), _around(scope))
        if self.matters(node):
            self.field(node, "value", self.names.open("function", scope, node))

    def macro_definition(self, node: SyntaxNode, scope: Scope) -> None:
        """Bind a macro's name; what its body refers to depends on where it is used."""
        self.names.bind_macro(required_field(node, "name"), scope)

    def attribute(self, node: SyntaxNode, scope: Scope) -> None:
        """Note words of attributes, which only the compiler interprets."""
        if self.matters(node):
            for word in node.find_all(kind="identifier"):
                self.names.member(word, scope, MemberForm.ATTRIBUTE)


def _around(scope: Scope) -> Scope:
    return scope.parent if scope.kind == "class" and scope.parent is not None else scope


_ITEMS: dict[str, _Visit] = {
    "mod_item": ItemReader.module,
    "function_item": ItemReader.function,
    "function_signature_item": ItemReader.function,
    "struct_item": ItemReader.struct,
    "union_item": ItemReader.struct,
    "enum_item": ItemReader.enum,
    "trait_item": ItemReader.trait,
    "impl_item": ItemReader.impl,
    "type_item": ItemReader.type_,
    "associated_type": ItemReader.type_,
    "const_item": ItemReader.constant,
    "static_item": ItemReader.constant,
    "macro_definition": ItemReader.macro_definition,
    "attribute_item": ItemReader.attribute,
    "inner_attribute_item": ItemReader.attribute,
    "use_declaration": ItemReader.use,
    "extern_crate_declaration": ItemReader.extern,
    "line_comment": lambda *_: None,
    "block_comment": lambda *_: None,
    "lifetime": lambda *_: None,
    "label": lambda *_: None,
}
