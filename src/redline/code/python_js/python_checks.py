"""What code says of a name in Python before it is used: `isinstance`, `assert`, assignments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    required_field,
    start_of,
)

_ENDING = {"return_statement", "raise_statement", "continue_statement", "break_statement"}
_BRANCHES = {"if_statement", "elif_clause", "conditional_expression", "boolean_operator"}
_FUNCTIONS = {"function_definition", "lambda", "class_definition", "module"}


class Said(NamedTuple):
    """What is said of a name: its classes, or the value that is assigned where it is *bound*.

    It holds from *since* to *until*, which is the end of a loop that the use is in.
    """

    nodes: list[SyntaxNode]
    since: int
    until: int
    bound: int = -1


def statements_about(node: SyntaxNode, name: str) -> Iterator[Said]:
    """Yield what is said of a name where it is used, the nearest first."""
    at, around = node, node.parent()
    until = start_of(node)
    while around is not None and around.kind() not in _FUNCTIONS:
        if around.kind() in _BRANCHES:
            for nodes in _said_around(around, at, name):
                yield Said(nodes, start_of(around), until)
        if around.kind() == "block":
            before = at.prev()
            while before is not None:
                yield from _said_before(before, name, until)
                before = before.prev()
        if around.kind() in ("for_statement", "while_statement"):
            until = around.range().end.index
        at, around = around, around.parent()


def _said_around(around: SyntaxNode, at: SyntaxNode, name: str) -> Iterator[list[SyntaxNode]]:
    """Yield what the condition says for the branch that *at* is."""
    kind = around.kind()
    condition = around.field("condition") if begins_at(around.field("consequence"), at) else None
    if kind == "conditional_expression" and begins_at(around.children()[0], at):
        condition = named_children(around)[1]
    if kind == "boolean_operator" and begins_at(around.field("right"), at):
        is_and = required_field(around, "operator").text() == "and"
        condition = around.field("left") if is_and else None
    yield from _said_by(condition, name)


def _said_before(statement: SyntaxNode, name: str, until: int) -> Iterator[Said]:
    """Yield what an assertion, an assignment or a branch that is left early says."""
    since, kind = start_of(statement), statement.kind()
    found: Iterator[list[SyntaxNode]] = iter(())
    if kind == "assert_statement":
        found = _said_by(named_children(statement)[0], name)
    elif kind == "expression_statement":
        assigned = statement.children()[0]
        left = assigned.field("left") if assigned.kind() == "assignment" else None
        value = assigned.field("right") if assigned.field("type") is None else None
        if left is not None and value is not None and left.text() == name:
            yield Said([value], since - 1, until, bound=start_of(left))
    elif kind == "if_statement" and statement.field("alternative") is None:
        condition = required_field(statement, "condition")
        body = named_children(required_field(statement, "consequence"))
        if condition.kind() == "not_operator" and body and body[-1].kind() in _ENDING:
            found = _said_by(condition.field("argument"), name)
    for nodes in found:
        yield Said(nodes, since, until)


def _said_by(condition: SyntaxNode | None, name: str) -> Iterator[list[SyntaxNode]]:
    """Yield the classes of which a condition says that a name is an instance."""
    if condition is None:
        return
    if condition.kind() == "parenthesized_expression":
        yield from _said_by(named_children(condition)[0], name)
    if condition.kind() == "boolean_operator":
        if required_field(condition, "operator").text() == "and":
            yield from _said_by(condition.field("left"), name)
            yield from _said_by(condition.field("right"), name)
        return
    called = condition.field("function") if condition.kind() == "call" else None
    if called is None or called.text() != "isinstance":
        return
    given = named_children(required_field(condition, "arguments"))
    if len(given) == 2 and given[0].text() == name:
        yield named_children(given[1]) if given[1].kind() == "tuple" else [given[1]]
