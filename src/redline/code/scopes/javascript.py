"""Read the scopes of JavaScript and TypeScript: functions, blocks, classes and types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from redline.code.scopes.model import (
    ANY,
    TYPE,
    VALUE,
    BindingRole,
    MemberUse,
    Names,
    Scope,
    ScopeKind,
    TreeReader,
)
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
    start_of,
)

_NAMED_TYPES = {
    "interface_declaration": TYPE,
    "type_alias_declaration": TYPE,
    "class_declaration": ANY,
    "abstract_class_declaration": ANY,
}


_FUNCTIONS = frozenset(
    """
    function_declaration generator_function_declaration function_expression generator_function
    arrow_function method_definition function_signature method_signature abstract_method_signature
    call_signature construct_signature function_type constructor_type
    """.split()
)
_DECLARED = {
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
}
_VAR_SCOPES = (ScopeKind.MODULE, ScopeKind.FUNCTION)
_BLOCKS = {"statement_block", "for_statement", "switch_body"}
_MEMBERS = {"property_identifier", "private_property_identifier"}
_Visit: TypeAlias = Callable[["_Reader", SyntaxNode, Scope], None]


def script_names(root: SyntaxNode, offsets: Sequence[int] | None = None) -> Names:
    """Return every name of a script with its binding; see `read_names`."""
    module = Scope(ScopeKind.MODULE, None, root)
    names = Names(module, scopes=[module])
    _Reader(names, offsets).visit_all(root, module)
    return names.settle(through_classes=True)


class _Reader(TreeReader):
    """Walks the tree once."""

    def visit(self, node: SyntaxNode, scope: Scope) -> None:
        kind = node.kind()
        known = _VISITS.get(kind)
        if known is not None and (node.is_leaf() == (kind in _LEAVES)):
            known(self, node, scope)
        elif kind in _FUNCTIONS and not node.is_leaf():
            self.function(node, scope)
        elif kind in _BLOCKS and not node.is_leaf():
            self.visit_all(node, self.names.open(ScopeKind.BLOCK, scope, node))
        elif not node.is_leaf() and self.is_worth(node):
            self.visit_all(node, scope)

    # Words

    def value(self, node: SyntaxNode, scope: Scope) -> None:
        self.names.refer(node, scope, VALUE)

    def type_name(self, node: SyntaxNode, scope: Scope) -> None:
        self.names.refer(node, scope, TYPE)

    def property(self, node: SyntaxNode, scope: Scope) -> None:
        parent = parent_of(node)
        if parent.kind() in ("member_expression", "nested_identifier"):
            self.names.member(node, scope, MemberUse.ACCESS, parent.field("object"))
        elif parent.kind() in _DEFINING and parent_of(parent).kind() == "class_body":
            self.names.member(node, scope, MemberUse.DEFINE)
        else:
            self.names.member(node, scope, MemberUse.KEY)

    def shorthand(self, node: SyntaxNode, scope: Scope) -> None:
        """Read `{ name }`, which is a value and a key at once."""
        self.names.refer(node, scope, VALUE)
        self.names.member(node, scope, MemberUse.KEY)

    def element_name(self, node: SyntaxNode, scope: Scope) -> None:
        """Read a JSX tag; lower-case names are HTML elements and not names of the file."""
        name = node.field("name")
        for child in node.children():
            is_tag = begins_at(name, child)
            if not (is_tag and child.kind() == "identifier" and child.text()[:1].islower()):
                self.visit(child, scope)

    # Bindings

    def pattern(self, node: SyntaxNode | None, scope: Scope, outer: Scope, role: str) -> None:
        """Bind the names of a pattern in *scope*; its defaults are read in *outer*."""
        if node is None:
            return
        kind = node.kind()
        if kind == "identifier":
            self.names.bind(node, scope, role)
        elif kind == "shorthand_property_identifier_pattern":
            self.names.bind(node, scope, role)
            self.names.member(node, scope, MemberUse.KEY)
        elif kind == "pair_pattern":
            self.field(node, "key", outer)
            self.pattern(node.field("value"), scope, outer, role)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            self.pattern(node.field("left"), scope, outer, role)
            self.field(node, "right", outer)
        elif kind in ("object_pattern", "array_pattern", "rest_pattern"):
            for child in node.children():
                self.pattern(child, scope, outer, role)

    def declaration(self, node: SyntaxNode, scope: Scope) -> None:
        home = scope
        if node.kind() == "variable_declaration":
            home = next(s for s in scope.outward() if s.kind in _VAR_SCOPES)
        for child in node.children():
            if child.kind() == "variable_declarator":
                self.pattern(child.field("name"), home, scope, BindingRole.VARIABLE)
                self.field(child, "type", scope)
                self.field(child, "value", scope)
            else:
                self.visit(child, scope)

    def loop_over(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.names.open(ScopeKind.BLOCK, scope, node)
        word, left = node.field("kind"), node.field("left")
        if word is None:
            self.field(node, "left", inner)
        else:
            home = inner
            if word.text() == "var":
                home = next(s for s in scope.outward() if s.kind in _VAR_SCOPES)
            self.pattern(left, home, inner, BindingRole.VARIABLE)
        self.field(node, "right", scope)
        self.field(node, "body", inner)

    def catch(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.names.open(ScopeKind.BLOCK, scope, node)
        self.pattern(node.field("parameter"), inner, inner, BindingRole.VARIABLE)
        body = node.field("body")
        if body is not None:
            self.visit_all(body, inner)

    def function(self, node: SyntaxNode, scope: Scope) -> None:
        name = node.field("name")
        own = name.text() if name is not None else ""
        is_plain = own != "constructor" and node.field("type_parameters") is None
        if is_plain and not self.matters(node):
            self.skip_function(node, name, scope)
            return
        # Type parameters are not values: a value of the same name is a different binding.
        types = self.names.open(ScopeKind.PART, scope, node)
        inner = self.names.open(ScopeKind.FUNCTION, types, node, own)
        if name is not None and node.kind() in _DECLARED:
            inner.owner = self.names.bind(name, scope, BindingRole.FUNCTION)
        elif name is not None and name.kind() == "identifier":
            # A variable of the function shadows the name of a function expression.
            self.names.bind(name, types, BindingRole.FUNCTION)
        elif name is not None:
            self.visit(name, scope)
        self.type_parameters(node, types)
        self.pattern(node.field("parameter"), inner, inner, BindingRole.PARAMETER)
        self.parameters(node.field("parameters"), inner)
        self.rest_of(node, inner)

    def skip_function(self, node: SyntaxNode, name: SyntaxNode | None, scope: Scope) -> None:
        """Read only the name and return type of a function without words that matter."""
        if node.kind() in _DECLARED and name is not None:
            self.names.bind(name, scope, BindingRole.FUNCTION)
        elif name is not None and name.kind() in (*_MEMBERS, "string"):
            self.visit(name, scope)
        self.field(node, "return_type", scope)

    def rest_of(self, node: SyntaxNode, inner: Scope) -> None:
        """Read the types and the body of a function."""
        known = ("name", "parameter", "parameters", "type_parameters")
        found = (node.field(part) for part in known)
        done = {start_of(part) for part in found if part is not None}
        for child in node.children():
            if start_of(child) in done:
                continue
            if child.kind() == "statement_block":
                self.visit_all(child, inner)
            else:
                self.visit(child, inner)

    def parameters(self, node: SyntaxNode | None, scope: Scope) -> None:
        for child in node.children() if node is not None else ():
            if child.kind() in ("required_parameter", "optional_parameter"):
                self.parameter(child, scope)
            elif child.kind() == "decorator":
                self.visit(child, scope)
            else:
                self.pattern(child, scope, scope, BindingRole.PARAMETER)

    def parameter(self, node: SyntaxNode, scope: Scope) -> None:
        kinds = {child.kind() for child in node.children()}
        # `constructor(private size)` declares a field of the same name.
        is_field = bool(kinds & {"accessibility_modifier", "override_modifier", "readonly"})
        role = BindingRole.FIELD if is_field else BindingRole.PARAMETER
        self.pattern(node.field("pattern"), scope, scope, role)
        for child in node.children():
            if child.kind() == "decorator":
                self.visit(child, scope)
        for field in ("type", "value"):
            self.field(node, field, scope)

    # Modules

    def import_clause(self, node: SyntaxNode, scope: Scope) -> None:
        for child in node.children():
            if child.kind() == "identifier":
                self.names.bind(child, scope, BindingRole.IMPORT, ANY)
            elif child.kind() == "namespace_import":
                for name in child.find_all(kind="identifier"):
                    self.names.bind(name, scope, BindingRole.IMPORT, ANY)
            elif child.kind() == "named_imports":
                for part in child.children():
                    if part.kind() == "import_specifier":
                        bound = part.field("alias") or required_field(part, "name")
                        self.names.bind(bound, scope, BindingRole.IMPORT, ANY)

    def import_named(self, node: SyntaxNode, scope: Scope) -> None:
        """Read `import A = B.C` or `import a = require("m")`."""
        words = named_children(node)
        self.names.bind(words[0], scope, BindingRole.IMPORT, ANY)
        for child in words[1:]:
            self.visit(child, scope)

    def export(self, node: SyntaxNode, scope: Scope) -> None:
        if node.field("source") is not None:
            return
        for child in node.children():
            if child.kind() == "identifier":  # `export default name`
                self.names.refer(child, scope, ANY)
            else:
                self.visit(child, scope)

    def export_specifier(self, node: SyntaxNode, scope: Scope) -> None:
        self.names.refer(required_field(node, "name"), scope, ANY)

    # Types

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


_DEFINING = frozenset(
    """
    method_definition public_field_definition field_definition abstract_method_signature
    method_signature
    """.split()
)
_LEAVES = {
    "identifier",
    "type_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    *_MEMBERS,
}
_VISITS: dict[str, _Visit] = {
    "identifier": _Reader.value,
    "type_identifier": _Reader.type_name,
    "property_identifier": _Reader.property,
    "private_property_identifier": _Reader.property,
    "shorthand_property_identifier": _Reader.shorthand,
    "shorthand_property_identifier_pattern": _Reader.shorthand,
    "nested_type_identifier": _Reader.nested_type,
    "jsx_opening_element": _Reader.element_name,
    "jsx_closing_element": _Reader.element_name,
    "jsx_self_closing_element": _Reader.element_name,
    "lexical_declaration": _Reader.declaration,
    "variable_declaration": _Reader.declaration,
    "for_in_statement": _Reader.loop_over,
    "catch_clause": _Reader.catch,
    "class_declaration": _Reader.type_like,
    "abstract_class_declaration": _Reader.type_like,
    "class": _Reader.type_like,
    "interface_declaration": _Reader.type_like,
    "type_alias_declaration": _Reader.type_like,
    "enum_declaration": _Reader.enum,
    "internal_module": _Reader.namespace,
    "module": _Reader.namespace,
    "ambient_declaration": _Reader.ambient,
    "conditional_type": _Reader.conditional,
    "infer_type": _Reader.infer,
    "index_signature": _Reader.index_signature,
    "import_clause": _Reader.import_clause,
    "import_alias": _Reader.import_named,
    "import_require_clause": _Reader.import_named,
    "export_statement": _Reader.export,
    "export_specifier": _Reader.export_specifier,
}
