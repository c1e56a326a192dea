"""The types of values, as far as declarations state them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from redline.code.references.definition import Definition
from redline.core.records import dataclass

# The definition of a type, or a keyword of the language: `slice`, `map`, `int`.
Head: TypeAlias = Definition | str


@dataclass(frozen=True, slots=True)
class Shape:
    """A type: its head, and the types it is composed of, such as that of its elements."""

    head: Head
    parts: tuple[Shape, ...] = ()


# The type of a value that no declaration determines.
UNKNOWN_TYPE = Shape("?")


def substitute(shape: Shape, given: Mapping[Definition, Shape]) -> Shape:
    """Replace the type parameters of a type by the types *given* for them."""
    if not given:
        return shape
    if isinstance(shape.head, Definition) and shape.head in given:
        return given[shape.head]
    return Shape(shape.head, tuple(substitute(part, given) for part in shape.parts))
