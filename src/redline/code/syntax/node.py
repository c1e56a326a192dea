"""A name found in a syntax tree, and small things every way of naming needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

# ast_grep_py ships no types the checker can use; nodes are its SgNode.
Node: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Named:
    """A name: where it is spelled, under which scope, and a kind that overrides the rule's."""

    node: Node
    scope: str = ""
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text, counted as syntax trees count."""

    line: int
    column: int
    index: int


@dataclass(frozen=True, slots=True)
class Spot:
    """Words within a leaf of the tree; answers like a node."""

    words: str
    start: Position

    @classmethod
    def within(cls, node: Node, text: str, start: int, end: int) -> Spot:
        """Characters [start, end) of the *text* of *node*."""
        at = node.range().start
        line = at.line + text.count("\n", 0, start)
        column = start - (text.rfind("\n", 0, start) + 1)
        return cls(text[start:end], Position(line, column, at.index + start))

    def text(self) -> str:
        """What is spelled."""
        return self.words

    def range(self) -> Spot:
        """Where it is spelled."""
        return self


Finder: TypeAlias = Callable[[Node, str], Iterator[Named]]


def plain_scope(text: str) -> str:
    """A scope in dotted form, without type arguments."""
    depth = 0
    kept: list[str] = []
    for char in text:
        if char in "<[":
            depth += 1
        elif char in ">]":
            depth -= 1
        elif depth == 0:
            kept.append(char)
    words = "".join(kept).replace("::", ".").replace("->", ".").replace(":", ".")
    return ".".join(word.strip() for word in words.split(".") if word.strip())
