"""The types of numbers: of literals, and of what is computed from two."""

from __future__ import annotations

from redline.code.java.typing.overloads import UNBOXED
from redline.code.references.typed.types import OPEN, Head, Shape

_RANKS = ("double", "float", "long", "int")


def number(text: str, *, fraction: bool) -> Shape:
    """The type of a literal, in lower case."""
    if fraction:
        return Shape("float" if text.endswith("f") else "double")
    return Shape("long" if text.endswith("l") else "int")


def promoted(left: Shape, right: Shape) -> Shape:
    """The type of a sum of two numbers, or of two booleans."""
    heads: set[Head] = {UNBOXED.get(str(shape.head), shape.head) for shape in (left, right)}
    if heads == {"boolean"}:
        return Shape("boolean")
    if not all(head in ("byte", "short", "char", *_RANKS) for head in heads):
        return OPEN
    return Shape(next((rank for rank in _RANKS if rank in heads), "int"))
