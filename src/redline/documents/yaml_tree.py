"""What rapidyaml's trees say: where a path leads, and the facts of a node or of all below it.

Its emitter stops at a depth of its own, and nothing here recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ryml

from redline.core.errors import CannotApply
from redline.documents.depth import too_deep
from redline.documents.model import MAX_DEPTH

_TYPED = re.compile(
    rb"(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    rb"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)"
    rb"|\.(?:nan|NaN|NAN))?"
)
_NONE = ryml.NONE


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a tree: the document, then keys (bytes) and indexes."""

    document: int
    steps: tuple[bytes | int, ...]


def documents(tree: Any) -> list[int]:
    """The root node of each document."""
    root = tree.root_id()
    return list(children(tree, root)) if tree.is_stream(root) else [root]


def count_of(tree: Any) -> int:
    """How many documents a tree has."""
    root = tree.root_id()
    return int(tree.num_children(root)) if tree.is_stream(root) else 1


def find(tree: Any, where: Where) -> int:
    """The node at *where*; CannotApply when rapidyaml sees no such node."""
    if where.document >= count_of(tree):
        raise CannotApply("The two parsers disagree on the number of documents")
    node = int(tree.root_id())
    if tree.is_stream(node):
        node = int(tree.child(node, where.document))
    for step in where.steps:
        node = _step(tree, node, step)
    return node


def _step(tree: Any, node: int, step: bytes | int) -> int:
    found = _NONE
    if isinstance(step, bytes):
        if tree.is_map(node):
            found = tree.find_child(node, step) if step else _empty_key(tree, node)
    elif tree.is_container(node) and 0 <= step < tree.num_children(node):
        found = tree.child(node, step)
    if found == _NONE:
        raise CannotApply("The two parsers disagree on where the path leads; nothing was changed")
    return int(found)


def is_bare(tree: Any, node: int, entry: bytes) -> bool:
    """Whether a node is exactly *entry*, `key: value`, or its value alone in a list."""
    key, value = entry.split(b": ")
    if tree.has_key(node) and key_facts(tree, node) != (key, False, b"", b""):
        return False
    return _value_facts(tree, node) == ("plain", value, b"", b"")


def has_key(tree: Any, node: int, key: bytes) -> bool:
    """Whether the mapping *node* has the *key*."""
    return bool((tree.find_child(node, key) if key else _empty_key(tree, node)) != _NONE)


def _empty_key(tree: Any, node: int) -> int:
    for child in children(tree, node):
        if not bytes(tree.key(child) or b""):
            return child
    return int(_NONE)


def children(tree: Any, node: int) -> Iterator[int]:
    """The nodes directly below *node*."""
    child = tree.first_child(node)
    while child != _NONE:
        yield int(child)
        child = tree.next_sibling(child)


def tree_parent(tree: Any, node: int) -> int:
    """The collection around *node*."""
    return int(tree.parent(node))


def text_of(tree: Any, node: int) -> Any:
    """Everything a subtree says, for comparison with another."""
    if tree.size() == 1 and not tree.is_container(node) and not tree.has_val(node):
        return ""
    try:
        return ryml.emit_yaml(tree, node)
    except (ryml.ExceptionVisit, ryml.ExceptionBasic):
        return flatten(tree, node)


def require_shallow_tree(tree: Any, depth: int = 0) -> None:
    """Refuse a tree that nests deeper than the limit less *depth*, without recursion."""
    level = [int(tree.root_id())]
    while level:
        if depth > MAX_DEPTH:
            raise too_deep()
        level = [child for node in level for child in children(tree, node)]
        depth += 1


def flatten(tree: Any, top: int) -> list[Any]:
    """A subtree as a flat list of facts; deeper than the limit is refused."""
    facts: list[Any] = []
    stack = [(top, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise too_deep()
        facts.append((depth, key_facts(tree, node), _value_facts(tree, node)))
        stack += [(child, depth + 1) for child in reversed(list(children(tree, node)))]
    return facts


def key_facts(tree: Any, node: int) -> tuple[Any, ...]:
    """What a node's key says; nothing when it has none."""
    if not tree.has_key(node):
        return ()
    anchor = bytes(tree.key_anchor(node)) if tree.has_key_anchor(node) else b""
    tag = bytes(tree.key_tag(node)) if tree.has_key_tag(node) else b""
    return bytes(tree.key(node) or b""), bool(tree.is_key_ref(node)), anchor, tag


def _value_facts(tree: Any, node: int) -> tuple[Any, ...]:
    tag = bytes(tree.val_tag(node)) if tree.has_val_tag(node) else b""
    anchor = bytes(tree.val_anchor(node)) if tree.has_val_anchor(node) else b""
    if tree.is_map(node) or tree.is_seq(node):
        return "map" if tree.is_map(node) else "seq", tag, anchor
    if tree.is_val_ref(node):
        return "alias", bytes(tree.val_ref(node)), tag
    value = bytes((tree.val(node) if tree.has_val(node) else None) or b"")
    if _is_plain(tree, node) and _TYPED.fullmatch(value):
        return (
            "null" if _is_null(value) else "plain",
            b"" if _is_null(value) else value,
            tag,
            anchor,
        )
    return "text", value, tag, anchor


def _is_plain(tree: Any, node: int) -> bool:
    return not (tree.is_val_quoted(node) or tree.is_val_literal(node) or tree.is_val_folded(node))


def texts(tree: Any) -> Iterator[tuple[str, bytes]]:
    """Every scalar that is no key, with its style."""
    stack = [int(tree.root_id())]
    while stack:
        node = stack.pop()
        stack += children(tree, node)
        if not tree.is_container(node) and tree.has_val(node):
            yield _style_of(tree, node), bytes(tree.val(node) or b"")


def _style_of(tree: Any, node: int) -> str:
    for style, is_it in (
        ("double", tree.is_val_dquo),
        ("single", tree.is_val_squo),
        ("literal", tree.is_val_literal),
        ("folded", tree.is_val_folded),
    ):
        if is_it(node):
            return style
    return "plain"


def _is_null(value: bytes) -> bool:
    return value in (b"", b"~", b"null", b"Null", b"NULL")


def plain_values(tree: Any, node: int) -> Any:
    """A subtree as plain values by the YAML 1.2 core schema; aliases stay text."""
    from redline.documents.yaml_values import resolved

    return resolved(tree, node, children)
