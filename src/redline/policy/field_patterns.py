"""Which values inside a document a rule is about: `spec.replicas`, `containers[*].image`, `**.id`.

A pattern is a document path (see `documents.base.path`) in which `*` is any one key or position and
`**` any number of them. It is about the value it names and everything inside that value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from redline.core.records import dataclass
from redline.documents.base.path import parse_path

# The way into a document: keys, and positions in lists.
Steps: TypeAlias = tuple[str | int, ...]
_ANY, _MANY = "*", "**"
# Changes touch the same values again and again.
_MAX_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class FieldPattern:
    """A pattern in its own words and as steps."""

    text: str
    steps: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> FieldPattern:
        """Read a pattern; InvalidArgument."""
        path = parse_path(text.replace("[*]", f'["{_ANY}"]'))
        return cls(text, tuple(str(step) for step in path))

    def matches(self, steps: Steps) -> bool:
        """Return whether a value at *steps* is what this names or lies inside of it.

        Keys and positions are compared alike.
        """
        return _matches(self.steps, steps)


@lru_cache(_MAX_REMEMBERED)
def _matches(pattern: tuple[str, ...], steps: Steps) -> bool:
    """Walk all ways through the pattern at once: linear in both, however many wildcards."""
    positions = _skip(pattern, {0})
    for step in steps:
        if len(pattern) in positions:
            return True
        after = set()
        for at in positions:
            if pattern[at] == _MANY:
                after.add(at)
            elif pattern[at] in (_ANY, str(step)):
                after.add(at + 1)
        positions = _skip(pattern, after)
    return len(pattern) in positions


def _skip(pattern: Sequence[str], positions: set[int]) -> set[int]:
    found = set(positions)
    for at in sorted(positions):
        while at < len(pattern) and pattern[at] == _MANY:
            at += 1
            found.add(at)
    return found
