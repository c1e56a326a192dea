"""The types of Java's numbers: of literals, and of arithmetic."""

from __future__ import annotations

from redline.code.java.typing.overloads import UNBOXED
from redline.code.references.typed.types import UNKNOWN_TYPE, Head, Shape

_RANKS = ("double", "float", "long", "int")


def number(text: str, *, fraction: bool) -> Shape:
    """Return the type of a literal, given in lower case."""
    if fraction:
        return Shape("float" if text.endswith("f") else "double")
    return Shape("long" if text.endswith("l") else "int")


def promote(left: Shape, right: Shape) -> Shape:
    """Return the type of an arithmetic or boolean operation."""
    heads: set[Head] = {UNBOXED.get(str(shape.head), shape.head) for shape in (left, right)}
    if heads == {"boolean"}:
        return Shape("boolean")
    if not all(head in ("byte", "short", "char", *_RANKS) for head in heads):
        return UNKNOWN_TYPE
    return Shape(next((rank for rank in _RANKS if rank in heads), "int"))
