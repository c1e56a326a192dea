"""Name finders for JavaScript and TypeScript definitions, including types in JSDoc comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.syntax.node import (
    LeafSlice,
    Named,
    NameFinder,
    SyntaxNode,
    named_children,
    parent_of,
    plain_scope,
    required_field,
)

_FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_NAMING = {"variable_declarator", "assignment_expression", "pair"}
_COMPUTED = {"identifier", "member_expression", "string", "number"}
# Blocks that do not limit the scope of a `var`.
_BLOCKS = {
    *("statement_block", "if_statement", "else_clause", "try_statement", "catch_clause"),
    *("finally_clause", "switch_statement", "switch_body", "switch_case", "switch_default"),
    *("for_statement", "for_in_statement", "while_statement", "do_statement"),
}
_DOC_TYPE = re.compile(r"@(?:typedef|callback)\b")
_DOC_NAME = re.compile(r"[\s*]*([A-Za-z_$][\w$]*)")
_DOC_IMPORT = re.compile(r"\s*\{\s*(?:typeof\s+)?import\(")


def _js_value_kind(value: SyntaxNode | None) -> str | None:
    if value is None:
        return None
    if value.kind() in _FUNCTIONS:
        return "function"
    return "class" if value.kind() == "class" else None


def _js_variable(node: SyntaxNode, _: str) -> Iterator[Named]:
    name, value = node.field("name"), node.field("value")
    kind = _js_value_kind(value)
    if name is None or not (kind or _at_top(node)):
        return
    if kind is None and _is_required(value):
        kind = "alias"
    elif kind is None and parent_of(node).text().startswith("const"):
        kind = "constant"
    for found in [name] if name.kind() == "identifier" else _js_bound(name):
        yield Named(found, kind=kind)


def _at_top(declarator: SyntaxNode) -> bool:
    """Return whether a declarator belongs to a module or namespace; `var` in its blocks does."""
    declaration = parent_of(declarator)
    holder = declaration.parent()
    # The variable of a loop head is not worth looking up.
    if declaration.kind() == "variable_declaration" and (
        holder is not None and holder.kind() != "for_statement"
    ):
        while holder.kind() in _BLOCKS and not _is_namespace(holder.parent()):
            holder = parent_of(holder)
    return holder is not None and (
        holder.kind() in ("program", "export_statement", "ambient_declaration")
        or (holder.kind() == "statement_block" and _is_namespace(holder.parent()))
        or (holder.kind() == "ERROR" and _is_outermost(holder))
    )


def _is_outermost(node: SyntaxNode) -> bool:
    """Return whether an ERROR node is the root or a child of the root."""
    parent = node.parent()
    return parent is None or parent.kind() == "program"


def _js_bound(pattern: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the names that a destructuring pattern binds."""
    for child in pattern.children():
        kind = child.kind()
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            yield child
        elif kind == "pair_pattern":
            value = required_field(child, "value")
            yield from [value] if value.kind() == "identifier" else _js_bound(value)
        elif kind in ("object_assignment_pattern", "assignment_pattern"):
            left = required_field(child, "left")
            leaf = left.kind() in ("identifier", "shorthand_property_identifier_pattern")
            yield from [left] if leaf else _js_bound(left)
        elif kind in ("rest_pattern", "object_pattern", "array_pattern"):
            yield from _js_bound(child)


def _is_required(value: SyntaxNode | None) -> bool:
    """Return whether a value is `require(...)` or a member of it."""
    while value is not None and value.kind() == "member_expression":
        value = value.field("object")
    if value is None or value.kind() != "call_expression":
        return False
    return required_field(value, "function").text() == "require"


def _is_namespace(node: SyntaxNode | None) -> bool:
    return node is not None and node.kind() in ("internal_module", "module")


def _js_assignment(node: SyntaxNode, _: str) -> Iterator[Named]:
    left, right = node.field("left"), node.field("right")
    if left is None or right is None:
        return
    kind = _js_value_kind(right)
    member = left.field("property") if left.kind() == "member_expression" else None
    if kind is None:
        # A plain name on the right was defined before and is only exported here.
        if member is not None and right.kind() != "identifier" and _is_export(left):
            yield Named(member, kind="variable")
    elif left.kind() == "identifier":
        yield Named(left, kind=kind)
    elif left.text() == "module.exports":
        name = right.field("name")
        if name is not None and kind == "function":
            yield Named(name)
    elif member is not None:
        scope = plain_scope(required_field(left, "object").text())
        words = [w for w in scope.split(".") if w not in ("exports", "module", "prototype", "this")]
        owner = ".".join(words) if all(w.isidentifier() for w in words) else ""
        yield Named(member, owner, "method" if "prototype" in scope else kind)


def _is_export(left: SyntaxNode) -> bool:
    """Return whether a member expression is `exports.name` in a statement of the module."""
    if required_field(left, "object").text() not in ("exports", "module.exports"):
        return False
    around = parent_of(left)
    while around.kind() == "assignment_expression":
        around = parent_of(around)
    return around.kind() == "expression_statement" and parent_of(around).kind() == "program"


def _js_pair(node: SyntaxNode, _: str) -> Iterator[Named]:
    key = node.field("key")
    if key is not None and _js_value_kind(node.field("value")) == "function":
        yield Named(key)


def _js_class(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the own name of a class expression, unless it is assigned to a variable."""
    name = node.field("name")
    if name is not None and parent_of(node).kind() != "variable_declarator":
        yield Named(name)


def _js_member(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the name of a method; a computed one only if it is a single word or string."""
    name = node.field("name")
    if name is not None and name.kind() == "computed_property_name":
        inner = named_children(name)
        if not inner or inner[0].kind() not in _COMPUTED:
            return
    if name is not None:
        yield Named(name)


def _js_doc(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the types that a JSDoc comment defines; those it imports are aliases."""
    text = node.text()
    if not text.startswith("/**") or "@" not in text:
        return
    for match in _DOC_TYPE.finditer(text):
        start = _after_braces(text, match.end())
        name = _DOC_NAME.match(text, start)
        if name is not None:
            imported = _DOC_IMPORT.match(text, match.end())
            word = LeafSlice.within(node, text, name.start(1), name.end(1))
            yield Named(word, kind="alias" if imported else None)


def _after_braces(text: str, start: int) -> int:
    """Return the offset after the type in braces that begins at *start*, if there is one."""
    position = start + len(text[start:]) - len(text[start:].lstrip())
    if not text.startswith("{", position):
        return position
    depth = 0
    for index in range(position, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return index + 1
    return len(text)


def _js_expression(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the own name of a function expression, unless it is assigned to another name."""
    name = node.field("name")
    if name is not None and parent_of(node).kind() not in _NAMING:
        yield Named(name)


def _ts_enum(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "property_identifier":
            yield Named(child)
        elif child.kind() == "enum_assignment":
            yield from (Named(name) for name in child.field_children("name"))


SCRIPT_FINDERS: dict[str, NameFinder] = {
    "js_variable": _js_variable,
    "js_assignment": _js_assignment,
    "js_pair": _js_pair,
    "js_expression": _js_expression,
    "js_class": _js_class,
    "js_member": _js_member,
    "js_doc": _js_doc,
    "ts_enum": _ts_enum,
}
