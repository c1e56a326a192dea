"""The scopes of Python: modules, functions, classes and comprehensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from redline.code.scopes.model import Names, Scope, TreeReader
from redline.code.syntax.node import Node

_COMPREHENSIONS = {
    *("list_comprehension", "set_comprehension", "dictionary_comprehension"),
    "generator_expression",
}
_TARGETS = {
    *("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list"),
    *("as_pattern_target", "parenthesized_expression", "list_splat", "expression_list"),
}
_Visit: TypeAlias = Callable[["_Reader", Node, Scope], None]


def python_names(root: Node, spots: Sequence[int] | None = None) -> Names:
    """Every name of a Python module with its binding; with *spots* only what bears on those."""
    module = Scope("module", None, root)
    names = Names(module, scopes=[module])
    reader = _Reader(names, spots)
    reader.visit_all(root, module)
    for moved in reader.moved:
        moved()
    return names.settle(through_classes=False)


class _Reader(TreeReader):
    """Walks the tree once."""

    def __init__(self, names: Names, spots: Sequence[int] | None = None) -> None:
        super().__init__(names, spots)
        # Names moved by `global` and `nonlocal`: bound once all scopes are known.
        self.moved: list[Callable[[], None]] = []

    def visit(self, node: Node, scope: Scope) -> None:
        kind = node.kind()
        known = _VISITS.get(kind)
        if known is not None and (kind == "identifier" or not node.is_leaf()):
            known(self, node, scope)
        elif kind in _COMPREHENSIONS:
            self.comprehension(node, scope)
        elif not node.is_leaf() and self.is_worth(node):
            self.visit_all(node, scope)

    def identifier(self, node: Node, scope: Scope) -> None:
        self.names.refer(node, scope)

    def bind(self, node: Node, scope: Scope, role: str) -> None:
        word = scope.moved.get(node.text())
        if word is None:
            self.names.bind(node, scope, role)
        else:
            self.moved.append(lambda: self._bind_moved(node, scope, word, role))

    def _bind_moved(self, node: Node, scope: Scope, word: str, role: str) -> None:
        above = list(scope.outward())[1:]
        name = node.text()
        target = above[-1]
        if word == "nonlocal":
            homes = [s for s in above if s.kind == "function" and name in s.names]
            target = homes[0] if homes else target
        self.names.bind(node, target, role)

    def target(self, node: Node | None, scope: Scope, role: str = "variable") -> None:
        """Bind what an assignment, loop or `as` writes to."""
        if node is None:
            return
        if node.kind() == "identifier":
            self.bind(node, scope, role)
        elif node.kind() in _TARGETS:
            for child in node.children():
                self.target(child, scope, role)
        else:
            self.visit(node, scope)

    def function(self, node: Node, scope: Scope) -> None:
        name = node.field("name")
        self.bind(name, scope, "function")
        # What a constructor writes to its object tells the types of members elsewhere.
        is_plain = name.text() != "__init__" and node.field("type_parameters") is None
        if is_plain and not self.matters(node):
            self.field(node, "return_type", scope)
            return
        outer = self.typed(node, scope)
        inner = self.names.open("function", outer, node, name.text())
        inner.owner = scope.names.get(name.text())
        self.parameters(node.field("parameters"), inner, outer)
        self.field(node, "return_type", outer)
        self.field(node, "body", inner)

    def typed(self, node: Node, scope: Scope) -> Scope:
        """The scope of a definition's type parameters, or *scope* when it has none."""
        parameters = node.field("type_parameters")
        if parameters is None:
            return scope
        inner = self.names.open("part", scope, node)
        for part in parameters.children():
            if part.kind() == "type":
                self.type_parameter(part, inner)
        return inner

    def type_parameter(self, node: Node, scope: Scope) -> None:
        first = next((c for c in node.find_all(kind="identifier")), None)
        for child in node.find_all(kind="identifier"):
            if first is not None and child.range().start.index == first.range().start.index:
                self.bind(child, scope, "type")
            else:
                self.identifier(child, scope)

    def lambda_(self, node: Node, scope: Scope) -> None:
        inner = self.names.open("function", scope, node)
        parameters = node.field("parameters")
        if parameters is not None:
            self.parameters(parameters, inner, scope)
        self.field(node, "body", inner)

    def parameters(self, node: Node, inner: Scope, outer: Scope) -> None:
        for child in node.children():
            kind = child.kind()
            if kind in ("identifier", "list_splat_pattern", "dictionary_splat_pattern"):
                self.splatted(child, inner)
            elif kind == "typed_parameter":
                self.splatted(child.children()[0], inner)
                self.field(child, "type", outer)
            elif kind in ("default_parameter", "typed_default_parameter"):
                self.target(child.field("name"), inner, "parameter")
                self.field(child, "type", outer)
                self.field(child, "value", outer)
            elif kind == "tuple_pattern":
                self.target(child, inner, "parameter")

    def splatted(self, node: Node, scope: Scope) -> None:
        found = node if node.kind() == "identifier" else node.find(kind="identifier")
        if found is not None:
            self.bind(found, scope, "parameter")

    def class_(self, node: Node, scope: Scope) -> None:
        name = node.field("name")
        self.bind(name, scope, "class")
        outer = self.typed(node, scope)
        self.field(node, "superclasses", outer)
        inner = self.names.open("class", outer, node, name.text())
        inner.owner = scope.names.get(name.text())
        self.field(node, "body", inner)

    def comprehension(self, node: Node, scope: Scope) -> None:
        inner = self.names.open("part", scope, node)
        first = True
        for child in node.children():
            if child.kind() == "for_in_clause":
                self.target(child.field("left"), inner)
                for right in child.field_children("right"):
                    self.visit(right, scope if first else inner)
                first = False
            else:
                self.visit(child, inner)

    def assignment(self, node: Node, scope: Scope) -> None:
        self.target(node.field("left"), scope)
        self.field(node, "type", scope)
        self.field(node, "right", scope)

    def walrus(self, node: Node, scope: Scope) -> None:
        home = next(s for s in scope.outward() if s.kind != "part" or _is_typed(s))
        self.target(node.field("name"), home)
        self.field(node, "value", scope)

    def loop(self, node: Node, scope: Scope) -> None:
        self.target(node.field("left"), scope)
        for part in ("right", "body", "alternative"):
            self.field(node, part, scope)

    def as_pattern(self, node: Node, scope: Scope) -> None:
        children = node.children()
        in_case = children[0].kind() == "case_pattern"
        for child in children:
            if child.kind() == "as_pattern_target" or (in_case and child.kind() == "identifier"):
                self.target(child, scope)
            else:
                self.visit(child, scope)

    def import_(self, node: Node, scope: Scope) -> None:
        is_from = node.kind() != "import_statement"
        for name in node.field_children("name"):
            if name.kind() == "aliased_import":
                self.bind(name.field("alias"), scope, "import")
            elif name.is_named():
                words = [c for c in name.children() if c.kind() == "identifier"]
                role = "import" if is_from or len(words) == 1 else "dotted import"
                self.bind(words[0], scope, role)

    def moved_names(self, node: Node, scope: Scope) -> None:
        word = node.children()[0].text()
        for child in node.children():
            if child.kind() == "identifier":
                scope.moved[child.text()] = word
                self.bind(child, scope, "moved")

    def attribute(self, node: Node, scope: Scope) -> None:
        owner = node.field("object")
        self.visit(owner, scope)
        self.names.member(node.field("attribute"), scope, "access", owner)

    def keyword(self, node: Node, scope: Scope) -> None:
        call = node.parent().parent()
        callee = call.field("function") if call.kind() == "call" else None
        self.names.member(node.field("name"), scope, "label", callee)
        self.field(node, "value", scope)

    def case_pattern(self, node: Node, scope: Scope) -> None:
        for child in node.children():
            if child.kind() == "dotted_name":
                self.dotted(child, scope, captures=True)
            elif child.kind() == "keyword_pattern":
                parts = child.children()
                self.names.member(parts[0], scope, "key")
                for part in parts[1:]:
                    self.case_part(part, scope)
            else:
                self.case_part(child, scope)

    def case_part(self, node: Node, scope: Scope) -> None:
        kind = node.kind()
        if kind == "dotted_name":
            self.dotted(node, scope, captures=True)
        elif kind == "splat_pattern":
            self.target(node.find(kind="identifier"), scope)
        elif kind == "class_pattern":
            for child in node.children():
                if child.kind() == "dotted_name":
                    self.dotted(child, scope, captures=False)
                else:
                    self.case_part(child, scope)
        elif kind in ("union_pattern", "list_pattern", "tuple_pattern", "dict_pattern"):
            for child in node.children():
                self.case_part(child, scope)
        else:
            self.visit(node, scope)

    def dotted(self, node: Node, scope: Scope, captures: bool) -> None:
        words = [child for child in node.children() if child.kind() == "identifier"]
        if captures and len(words) == 1:
            if words[0].text() != "_":
                self.bind(words[0], scope, "variable")
            return
        self.identifier(words[0], scope)
        for nth, word in enumerate(words[1:]):
            self.names.member(word, scope, "access", None if nth else words[0])

    def type_alias(self, node: Node, scope: Scope) -> None:
        types = [child for child in node.children() if child.kind() == "type" and child.is_named()]
        named = [part for part in types if not part.is_leaf()]
        if not named:
            return
        words = named[0].find_all(kind="identifier")
        inner = self.names.open("part", scope, node)
        for nth, word in enumerate(words):
            self.bind(word, inner if nth else scope, "type")
        for part in named[1:]:
            self.visit(part, inner)


def _is_typed(scope: Scope) -> bool:
    return bool(scope.node.kind() not in _COMPREHENSIONS)


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
    "global_statement": _Reader.moved_names,
    "nonlocal_statement": _Reader.moved_names,
    "attribute": _Reader.attribute,
    "keyword_argument": _Reader.keyword,
    "case_pattern": _Reader.case_pattern,
    "type_alias_statement": _Reader.type_alias,
}
