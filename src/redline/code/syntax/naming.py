"""Find the name of a definition in its node, with one small finder per naming pattern.

language_rules.py refers to a finder as "finder" or "finder:argument". Each finder yields the node
of the name, the scope written in front of it (`Shop` in `Shop.open`), and the kind of definition
where the node kind alone does not determine it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from redline.code.syntax.node import (
    LeafSlice,
    Named,
    NameFinder,
    SyntaxNode,
    named_children,
    parent_of,
    plain_scope,
    required_field,
    start_of,
)

_FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_NAMING = {"variable_declarator", "assignment_expression", "pair"}
_COMPUTED = {"identifier", "member_expression", "string", "number"}
# Blocks that do not limit the scope of a `var`.
_BLOCKS = frozenset(
    """
    statement_block if_statement else_clause try_statement catch_clause finally_clause
    switch_statement switch_body switch_case switch_default for_statement for_in_statement
    while_statement do_statement
    """.split()
)
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


# Words that the parser mistakes for function names where macros break up a statement.
_STATEMENTS = frozenset(
    """
    if for while switch return else do sizeof int void char long short unsigned signed float
    double struct union enum const static inline extern
    """.split()
)
_DECLARATOR_LEAVES = frozenset(
    """
    identifier field_identifier type_identifier primitive_type destructor_name operator_name
    operator_cast
    """.split()
)
_EX_KINDS = {
    "def": "function",
    "defp": "function",
    "defmacro": "macro",
    "defmacrop": "macro",
    "defmodule": "module",
    "defprotocol": "interface",
    "defimpl": "module",
}


def names_in(node: SyntaxNode, finder: str) -> Iterator[Named]:
    """Return the names that *node* defines, according to "finder" or "finder:argument"."""
    find, argument = _finder(finder)
    return find(node, argument)


@cache
def _finder(finder: str) -> tuple[NameFinder, str]:
    name, _, argument = finder.partition(":")
    return _FINDERS[name], argument


def _field(node: SyntaxNode, argument: str) -> Iterator[Named]:
    found = node.field(argument)
    if found is not None:
        yield Named(found)


def _fields(node: SyntaxNode, argument: str) -> Iterator[Named]:
    for found in node.field_children(argument):
        if found.is_named() and found.text() != "_":
            yield Named(found)


def _kinds(node: SyntaxNode, argument: str) -> Iterator[Named]:
    kinds = argument.split("|")
    for child in node.children():
        if child.kind() in kinds:
            yield Named(child)
            return


def _all(node: SyntaxNode, argument: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == argument:
            yield Named(child)


def _last(node: SyntaxNode, argument: str) -> Iterator[Named]:
    yield from list(_all(node, argument))[-1:]


def _with_body(node: SyntaxNode, _: str) -> Iterator[Named]:
    name = node.field("name")
    if name is not None and node.field("body") is not None:
        yield _split_scope(name)


def _expression_with_body(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the type that an expression with a class body makes an anonymous subtype of."""
    if any(child.kind() == "class_body" for child in node.children()):
        yield from _field(node, "type")


def _with_scope(node: SyntaxNode, _: str) -> Iterator[Named]:
    name = node.field("name")
    if name is not None:
        yield _split_scope(name)


def _split_scope(name: SyntaxNode, kind: str | None = None) -> Named:
    """Split `A::B`, `M.g` or `M:h` into its last word, the name, and the scope before it."""
    if name.is_leaf():
        return Named(name, kind=kind)
    parts = named_children(name)
    if len(parts) < 2:
        return Named(name, kind=kind)
    last = parts[-1]
    scope = name.text()[: start_of(last) - start_of(name)]
    inner = _split_scope(last, kind)
    return Named(inner.node, plain_scope(scope + inner.scope), kind)


def _declarators(node: SyntaxNode, _: str) -> Iterator[Named]:
    for declarator in node.field_children("declarator"):
        if declarator.is_named():
            yield from _declarator_name(declarator, node.kind())


def _declarator_name(declarator: SyntaxNode, outer: str) -> Iterator[Named]:
    is_function = False
    pointers = 0
    current: SyntaxNode | None = declarator
    while current is not None and current.kind() not in _DECLARATOR_LEAVES:
        kind = current.kind()
        if kind == "qualified_identifier":
            yield _split_scope(current)
            return
        if kind == "function_declarator":
            is_function, pointers = True, 0
        elif kind in ("pointer_declarator", "parenthesized_declarator"):
            pointers += kind == "pointer_declarator"
        current = _inner_declarator(current)
    if current is not None and (outer == "type_definition" or current.text() not in _STATEMENTS):
        prototype = is_function and not pointers and outer in ("declaration", "field_declaration")
        yield Named(current, kind="prototype" if prototype else None)


def _inner_declarator(node: SyntaxNode) -> SyntaxNode | None:
    inner = node.field("declarator")
    if inner is not None:
        return inner
    named = [c for c in node.children() if c.is_named() and not c.kind().startswith("ms_")]
    return named[-1] if named else None


def _py_targets(node: SyntaxNode, _: str) -> Iterator[Named]:
    if parent_of(node).kind() in ("expression_statement", "assignment"):
        yield from _py_target(node.field("left"))


def _py_target(left: SyntaxNode | None) -> Iterator[Named]:
    if left is None:
        return
    if left.kind() == "identifier":
        yield Named(left, kind="constant" if left.text().isupper() else None)
    elif left.kind() in ("pattern_list", "tuple_pattern", "list_pattern"):
        for child in left.children():
            yield from _py_target(child)


def _py_alias(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "type":
            identifier = child.find(kind="identifier")
            if identifier is not None:
                yield Named(identifier)
            return


def _go_method(node: SyntaxNode, _: str) -> Iterator[Named]:
    name, receiver = node.field("name"), node.field("receiver")
    if name is None:
        return
    owner = receiver.find(kind="type_identifier") if receiver is not None else None
    yield Named(name, owner.text() if owner is not None else "")


def _go_type(node: SyntaxNode, _: str) -> Iterator[Named]:
    kinds = {"struct_type": "struct", "interface_type": "interface"}
    body = node.field("type")
    name = node.field("name")
    if name is not None:
        yield Named(name, kind=kinds.get(body.kind()) if body is not None else None)


def _rb_constant(node: SyntaxNode, _: str) -> Iterator[Named]:
    left = node.field("left")
    if left is not None and left.kind() == "constant":
        yield Named(left)


def _php_property(node: SyntaxNode, _: str) -> Iterator[Named]:
    name = node.find(kind="name")
    if name is not None:
        yield Named(name)


def _kt_property(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "variable_declaration":
            yield from _kinds(child, "simple_identifier")


def _swift_property(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "pattern":
            yield from _kinds(child, "simple_identifier")


def _lua_assignment(node: SyntaxNode, _: str) -> Iterator[Named]:
    children = node.children()
    if not children or node.find(kind="function_definition") is None:
        return
    targets, values = children[0].children(), children[-1].children()
    if targets and values and values[0].kind() == "function_definition":
        yield _split_scope(targets[0])


def _ex_call(node: SyntaxNode, _: str) -> Iterator[Named]:
    children = node.children()
    kind = _EX_KINDS.get(children[0].text()) if children else None
    if kind is None or len(children) < 2:
        return
    head = next(iter(named_children(children[1])), None)
    while head is not None and head.kind() in ("binary_operator", "call"):
        head = head.children()[0]
    if head is not None and head.kind() in ("identifier", "alias"):
        yield Named(head, kind=kind)


def _hcl_block(node: SyntaxNode, _: str) -> Iterator[Named]:
    words = [c for c in node.children() if c.kind() in ("identifier", "string_lit")]
    if not words:
        return
    scope = ".".join(word.text().strip('"') for word in words[:-1])
    last = words[-1].find(kind="template_literal") or words[-1]
    yield Named(last, scope)


def _nix_binding(node: SyntaxNode, _: str) -> Iterator[Named]:
    path = node.field("attrpath")
    if path is not None:
        yield _split_scope(path)


_FINDERS: dict[str, NameFinder] = {
    **SCRIPT_FINDERS,
    "field": _field,
    "fields": _fields,
    "kinds": _kinds,
    "all": _all,
    "last": _last,
    "bodied": _with_body,
    "bodied_expression": _expression_with_body,
    "scoped": _with_scope,
    "declarators": _declarators,
    "py_targets": _py_targets,
    "py_alias": _py_alias,
    "go_method": _go_method,
    "go_type": _go_type,
    "rb_constant": _rb_constant,
    "php_property": _php_property,
    "kt_property": _kt_property,
    "swift_property": _swift_property,
    "lua_assignment": _lua_assignment,
    "ex_call": _ex_call,
    "hcl_block": _hcl_block,
    "nix_binding": _nix_binding,
}
