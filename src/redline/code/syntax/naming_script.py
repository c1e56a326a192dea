"""How definitions of JavaScript and TypeScript are named, those of JSDoc comments among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.syntax.node import Finder, Named, Node, Spot, plain_scope

_FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_NAMING = {"variable_declarator", "assignment_expression", "pair"}
_COMPUTED = {"identifier", "member_expression", "string", "number"}
# What does not keep a `var` to itself.
_BLOCKS = {
    *("statement_block", "if_statement", "else_clause", "try_statement", "catch_clause"),
    *("finally_clause", "switch_statement", "switch_body", "switch_case", "switch_default"),
    *("for_statement", "for_in_statement", "while_statement", "do_statement"),
}
_DOC_TYPE = re.compile(r"@(?:typedef|callback)\b")
_DOC_NAME = re.compile(r"[\s*]*([A-Za-z_$][\w$]*)")
_DOC_IMPORT = re.compile(r"\s*\{\s*(?:typeof\s+)?import\(")


def _js_value_kind(value: Node | None) -> str | None:
    if value is None:
        return None
    if value.kind() in _FUNCTIONS:
        return "function"
    return "class" if value.kind() == "class" else None


def _js_variable(node: Node, _: str) -> Iterator[Named]:
    name, value = node.field("name"), node.field("value")
    kind = _js_value_kind(value)
    if name is None or not (kind or _at_top(node)):
        return
    if kind is None and _is_required(value):
        kind = "alias"
    elif kind is None and node.parent().text().startswith("const"):
        kind = "constant"
    for found in [name] if name.kind() == "identifier" else _js_bound(name):
        yield Named(found, kind=kind)


def _at_top(declarator: Node) -> bool:
    """Whether a declarator stands at the top of a module or namespace; `var` in its blocks too."""
    holder = declarator.parent().parent()
    is_var = declarator.parent().kind() == "variable_declaration"
    # The head of a loop names what nobody looks up.
    if is_var and holder is not None and holder.kind() != "for_statement":
        while holder.kind() in _BLOCKS and not _is_namespace(holder.parent()):
            holder = holder.parent()
    return holder is not None and (
        holder.kind() in ("program", "export_statement", "ambient_declaration")
        or (holder.kind() == "statement_block" and _is_namespace(holder.parent()))
        or (holder.kind() == "ERROR" and _is_outermost(holder))
    )


def _is_outermost(node: Node) -> bool:
    """Whether what does not parse is the file itself or lies right beneath it."""
    parent = node.parent()
    return parent is None or parent.kind() == "program"


def _js_bound(pattern: Node) -> Iterator[Node]:
    """The names a destructuring pattern binds."""
    for child in pattern.children():
        kind = child.kind()
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            yield child
        elif kind == "pair_pattern":
            value = child.field("value")
            yield from [value] if value.kind() == "identifier" else _js_bound(value)
        elif kind in ("object_assignment_pattern", "assignment_pattern"):
            left = child.field("left")
            leaf = left.kind() in ("identifier", "shorthand_property_identifier_pattern")
            yield from [left] if leaf else _js_bound(left)
        elif kind in ("rest_pattern", "object_pattern", "array_pattern"):
            yield from _js_bound(child)


def _is_required(value: Node | None) -> bool:
    """Whether a value comes from `require(...)`, or is a member of what does."""
    while value is not None and value.kind() == "member_expression":
        value = value.field("object")
    if value is None or value.kind() != "call_expression":
        return False
    return bool(value.field("function").text() == "require")


def _is_namespace(node: Node | None) -> bool:
    return node is not None and node.kind() in ("internal_module", "module")


def _js_assignment(node: Node, _: str) -> Iterator[Named]:
    left, right = node.field("left"), node.field("right")
    kind = _js_value_kind(right)
    # A name that is merely passed on was defined before.
    is_made = right is not None and right.kind() != "identifier"
    if left is not None and kind is None and is_made and _is_export(left):
        yield Named(left.field("property"), kind="variable")
    if left is None or kind is None:
        return
    if left.kind() == "identifier":
        yield Named(left, kind=kind)
    elif left.text() == "module.exports":
        own = right.field("name")
        if own is not None and kind == "function":
            yield Named(own)
    elif left.kind() == "member_expression" and left.field("property") is not None:
        scope = plain_scope(left.field("object").text())
        words = [w for w in scope.split(".") if w not in ("exports", "module", "prototype", "this")]
        named = ".".join(words) if all(w.isidentifier() for w in words) else ""
        yield Named(left.field("property"), named, "method" if "prototype" in scope else kind)


def _is_export(left: Node) -> bool:
    """`exports.name` at the top of a module: the module's value of that name."""
    if left.kind() != "member_expression" or left.field("property") is None:
        return False
    if left.field("object").text() not in ("exports", "module.exports"):
        return False
    around = left.parent()
    while around.kind() == "assignment_expression":
        around = around.parent()
    return bool(around.kind() == "expression_statement" and around.parent().kind() == "program")


def _js_pair(node: Node, _: str) -> Iterator[Named]:
    key = node.field("key")
    if key is not None and _js_value_kind(node.field("value")) == "function":
        yield Named(key)


def _js_class(node: Node, _: str) -> Iterator[Named]:
    """A class expression by its own name, unless a variable names it."""
    name = node.field("name")
    if name is not None and node.parent().kind() != "variable_declarator":
        yield Named(name)


def _js_member(node: Node, _: str) -> Iterator[Named]:
    """A method by its name; a computed one when it is a single word or text."""
    name = node.field("name")
    if name is not None and name.kind() == "computed_property_name":
        inner = [child for child in name.children() if child.is_named()]
        if not inner or inner[0].kind() not in _COMPUTED:
            return
    if name is not None:
        yield Named(name)


def _js_doc(node: Node, _: str) -> Iterator[Named]:
    """The types a JSDoc comment defines; those it imports are aliases."""
    text = node.text()
    if not text.startswith("/**") or "@" not in text:
        return
    for match in _DOC_TYPE.finditer(text):
        start = _after_braces(text, match.end())
        name = _DOC_NAME.match(text, start)
        if name is not None:
            imported = _DOC_IMPORT.match(text, match.end())
            spot = Spot.within(node, text, name.start(1), name.end(1))
            yield Named(spot, kind="alias" if imported else None)


def _after_braces(text: str, start: int) -> int:
    """Where the text goes on after a type in braces, if one stands at *start*."""
    position = start + len(text[start:]) - len(text[start:].lstrip())
    if not text.startswith("{", position):
        return position
    depth = 0
    for index in range(position, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return index + 1
    return len(text)


def _js_expression(node: Node, _: str) -> Iterator[Named]:
    """A function expression by its own name, unless what it is assigned to names it."""
    name = node.field("name")
    if name is not None and node.parent().kind() not in _NAMING:
        yield Named(name)


def _ts_enum(node: Node, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "property_identifier":
            yield Named(child)
        elif child.kind() == "enum_assignment" and child.field("name") is not None:
            yield Named(child.field("name"))


SCRIPT_FINDERS: dict[str, Finder] = {
    "js_variable": _js_variable,
    "js_assignment": _js_assignment,
    "js_pair": _js_pair,
    "js_expression": _js_expression,
    "js_class": _js_class,
    "js_member": _js_member,
    "js_doc": _js_doc,
    "ts_enum": _ts_enum,
}
