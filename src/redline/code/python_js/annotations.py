"""Find the classes that a type annotation names, in Python and TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from redline.code.syntax.node import SyntaxNode, named_children

# A node that names a class, a name from a quoted annotation, or None if it is unknown.
ClassName: TypeAlias = SyntaxNode | str | None
_THROUGH = {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"}
_ANYTHING = {"any", "unknown", "object", "Any", "typing.Any", "t.Any"}
_NAME = re.compile(r"[^\W\d]\w*")
_NOTHING = {"none", "predefined_type", "literal_type", "array_type", "tuple_type", "null"}
_NAMES = {"identifier", "attribute", "type_identifier"}
_NESTED = {
    *("union_type", "parenthesized_type", "readonly_type", "type_annotation", "type"),
    *("binary_operator", "union"),
}


def is_anything(node: SyntaxNode) -> bool:
    """Return whether an annotation says that a value may be anything."""
    return node.text() in _ANYTHING


def class_names(node: SyntaxNode) -> Iterator[ClassName]:
    """Yield the classes that a value with this annotation may be an instance of."""
    kind = node.kind()
    if is_anything(node):
        yield None
    elif kind in _NAMES:
        yield node
    elif kind in _NESTED:
        for child in named_children(node):
            yield from class_names(child)
    elif kind == "string":
        yield from _names_in_string(node.text())
    elif kind in ("subscript", "generic_type"):
        yield from _generic(node)
    elif kind not in _NOTHING:
        yield None


def _names_in_string(text: str) -> Iterator[ClassName]:
    for part in text.strip("\"'").split("|"):
        name = part.strip()
        if name != "None":
            yield name if _NAME.fullmatch(name) else None


def _generic(node: SyntaxNode) -> Iterator[ClassName]:
    base = node.field("value") or node.field("name") or node.children()[0]
    if base.text().split(".")[-1] not in _THROUGH:
        yield base if base.kind() in _NAMES else None
        return
    inner = type_arguments(node)
    for part in inner[:1] if base.text().endswith("Annotated") else inner:
        yield from class_names(part)


def type_arguments(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the types in the brackets of a type."""
    inner = named_children(node)[1:]
    if node.kind() != "generic_type":
        return inner
    return [child for part in inner for child in named_children(part)]
