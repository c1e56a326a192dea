"""What conditions around an expression of a script say: tests that hold, or may hold, there."""

from __future__ import annotations

from collections.abc import Iterator

from redline.code.python_js.inference.shapes import FUNCTIONS
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
)

_EQUAL = {"===", "=="}
_ENDING = {"break_statement", "return_statement", "throw_statement", "continue_statement"}


def conditions_about(node: SyntaxNode, text: str) -> Iterator[SyntaxNode]:
    """Yield the conditions that mention *text* and hold, or not, where *node* is."""
    child, around = node, node.parent()
    while around is not None and around.kind() not in ("program", "class_body"):
        kind = around.kind()
        found: list[SyntaxNode | None] = []
        if kind in ("if_statement", "ternary_expression", "while_statement"):
            condition = around.field("condition")
            found = [condition] if not begins_at(condition, child) else []
        elif kind == "binary_expression" and begins_at(around.field("right"), child):
            found = [around.field("left")]
        elif kind == "statement_block":
            found = list(_conditions_before(child))
        yield from (each for each in found if each is not None and text in each.text())
        child, around = around, around.parent()


def classes_tested(node: SyntaxNode, text: str) -> Iterator[list[SyntaxNode]]:
    """Yield the classes of one of which *text* is an instance where *node* is."""
    for tests in _tests_that_hold(node):
        is_about = (side_of(each, "operator") == "instanceof" for each in tests)
        if all(is_about) and all(side_of(each, "left") == text for each in tests):
            yield [required_field(each, "right") for each in tests]


def constants_tested(node: SyntaxNode, text: str) -> Iterator[tuple[str, list[SyntaxNode]]]:
    """Yield the members of *text* that code around *node* tests, with the values they have there.

    Only within one function: another may run when the member has changed.
    """
    for tests in _tests_that_hold(node, FUNCTIONS):
        named = {_member_of(each.field("left"), text) for each in tests}
        is_about = (side_of(each, "operator") in _EQUAL for each in tests)
        name = named.pop() if len(named) == 1 else ""
        if name and all(is_about):
            yield name, [required_field(each, "right") for each in tests]
    child, around = node, node.parent()
    while around is not None and around.kind() not in FUNCTIONS:
        if child.kind() == "switch_case" and not begins_at(child.field("value"), node):
            tested = named_children(required_field(parent_of(around), "value"))[0]
            name = _member_of(tested, text)
            if name:
                yield name, list(_values_of_case(child))
        child, around = around, around.parent()


def _tests_that_hold(
    node: SyntaxNode, within: frozenset[str] = frozenset()
) -> Iterator[list[SyntaxNode]]:
    """Yield the tests of which one is true where *node* is."""
    child, around = node, node.parent()
    while around is not None and around.kind() not in ("program", "class_body", *within):
        condition: SyntaxNode | None = None
        if begins_at(around.field("consequence"), child):
            condition = around.field("condition")
        elif side_of(around, "operator") == "&&" and begins_at(around.field("right"), child):
            condition = around.field("left")
        for part in _operands(condition, "&&"):
            yield _operands(part, "||")
        child, around = around, around.parent()


def _member_of(node: SyntaxNode | None, text: str) -> str:
    """Return which member of *text* an expression is; empty for any other."""
    holder = node.field("object") if node is not None else None
    is_member = node is not None and holder is not None and holder.text() == text
    return side_of(node, "property") if node is not None and is_member else ""


def _values_of_case(case: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the values of a case and of those before it that go on into it."""
    yield required_field(case, "value")
    before = case.prev()
    while before is not None and before.kind() in ("switch_case", "comment"):
        body = [each for each in named_children(before)[1:] if each.kind() != "comment"]
        last = body[-1] if body else before
        last = ([*named_children(last)] or [last])[-1] if last.kind() == "statement_block" else last
        if last.kind() in _ENDING:
            return
        if before.kind() == "switch_case":
            yield required_field(before, "value")
        before = before.prev()


def _operands(node: SyntaxNode | None, operator: str) -> list[SyntaxNode]:
    """Return the parts of an expression that an operator joins."""
    while node is not None and node.kind() == "parenthesized_expression":
        node = named_children(node)[0]
    if node is None or side_of(node, "operator") != operator:
        return [node] if node is not None else []
    sides = (node.field("left"), node.field("right"))
    return [part for side in sides for part in _operands(side, operator)]


def _conditions_before(node: SyntaxNode) -> Iterator[SyntaxNode | None]:
    before = node.prev()
    while before is not None:
        if before.kind() == "if_statement":
            yield before.field("condition")
        before = before.prev()


def side_of(node: SyntaxNode, name: str) -> str:
    """Return the text of a part of an expression; empty if it has none of that name."""
    found = node.field(name)
    return found.text() if found is not None else ""
