"""Read the scopes of Python: modules, functions, classes and comprehensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from redline.code.scopes.model import BindingRole, MemberUse, Names, Scope, ScopeKind, TreeReader
from redline.code.syntax.node import SyntaxNode, parent_of, required_field

_COMPREHENSIONS = frozenset(
    """
    list_comprehension set_comprehension dictionary_comprehension generator_expression
    """.split()
)
_TARGETS = frozenset(
    """
    pattern_list tuple_pattern list_pattern list_splat_pattern tuple list as_pattern_target
    parenthesized_expression list_splat expression_list
    """.split()
)
_Visit: TypeAlias = Callable[["_Reader", SyntaxNode, Scope], None]


def python_names(root: SyntaxNode, offsets: Sequence[int] | None = None) -> Names:
    """Return every name of a Python module with its binding; see `read_names`."""
    module = Scope(ScopeKind.MODULE, None, root)
    names = Names(module, scopes=[module])
    reader = _Reader(names, offsets)
    reader.visit_all(root, module)
    for bind in reader.redirected:
        bind()
    return names.settle(through_classes=False)


class _Reader(TreeReader):
    """Walks the tree once."""

    def __init__(self, names: Names, offsets: Sequence[int] | None = None) -> None:
        super().__init__(names, offsets)
        # Bindings redirected by `global` and `nonlocal`: made once all scopes are known.
        self.redirected: list[Callable[[], None]] = []

    def visit(self, node: SyntaxNode, scope: Scope) -> None:
        kind = node.kind()
        known = _VISITS.get(kind)
        if known is not None and (kind == "identifier" or not node.is_leaf()):
            known(self, node, scope)
        elif kind in _COMPREHENSIONS:
            self.comprehension(node, scope)
        elif not node.is_leaf() and self.is_worth(node):
            self.visit_all(node, scope)

    def identifier(self, node: SyntaxNode, scope: Scope) -> None:
        self.names.refer(node, scope)

    def bind(self, node: SyntaxNode, scope: Scope, role: str) -> None:
        word = scope.redirected.get(node.text())
        if word is None:
            self.names.bind(node, scope, role)
        else:
            self.redirected.append(lambda: self._bind_elsewhere(node, scope, word, role))

    def _bind_elsewhere(self, node: SyntaxNode, scope: Scope, word: str, role: str) -> None:
        above = list(scope.outward())[1:]
        name = node.text()
        target = above[-1]
        if word == "nonlocal":
            homes = [s for s in above if s.kind == ScopeKind.FUNCTION and name in s.names]
            target = homes[0] if homes else target
        self.names.bind(node, target, role)

    def target(
        self, node: SyntaxNode | None, scope: Scope, role: str = BindingRole.VARIABLE
    ) -> None:
        """Bind the names that an assignment, loop or `as` sets."""
        if node is None:
            return
        if node.kind() == "identifier":
            self.bind(node, scope, role)
        elif node.kind() in _TARGETS:
            for child in node.children():
                self.target(child, scope, role)
        else:
            self.visit(node, scope)

    def function(self, node: SyntaxNode, scope: Scope) -> None:
        name = required_field(node, "name")
        self.bind(name, scope, BindingRole.FUNCTION)
        # The assignments of a constructor determine the types of members elsewhere.
        is_plain = name.text() != "__init__" and node.field("type_parameters") is None
        if is_plain and not self.matters(node):
            self.field(node, "return_type", scope)
            return
        outer = self.type_scope(node, scope)
        inner = self.names.open(ScopeKind.FUNCTION, outer, node, name.text())
        inner.owner = scope.names.get(name.text())
        self.parameters(required_field(node, "parameters"), inner, outer)
        self.field(node, "return_type", outer)
        self.field(node, "body", inner)

    def type_scope(self, node: SyntaxNode, scope: Scope) -> Scope:
        """Return the scope of a definition's type parameters, or *scope* if it has none."""
        parameters = node.field("type_parameters")
        if parameters is None:
            return scope
        inner = self.names.open(ScopeKind.PART, scope, node)
        for part in parameters.children():
            if part.kind() == "type":
                self.type_parameter(part, inner)
        return inner

    def type_parameter(self, node: SyntaxNode, scope: Scope) -> None:
        for nth, child in enumerate(node.find_all(kind="identifier")):
            if nth == 0:
                self.bind(child, scope, BindingRole.TYPE)
            else:
                self.identifier(child, scope)

    def lambda_(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.names.open(ScopeKind.FUNCTION, scope, node)
        parameters = node.field("parameters")
        if parameters is not None:
            self.parameters(parameters, inner, scope)
        self.field(node, "body", inner)

    def parameters(self, node: SyntaxNode, inner: Scope, outer: Scope) -> None:
        for child in node.children():
            kind = child.kind()
            if kind in ("identifier", "list_splat_pattern", "dictionary_splat_pattern"):
                self.parameter(child, inner)
            elif kind == "typed_parameter":
                self.parameter(child.children()[0], inner)
                self.field(child, "type", outer)
            elif kind in ("default_parameter", "typed_default_parameter"):
                self.target(child.field("name"), inner, BindingRole.PARAMETER)
                self.field(child, "type", outer)
                self.field(child, "value", outer)
            elif kind == "tuple_pattern":
                self.target(child, inner, BindingRole.PARAMETER)

    def parameter(self, node: SyntaxNode, scope: Scope) -> None:
        found = node if node.kind() == "identifier" else node.find(kind="identifier")
        if found is not None:
            self.bind(found, scope, BindingRole.PARAMETER)

    def class_(self, node: SyntaxNode, scope: Scope) -> None:
        name = required_field(node, "name")
        self.bind(name, scope, BindingRole.CLASS)
        outer = self.type_scope(node, scope)
        self.field(node, "superclasses", outer)
        inner = self.names.open(ScopeKind.CLASS, outer, node, name.text())
        inner.owner = scope.names.get(name.text())
        self.field(node, "body", inner)

    def comprehension(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.names.open(ScopeKind.PART, scope, node)
        first = True
        for child in node.children():
            if child.kind() == "for_in_clause":
                self.target(child.field("left"), inner)
                for right in child.field_children("right"):
                    self.visit(right, scope if first else inner)
                first = False
            else:
                self.visit(child, inner)

    def assignment(self, node: SyntaxNode, scope: Scope) -> None:
        self.target(node.field("left"), scope)
        self.field(node, "type", scope)
        self.field(node, "right", scope)

    def walrus(self, node: SyntaxNode, scope: Scope) -> None:
        home = next(
            s for s in scope.outward() if s.kind != ScopeKind.PART or not _is_comprehension(s)
        )
        self.target(node.field("name"), home)
        self.field(node, "value", scope)

    def loop(self, node: SyntaxNode, scope: Scope) -> None:
        self.target(node.field("left"), scope)
        for part in ("right", "body", "alternative"):
            self.field(node, part, scope)

    def as_pattern(self, node: SyntaxNode, scope: Scope) -> None:
        children = node.children()
        in_case = children[0].kind() == "case_pattern"
        for child in children:
            if child.kind() == "as_pattern_target" or (in_case and child.kind() == "identifier"):
                self.target(child, scope)
            else:
                self.visit(child, scope)

    def import_(self, node: SyntaxNode, scope: Scope) -> None:
        is_from = node.kind() != "import_statement"
        for name in node.field_children("name"):
            if name.kind() == "aliased_import":
                self.bind(required_field(name, "alias"), scope, BindingRole.IMPORT)
            elif name.is_named():
                words = [c for c in name.children() if c.kind() == "identifier"]
                is_whole = is_from or len(words) == 1
                role = BindingRole.IMPORT if is_whole else BindingRole.DOTTED_IMPORT
                self.bind(words[0], scope, role)

    def redirect(self, node: SyntaxNode, scope: Scope) -> None:
        word = node.children()[0].text()
        for child in node.children():
            if child.kind() == "identifier":
                scope.redirected[child.text()] = word
                self.bind(child, scope, BindingRole.REDIRECTED)

    def attribute(self, node: SyntaxNode, scope: Scope) -> None:
        owner = required_field(node, "object")
        self.visit(owner, scope)
        self.names.member(required_field(node, "attribute"), scope, MemberUse.ACCESS, owner)

    def keyword(self, node: SyntaxNode, scope: Scope) -> None:
        call = parent_of(parent_of(node))
        callee = call.field("function") if call.kind() == "call" else None
        self.names.member(required_field(node, "name"), scope, MemberUse.LABEL, callee)
        self.field(node, "value", scope)

    def case_pattern(self, node: SyntaxNode, scope: Scope) -> None:
        for child in node.children():
            if child.kind() == "dotted_name":
                self.dotted_name(child, scope, captures=True)
            elif child.kind() == "keyword_pattern":
                parts = child.children()
                self.names.member(parts[0], scope, MemberUse.KEY)
                for part in parts[1:]:
                    self.case_part(part, scope)
            else:
                self.case_part(child, scope)

    def case_part(self, node: SyntaxNode, scope: Scope) -> None:
        kind = node.kind()
        if kind == "dotted_name":
            self.dotted_name(node, scope, captures=True)
        elif kind == "splat_pattern":
            self.target(node.find(kind="identifier"), scope)
        elif kind == "class_pattern":
            for child in node.children():
                if child.kind() == "dotted_name":
                    self.dotted_name(child, scope, captures=False)
                else:
                    self.case_part(child, scope)
        elif kind in ("union_pattern", "list_pattern", "tuple_pattern", "dict_pattern"):
            for child in node.children():
                self.case_part(child, scope)
        else:
            self.visit(node, scope)

    def dotted_name(self, node: SyntaxNode, scope: Scope, captures: bool) -> None:
        words = [child for child in node.children() if child.kind() == "identifier"]
        if captures and len(words) == 1:
            if words[0].text() != "_":
                self.bind(words[0], scope, BindingRole.VARIABLE)
            return
        self.identifier(words[0], scope)
        for nth, word in enumerate(words[1:]):
            self.names.member(word, scope, MemberUse.ACCESS, None if nth else words[0])

    def type_alias(self, node: SyntaxNode, scope: Scope) -> None:
        types = [child for child in node.children() if child.kind() == "type" and child.is_named()]
        named = [part for part in types if not part.is_leaf()]
        if not named:
            return
        words = named[0].find_all(kind="identifier")
        inner = self.names.open(ScopeKind.PART, scope, node)
        for nth, word in enumerate(words):
            self.bind(word, inner if nth else scope, BindingRole.TYPE)
        for part in named[1:]:
            self.visit(part, inner)


def _is_comprehension(scope: Scope) -> bool:
    return scope.node.kind() in _COMPREHENSIONS


_VISITS: dict[str, _Visit] = {
    "identifier": _Reader.identifier,
    "function_definition": _Reader.function,
    "lambda": _Reader.lambda_,
    "class_definition": _Reader.class_,
    "assignment": _Reader.assignment,
    "augmented_assignment": _Reader.assignment,
    "named_expression": _Reader.walrus,
    "for_statement": _Reader.loop,
    "as_pattern": _Reader.as_pattern,
    "import_statement": _Reader.import_,
    "import_from_statement": _Reader.import_,
    "future_import_statement": lambda *_: None,
    "global_statement": _Reader.redirect,
    "nonlocal_statement": _Reader.redirect,
    "attribute": _Reader.attribute,
    "keyword_argument": _Reader.keyword,
    "case_pattern": _Reader.case_pattern,
    "type_alias_statement": _Reader.type_alias,
}
