"""Write a new name also where one word names a field and a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# How a field in a pattern of Rust may be bound, before its name.
_BINDING = re.compile(r"\b(?:ref\s+mut|ref|mut)\s+\Z")
# Kinds of nodes, or of their parents, that name a field and a variable with one word.
_SHORTHAND = frozenset(
    """
    shorthand_property_identifier shorthand_property_identifier_pattern
    shorthand_field_initializer shorthand_field_identifier
    """.split()
)


def is_shorthand(kind: str, parent: str) -> bool:
    """Return whether a word names both, by the kinds of its node and of the node's parent."""
    return kind in _SHORTHAND or parent in _SHORTHAND


def write_name(
    text: str, starts: Sequence[int], old: str, new: str, short: set[int], keys: set[int]
) -> str:
    """Return *text* with the new name at *starts*; of a word in *short* only one is renamed.

    That is the key, if it is among *keys*, or else the variable.
    """
    return "".join(_pieces(text, starts, old, new, short, keys))


def _pieces(
    text: str, starts: Sequence[int], old: str, new: str, short: set[int], keys: set[int]
) -> Iterator[str]:
    end = 0
    for start in starts:
        if start not in short:
            yield text[end:start] + new
        elif start in keys:
            begun = _BINDING.search(text, end, start)
            first = begun.start() if begun is not None else start
            yield f"{text[end:first]}{new}: {text[first:start]}{old}"
        else:
            yield f"{text[end:start]}{old}: {new}"
        end = start + len(old)
    yield text[end:]
