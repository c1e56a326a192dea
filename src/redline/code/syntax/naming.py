"""Find the name of a definition in its node, with one small finder per naming pattern.

language_rules.py refers to a finder as "finder" or "finder:argument". Each finder yields the node
of the name, the scope written in front of it (`Shop` in `Shop.open`), and the kind of definition
where the node kind alone does not determine it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from redline.code.syntax.naming_script import SCRIPT_FINDERS
from redline.code.syntax.node import (
    Named,
    NameFinder,
    SyntaxNode,
    named_children,
    parent_of,
    plain_scope,
    start_of,
)

# Words that the parser mistakes for function names where macros break up a statement.
_STATEMENTS = {
    *("if", "for", "while", "switch", "return", "else", "do", "sizeof"),
    *("int", "void", "char", "long", "short", "unsigned", "signed", "float", "double"),
    *("struct", "union", "enum", "const", "static", "inline", "extern"),
}
_DECLARATOR_LEAVES = {
    "identifier",
    "field_identifier",
    "type_identifier",
    "primitive_type",
    "destructor_name",
    "operator_name",
    "operator_cast",
}
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
