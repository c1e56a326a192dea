"""The classes that a type annotation names, in Python and TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from redline.code.syntax.node import Node

# A node that spells a class, its name out of a string, or None where it cannot be told.
Word: TypeAlias = Node | str | None
_THROUGH = {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"}
_ANYTHING = {"any", "unknown", "object", "Any", "typing.Any", "t.Any"}
_NAME = re.compile(r"[^\W\d]\w*")
_NOTHING = {"none", "predefined_type", "literal_type", "array_type", "tuple_type", "null"}
_NAMES = {"identifier", "attribute", "type_identifier"}
_NESTED = {
    *("union_type", "parenthesized_type", "readonly_type", "type_annotation", "type"),
    *("binary_operator", "union"),
}


def class_words(node: Node) -> Iterator[Word]:
    """The classes a value so annotated may be of."""
    kind = node.kind()
    if node.text() in _ANYTHING:
        yield None
    elif kind in _NAMES:
        yield node
    elif kind in _NESTED:
        for child in named_children(node):
            yield from class_words(child)
    elif kind == "string":
        yield from _quoted(node.text())
    elif kind in ("subscript", "generic_type"):
        yield from _generic(node)
    elif kind not in _NOTHING:
        yield None


def named_children(node: Node) -> list[Node]:
    """The children that are more than signs."""
    return [child for child in node.children() if child.is_named()]


def _quoted(text: str) -> Iterator[Word]:
    for part in text.strip("\"'").split("|"):
        name = part.strip()
        if name != "None":
            yield name if _NAME.fullmatch(name) else None


def _generic(node: Node) -> Iterator[Word]:
    base = node.field("value") or node.field("name") or node.child(0)
    if base.text().split(".")[-1] not in _THROUGH:
        yield base if base.kind() in _NAMES else None
        return
    inner = named_children(node)[1:]
    if node.kind() == "generic_type":
        inner = [child for part in inner for child in named_children(part)]
    for part in inner[:1] if base.text().endswith("Annotated") else inner:
        yield from class_words(part)
