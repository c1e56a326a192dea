"""Who declares a name in Go: found by going outward from where the name stands.

A block's name begins after its declaration, so `x := x` speaks of two; the names of one file are
never read as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.references.definition import Thing
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import Node

_SPECS = {"var_spec": "var", "const_spec": "const", "type_spec": "type", "type_alias": "type"}
_GROUPS = {"var_declaration", "const_declaration", "type_declaration", "var_spec_list"}
_FUNCTIONS = {"function_declaration", "method_declaration", "func_literal"}
_PARAMETERS = {"parameter_declaration", "variadic_parameter_declaration"}


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A name and what declares it; `since` is the offset from where on a block knows it."""

    unit: Unit
    site: Node
    kind: str
    node: Node
    since: int = 0

    @property
    def name(self) -> str:
        """What is declared."""
        return str(self.site.text())

    @property
    def start(self) -> int:
        """Where its name begins."""
        return int(self.site.range().start.index)

    @property
    def thing(self) -> Thing:
        """What a reference to it means."""
        is_member = self.kind in ("field", "method", "embedded")
        return Thing(self.unit.path, self.start, self.name, is_member)


def children(node: Node, name: str) -> list[Node]:
    """The children called *name*, without the commas between them."""
    return [child for child in node.field_children(name) if child.is_named()]


def spot_of(node: Node) -> tuple[int, int, str]:
    """What tells a node of a file from the others."""
    where = node.range()
    return where.start.index, where.end.index, node.kind()


def specs(unit: Unit, node: Node) -> Iterator[Declared]:
    """What a declaration of constants, variables or types declares."""
    kind = node.kind()
    if kind in _GROUPS:
        for child in node.children():
            yield from specs(unit, child)
    elif kind in _SPECS:
        end = node.range().end.index
        for name in children(node, "name"):
            if name.kind() in ("identifier", "type_identifier"):
                # A type may speak of itself.
                since = name.range().start.index if _SPECS[kind] == "type" else end
                yield Declared(unit, name, _SPECS[kind], node, since)


def _assigned(unit: Unit, node: Node | None, kind: str, side: str = "left") -> Iterator[Declared]:
    """What stands to the left of `:=`."""
    if node is None or not any(child.text() == ":=" for child in node.children()):
        return
    left = node.field(side)
    if left is None:
        return
    names = left.children() if left.kind() == "expression_list" else [left]
    for name in names:
        if name.kind() == "identifier":
            yield Declared(unit, name, kind, node, node.range().end.index)


def _of_statements(unit: Unit, node: Node) -> Iterator[Declared]:
    for statement in node.children():
        kind = statement.kind()
        if kind == "labeled_statement":
            yield from _of_statements(unit, statement)
        elif kind == "short_var_declaration":
            yield from _assigned(unit, statement, "short")
        elif kind in _GROUPS:
            yield from specs(unit, statement)


def _of_function(unit: Unit, node: Node) -> Iterator[Declared]:
    body = node.field("body")
    since = body.range().start.index if body is not None else node.range().end.index
    yield from type_parameters(unit, node)
    receiver = node.field("receiver")
    if receiver is not None:
        yield from _receiver_parameters(unit, receiver)
    for part in ("receiver", "parameters", "result"):
        listed = node.field(part)
        if listed is not None and listed.kind() == "parameter_list":
            yield from parameters(unit, listed, since)


def parameters(unit: Unit, listed: Node, since: int = 0) -> Iterator[Declared]:
    """The names of a list of parameters."""
    for each in listed.children():
        if each.kind() in _PARAMETERS:
            for name in children(each, "name"):
                yield Declared(unit, name, "param", each, since)


def type_parameters(unit: Unit, node: Node) -> Iterator[Declared]:
    """The type parameters of a function or type."""
    listed = node.field("type_parameters")
    for each in listed.children() if listed is not None else ():
        if each.kind() == "type_parameter_declaration":
            for name in children(each, "name"):
                yield Declared(unit, name, "type_param", each)


def _receiver_parameters(unit: Unit, receiver: Node) -> Iterator[Declared]:
    """Of `(t *List[T])` the T."""
    generic = receiver.find(kind="generic_type")
    if generic is None:
        return
    for argument in generic.field("type_arguments").children():
        if argument.kind() == "type_elem":
            yield Declared(unit, argument.children()[0], "type_param", argument)


def _of_header(unit: Unit, node: Node) -> Iterator[Declared]:
    """`if x := f(); x` and its kin: what is declared before the braces."""
    yield from _assigned(unit, node.field("initializer"), "short")


def _of_for(unit: Unit, node: Node) -> Iterator[Declared]:
    for child in node.children():
        if child.kind() == "for_clause":
            yield from _assigned(unit, child.field("initializer"), "short")
        elif child.kind() == "range_clause":
            yield from _assigned(unit, child, "range")


def _of_type_switch(unit: Unit, node: Node) -> Iterator[Declared]:
    yield from _of_header(unit, node)
    alias = node.field("alias")
    for name in alias.children() if alias is not None else ():
        if name.kind() == "identifier":
            yield Declared(unit, name, "switch", node, name.range().end.index)


def _of_case(unit: Unit, node: Node) -> Iterator[Declared]:
    yield from _assigned(unit, node.field("communication"), "short")


_Scope: TypeAlias = Callable[[Unit, Node], Iterator[Declared]]
_SCOPES: dict[str, _Scope] = {
    "statement_list": _of_statements,
    "if_statement": _of_header,
    "expression_switch_statement": _of_header,
    "type_switch_statement": _of_type_switch,
    "for_statement": _of_for,
    "communication_case": _of_case,
    "type_spec": type_parameters,
    "type_alias": type_parameters,
    # Their parameters are names nobody uses, and no others.
    **dict.fromkeys((*_FUNCTIONS, "function_type", "method_elem"), _of_function),
}


@dataclass(slots=True)
class Locals:
    """What functions, blocks and headers declare; each is looked into once."""

    _known: dict[tuple[Unit, int, int, str], list[Declared]] = field(default_factory=dict)

    def find(self, unit: Unit, node: Node, name: str) -> tuple[Declared, Node] | None:
        """Who declares *name* as *node* sees it, and the part of that scope *node* stands in."""
        start = node.range().start.index
        inner = node
        for scope in node.ancestors():
            if scope.kind() in _SCOPES:
                for declared in self._in_scope(unit, scope):
                    seen = declared.since <= start or declared.start == start
                    if seen and declared.name == name:
                        return self._outermost(unit, declared, scope), inner
            inner = scope
        return None

    def _outermost(self, unit: Unit, declared: Declared, scope: Node) -> Declared:
        """`:=` at the top of a function's body gives a parameter a new value, no new name."""
        block = scope.parent()
        above = block.parent() if block is not None and block.kind() == "block" else None
        if declared.kind != "short" or above is None or above.kind() not in _FUNCTIONS:
            return declared
        outside = (p for p in self._in_scope(unit, above) if p.name == declared.name)
        return next(outside, declared)

    def _in_scope(self, unit: Unit, scope: Node) -> list[Declared]:
        key = (unit, *spot_of(scope))
        if key not in self._known:
            self._known[key] = list(_SCOPES[scope.kind()](unit, scope))
        return self._known[key]
