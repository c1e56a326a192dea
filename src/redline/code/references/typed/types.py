"""The types of values, as far as declarations say them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from redline.code.references.definition import Thing

# The thing that defines a type, or a word of the language: `slice`, `map`, `int`.
Head: TypeAlias = Thing | str


@dataclass(frozen=True, slots=True)
class Shape:
    """A type: what heads it, and the types it is made of, such as those of its elements."""

    head: Head
    parts: tuple[Shape, ...] = ()


# The type of a value that nothing declares plainly.
OPEN = Shape("?")
