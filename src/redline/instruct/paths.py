"""Parse and resolve exact paths: dotted keys, indexes, JSON Pointers and JSONPath."""

from __future__ import annotations

import re

from redline.core.errors import InvalidArgument
from redline.documents.base.path import parse_path
from redline.instruct.model.operations import Path, is_index
from redline.instruct.model.values import to_plain
from redline.instruct.tree import DocumentTree, Nodes

_POINTER = re.compile(r"(?:/(?:[^/\s]|\\ )*)+")
_DOTTED = re.compile(
    r"(?:[\w$@~-]+|\[(?:-?\d+|\*|\+|\"[^\"]*\"|'[^']*')\])"
    r"(?:\.[\w$@~*-]+|\[(?:-?\d+|\*|\+|\"[^\"]*\"|'[^']*')\])*"
)


def looks_like_path(text: str) -> bool:
    """Return whether *text* looks like a pointer, a JSONPath or a path of several parts."""
    if text.startswith("$"):
        return text[1:2] in (".", "[")
    if text.startswith("/"):
        return _POINTER.fullmatch(text) is not None
    return any(mark in text for mark in ".[") and _DOTTED.fullmatch(text) is not None


def pointer_parts(text: str) -> Path:
    """Return the parts of a JSON Pointer."""
    return tuple(p.replace("~1", "/").replace("~0", "~") for p in text[1:].split("/"))


def path_parts(text: str) -> Path | None:
    """Return the parts of a pointer or dotted path; None when it is malformed.

    A part `+` or `-` means the end of an array, `*` every member.
    """
    if text.startswith("/"):
        return pointer_parts(text)
    raw = text.replace("[+]", '["\0+"]').replace("[*]", '["\0*"]')
    try:
        parts = parse_path(raw)
    except InvalidArgument:
        return None
    return tuple(str(part).removeprefix("\0") for part in parts)


def find(tree: DocumentTree, text: str, start: int = 0) -> Nodes | None:
    """Return the nodes at an exact place; None when *text* is malformed."""
    if text.startswith("$"):
        return find_jsonpath(tree, text)
    parts = path_parts(text)
    if parts is None:
        return None
    nodes: list[int] = [start]
    for part in parts:
        if part == "*":
            nodes = [child for node in nodes for child in tree.children(node)]
        else:
            found = (tree.child(node, part) for node in nodes)
            nodes = [node for node in found if node is not None]
    return tuple(nodes)


def find_jsonpath(tree: DocumentTree, text: str) -> Nodes | None:
    """Return the nodes that a JSONPath selects, in document order; None when it is malformed."""
    from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError

    environment = JSONPathEnvironment()
    # These take regular expressions, which can run for ever.
    for name in ("match", "search"):
        environment.function_extensions.pop(name, None)
    tree.spend(len(tree.values))
    try:
        found: set[int] = set()
        for match in environment.finditer(text, to_plain(tree.document)):
            node = tree.node_at([str(part) for part in match.location])
            tree.spend(20)
            if node is not None:
                found.add(node)
    except (JSONPathError, OverflowError, ValueError, RecursionError, KeyError):
        return None
    return tuple(sorted(found))


def suffix_nodes(tree: DocumentTree, text: str) -> list[int]:
    """Return the nodes whose path ends with the keys of a dotted path."""
    parts = path_parts(text) or ()
    if len(parts) < 2 or text.startswith(("/", "$")):
        return []
    found = []
    for node in tree.by_key.get(parts[-1], []):
        above, left = node, list(parts)
        while left and above > 0 and str(tree.keys[above]) == left[-1]:
            left.pop()
            above = tree.parents[above]
        if not left:
            found.append(node)
    return found


def object_for_new_key(tree: DocumentTree, path: Path) -> int | None:
    """Return the object to which the last key of *path* can be added.

    None when the parent is missing, is no object, or has the key already.
    """
    holder = tree.node_at(path[:-1])
    if holder is None or not isinstance(tree.values[holder], dict):
        return None
    return holder if path[-1] not in tree.values[holder] else None  # type: ignore[operator]


def insertion_point(tree: DocumentTree, path: Path) -> tuple[int, int] | None:
    """Return the array and the index at which *path* inserts an element.

    None when the parent is no array, or the last part is neither an index in it nor `+` or `-`.
    """
    holder = tree.node_at(path[:-1]) if path else None
    if holder is None:
        return None
    value = tree.values[holder]
    if not isinstance(value, list):
        return None
    if path[-1] in ("+", "-"):
        return holder, len(value)
    return (holder, int(path[-1])) if is_index(path[-1]) and int(path[-1]) <= len(value) else None
