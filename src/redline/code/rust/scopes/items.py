"""The items of a Rust file: what modules, types, traits and `impl`s declare."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from redline.code.rust.scopes.names import Impl, Local
from redline.code.rust.scopes.uses import UseReader
from redline.code.scopes.model import ANY, TYPE, VALUE, Binding, Scope
from redline.code.syntax.node import Node

_Visit: TypeAlias = Callable[["ItemReader", Node, Scope], None]


class ItemReader(UseReader):
    """Walks what is declared; bodies are for the reader of bodies."""

    def visit(self, node: Node, scope: Scope) -> None:
        known = _ITEMS.get(node.kind())
        if known is not None:
            known(self, node, scope)
        elif not node.is_leaf():
            self.visit_all(node, scope)

    def spelled(self, node: Node | None, scope: Scope) -> None:
        """Note the words of a type; one that spells none that is asked for is read when needed."""
        if node is not None and self.matters(node):
            self.visit(node, scope)

    @abstractmethod
    def pattern(self, node: Node, scope: Scope, local: Local) -> None:
        """Bind the names of a pattern."""

    def module(self, node: Node, scope: Scope) -> None:
        name, body = node.field("name"), node.field("body")
        binding = self.names.bind(name, scope, "module", TYPE)
        if body is None:
            return
        inner = Scope("module", None, node, name.text())
        self.names.scopes.append(inner)
        self.names.bodies[binding] = inner
        self.names.supers[inner] = self.names.module(scope)
        self.visit_all(body, inner)

    def function(self, node: Node, scope: Scope) -> None:
        name = node.field("name")
        binding = self.names.bind(name, scope, "function", VALUE)
        inner = self.names.open("function", scope, node, name.text())
        inner.owner = binding
        self.names.functions[name.range().start.index] = inner
        self.parameters_of_types(node, inner)
        if not self.matters(node):
            return
        for part in node.field("parameters").children():
            self.parameter(part, inner)
        self.field(node, "return_type", inner)
        self.bounds(node, inner)
        self.field(node, "body", inner)

    def parameter(self, node: Node, inner: Scope) -> None:
        if node.kind() != "parameter":
            if node.kind() not in ("self_parameter", "identifier"):
                self.visit(node, inner)
            return
        written, pattern = node.field("type"), node.field("pattern")
        if written is not None:
            self.visit(written, inner)
        if pattern is not None:
            self.pattern(pattern, inner, Local("type", pattern, inner, type=written))

    def parameters_of_types(self, node: Node, inner: Scope) -> None:
        """Bind the type parameters of a declaration."""
        given = node.field("type_parameters")
        for part in given.children() if given is not None else ():
            if part.kind() in ("type_parameter", "const_parameter"):
                is_type = part.kind() == "type_parameter"
                name = part.field("name")
                role = "type parameter" if is_type else "constant"
                self.names.bind(name, inner, role, TYPE if is_type else VALUE)
                for child in part.children():
                    if child.range().start.index != name.range().start.index:
                        self.spelled(child, inner)
            elif part.kind() == "constrained_type_parameter":
                self.constrained(part, inner)

    def constrained(self, node: Node, inner: Scope) -> None:
        left = node.field("left")
        if left is not None and left.kind() == "type_identifier":
            self.names.bind(left, inner, "type parameter", TYPE)
        self.spelled(node.field("bounds"), inner)

    def bounds(self, node: Node, scope: Scope) -> None:
        """What a `where` says."""
        for child in node.children():
            if child.kind() == "where_clause":
                self.spelled(child, scope)

    def part(self, node: Node, scope: Scope) -> Scope:
        """The scope of a declaration's type parameters."""
        inner = self.names.open("part", scope, node)
        self.parameters_of_types(node, inner)
        self.bounds(node, inner)
        return inner

    def body(self, binding: Binding, outer: Scope, node: Node) -> Scope:
        """The scope of what a type or trait has."""
        inner = self.names.open("class", outer, node, binding.name)
        inner.owner = binding
        self.names.bodies.setdefault(binding, inner)
        return inner

    def struct(self, node: Node, scope: Scope) -> None:
        fields = node.field("body")
        is_value = fields is None or fields.kind() == "ordered_field_declaration_list"
        name = node.field("name")
        binding = self.names.bind(name, scope, "type", ANY if is_value else TYPE)
        outer = self.part(node, scope)
        inner = self.body(binding, outer, node)
        if fields is not None:
            self.fields(fields, inner, outer)

    def fields(self, node: Node, inner: Scope, outer: Scope) -> None:
        for child in node.children():
            if child.kind() == "field_declaration":
                self.names.bind(child.field("name"), inner, "field", VALUE)
                self.spelled(child.field("type"), outer)
            else:
                self.spelled(child, outer)

    def enum(self, node: Node, scope: Scope) -> None:
        binding = self.names.bind(node.field("name"), scope, "type", TYPE)
        outer = self.part(node, scope)
        inner = self.body(binding, outer, node)
        for child in node.field("body").children():
            if child.kind() == "enum_variant":
                self.variant(child, inner, outer)
            else:
                self.spelled(child, outer)

    def variant(self, node: Node, inner: Scope, outer: Scope) -> None:
        binding = self.names.bind(node.field("name"), inner, "variant", ANY)
        own = self.body(binding, outer, node)
        fields = node.field("body")
        if fields is not None:
            self.fields(fields, own, outer)
        self.spelled(node.field("value"), outer)

    def trait(self, node: Node, scope: Scope) -> None:
        binding = self.names.bind(node.field("name"), scope, "trait", TYPE)
        outer = self.part(node, scope)
        self.spelled(node.field("bounds"), outer)
        inner = self.body(binding, outer, node)
        self.visit_all(node.field("body"), inner)

    def impl(self, node: Node, scope: Scope) -> None:
        outer = self.part(node, scope)
        inner = self.names.open("class", outer, node)
        of, trait = node.field("type"), node.field("trait")
        self.names.impls.append(Impl(inner, outer, of, trait))
        self.spelled(trait, outer)
        self.spelled(of, outer)
        body = node.field("body")
        if body is not None:
            self.visit_all(body, inner)

    def type_(self, node: Node, scope: Scope) -> None:
        role = "alias" if node.kind() == "type_item" else "associated"
        self.names.bind(node.field("name"), scope, role, TYPE)
        outer = self.part(node, _around(scope))
        self.spelled(node.field("type"), outer)
        self.spelled(node.field("bounds"), outer)

    def constant(self, node: Node, scope: Scope) -> None:
        name = node.field("name")
        if name is not None and name.text() != "_":
            self.names.bind(name, scope, "constant", VALUE)
        self.spelled(node.field("type"), _around(scope))
        if self.matters(node):
            self.field(node, "value", self.names.open("function", scope, node))

    def macro_definition(self, node: Node, _: Scope) -> None:
        """A macro's own words mean what they do where it is used: they are left open."""
        self.names.bind(node.field("name"), self.names.macros, "macro", VALUE)

    def attribute(self, node: Node, scope: Scope) -> None:
        """Words of attributes are for the compiler."""
        if self.matters(node):
            for word in node.find_all(kind="identifier"):
                self.names.member(word, scope, "attribute")


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
