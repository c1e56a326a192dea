"""Find the declaration of a Go name by walking outward from its occurrence.

A name in a block is visible after its declaration, so `x := x` refers to two; the names of a
file are never all read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from redline.code.references.definition import Definition
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.records import dataclass, field


class GoKind(StrEnum):
    """How a name is declared."""

    VAR = "var"
    CONST = "const"
    TYPE = "type"
    FUNC = "func"
    METHOD = "method"
    FIELD = "field"
    EMBEDDED = "embedded"
    # By `:=`.
    SHORT = "short"
    RANGE = "range"
    SWITCH = "switch"
    PARAMETER = "parameter"
    TYPE_PARAMETER = "type parameter"
    # A struct or interface without a name.
    LITERAL = "literal"


_SPECS = {
    "var_spec": GoKind.VAR,
    "const_spec": GoKind.CONST,
    "type_spec": GoKind.TYPE,
    "type_alias": GoKind.TYPE,
}
_GROUPS = {"var_declaration", "const_declaration", "type_declaration", "var_spec_list"}
_FUNCTIONS = {"function_declaration", "method_declaration", "func_literal"}
_PARAMETERS = {"parameter_declaration", "variadic_parameter_declaration"}


@dataclass(frozen=True, slots=True, eq=False)
class GoDeclaration:
    """A declared name: *visible_from* is the offset from which its block knows it."""

    unit: Unit
    site: SyntaxNode
    kind: GoKind
    node: SyntaxNode
    visible_from: int = 0

    @property
    def name(self) -> str:
        """Return the declared name."""
        return self.site.text()

    @property
    def start(self) -> int:
        """Return the offset of the name."""
        return self.site.range().start.index

    @property
    def definition(self) -> Definition:
        """Return the definition that references resolve to."""
        is_member = self.kind in (GoKind.FIELD, GoKind.METHOD, GoKind.EMBEDDED)
        return Definition(self.unit.path, self.start, self.name, is_member)


def children(node: SyntaxNode, name: str) -> list[SyntaxNode]:
    """Return the children in field *name*, without the commas between them."""
    return [child for child in node.field_children(name) if child.is_named()]


def node_key(node: SyntaxNode) -> tuple[int, int, str]:
    """Return what identifies a node within its file."""
    where = node.range()
    return where.start.index, where.end.index, node.kind()


def spec_declarations(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    """Yield what a declaration of constants, variables or types declares."""
    kind = node.kind()
    if kind in _GROUPS:
        for child in node.children():
            yield from spec_declarations(unit, child)
    elif kind in _SPECS:
        end = node.range().end.index
        for name in children(node, "name"):
            if name.kind() in ("identifier", "type_identifier"):
                # A type may refer to itself.
                visible_from = name.range().start.index if _SPECS[kind] == "type" else end
                yield GoDeclaration(unit, name, _SPECS[kind], node, visible_from)


def _short_declarations(
    unit: Unit, node: SyntaxNode | None, kind: GoKind
) -> Iterator[GoDeclaration]:
    """Yield the names to the left of `:=`."""
    if node is None or not any(child.text() == ":=" for child in node.children()):
        return
    left = node.field("left")
    if left is None:
        return
    names = left.children() if left.kind() == "expression_list" else (left,)
    for name in names:
        if name.kind() == "identifier":
            yield GoDeclaration(unit, name, kind, node, node.range().end.index)


def _of_statements(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    for statement in node.children():
        kind = statement.kind()
        if kind == "labeled_statement":
            yield from _of_statements(unit, statement)
        elif kind == "short_var_declaration":
            yield from _short_declarations(unit, statement, GoKind.SHORT)
        elif kind in _GROUPS:
            yield from spec_declarations(unit, statement)


def _of_function(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    body = node.field("body")
    visible_from = body.range().start.index if body is not None else node.range().end.index
    yield from type_parameters(unit, node)
    receiver = node.field("receiver")
    if receiver is not None:
        yield from _receiver_parameters(unit, receiver)
    for part in ("receiver", "parameters", "result"):
        listed = node.field(part)
        if listed is not None and listed.kind() == "parameter_list":
            yield from parameters(unit, listed, visible_from)


def parameters(unit: Unit, listed: SyntaxNode, visible_from: int = 0) -> Iterator[GoDeclaration]:
    """Yield the names in a parameter list."""
    for each in listed.children():
        if each.kind() in _PARAMETERS:
            for name in children(each, "name"):
                yield GoDeclaration(unit, name, GoKind.PARAMETER, each, visible_from)


def type_parameters(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    """Yield the type parameters of a function or type."""
    listed = node.field("type_parameters")
    for each in listed.children() if listed is not None else ():
        if each.kind() == "type_parameter_declaration":
            for name in children(each, "name"):
                yield GoDeclaration(unit, name, GoKind.TYPE_PARAMETER, each)


def _receiver_parameters(unit: Unit, receiver: SyntaxNode) -> Iterator[GoDeclaration]:
    """Yield the T of `(t *List[T])`."""
    generic = receiver.find(kind="generic_type")
    if generic is None:
        return
    for argument in required_field(generic, "type_arguments").children():
        if argument.kind() == "type_elem":
            yield GoDeclaration(unit, argument.children()[0], GoKind.TYPE_PARAMETER, argument)


def _of_header(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    """Yield what `if x := f(); x` and similar statements declare before the braces."""
    yield from _short_declarations(unit, node.field("initializer"), GoKind.SHORT)


def _of_for(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    for child in node.children():
        if child.kind() == "for_clause":
            yield from _short_declarations(unit, child.field("initializer"), GoKind.SHORT)
        elif child.kind() == "range_clause":
            yield from _short_declarations(unit, child, GoKind.RANGE)


def _of_type_switch(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    yield from _of_header(unit, node)
    alias = node.field("alias")
    for name in alias.children() if alias is not None else ():
        if name.kind() == "identifier":
            yield GoDeclaration(unit, name, GoKind.SWITCH, node, name.range().end.index)


def _of_case(unit: Unit, node: SyntaxNode) -> Iterator[GoDeclaration]:
    yield from _short_declarations(unit, node.field("communication"), GoKind.SHORT)


_Scope: TypeAlias = Callable[[Unit, SyntaxNode], Iterator[GoDeclaration]]
_SCOPES: dict[str, _Scope] = {
    "statement_list": _of_statements,
    "if_statement": _of_header,
    "expression_switch_statement": _of_header,
    "type_switch_statement": _of_type_switch,
    "for_statement": _of_for,
    "communication_case": _of_case,
    "type_spec": type_parameters,
    "type_alias": type_parameters,
    # A function type declares nothing else, and its parameter names have no uses.
    **dict.fromkeys((*_FUNCTIONS, "function_type", "method_elem"), _of_function),
}


class LocalName(NamedTuple):
    """A local declaration, and the part of its scope that contains the occurrence."""

    declaration: GoDeclaration
    within: SyntaxNode


@dataclass(slots=True)
class Locals:
    """Caches what functions, blocks and statement headers declare."""

    _known: dict[tuple[Unit, int, int, str], list[GoDeclaration]] = field(default_factory=dict)

    def find(self, unit: Unit, node: SyntaxNode, name: str) -> LocalName | None:
        """Return the local declaration of *name* that *node* sees."""
        start = node.range().start.index
        inner = node
        for scope in node.ancestors():
            if scope.kind() in _SCOPES:
                for declaration in self._in_scope(unit, scope):
                    seen = declaration.visible_from <= start or declaration.start == start
                    if seen and declaration.name == name:
                        return LocalName(self._outermost(unit, declaration, scope), inner)
            inner = scope
        return None

    def _outermost(
        self, unit: Unit, declaration: GoDeclaration, scope: SyntaxNode
    ) -> GoDeclaration:
        """Return the parameter that a `:=` at the top of a function body assigns to, if any."""
        block = scope.parent()
        above = block.parent() if block is not None and block.kind() == "block" else None
        if declaration.kind is not GoKind.SHORT or above is None or above.kind() not in _FUNCTIONS:
            return declaration
        outside = (p for p in self._in_scope(unit, above) if p.name == declaration.name)
        return next(outside, declaration)

    def _in_scope(self, unit: Unit, scope: SyntaxNode) -> list[GoDeclaration]:
        key = (unit, *node_key(scope))
        if key not in self._known:
            self._known[key] = list(_SCOPES[scope.kind()](unit, scope))
        return self._known[key]
