"""A name found in a syntax tree, and small things every way of naming needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

# ast_grep_py ships no types the checker can use; nodes are its SgNode.
Node: TypeAlias = Any


class TextPosition(Protocol):
    """An offset into a text: 0-based line and column, and characters from the beginning."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def index(self) -> int: ...


class TextRange(Protocol):
    """The span of a node: *end* is the position after its last character."""

    @property
    def start(self) -> TextPosition: ...
    @property
    def end(self) -> TextPosition: ...


class SyntaxNode(Protocol):
    """A node of a syntax tree: the part of ast_grep_py's SgNode that resolvers use."""

    def kind(self) -> str: ...
    def text(self) -> str: ...
    def range(self) -> TextRange: ...
    def is_named(self) -> bool: ...
    def is_leaf(self) -> bool: ...
    def parent(self) -> SyntaxNode | None: ...
    def ancestors(self) -> Sequence[SyntaxNode]: ...
    def prev(self) -> SyntaxNode | None: ...
    def next(self) -> SyntaxNode | None: ...
    def child(self, nth: int, /) -> SyntaxNode | None: ...
    def children(self) -> Sequence[SyntaxNode]: ...
    def field(self, name: str, /) -> SyntaxNode | None: ...
    def field_children(self, name: str, /) -> Sequence[SyntaxNode]: ...
    def find(self, **rule: Any) -> SyntaxNode | None: ...
    def find_all(self, **rule: Any) -> Sequence[SyntaxNode]: ...


class Span(NamedTuple):
    """The offsets where a node begins and ends."""

    start: int
    end: int


def span_of(node: SyntaxNode) -> Span:
    """Return the span of *node*."""
    where = node.range()
    return Span(where.start.index, where.end.index)


def required_field(node: SyntaxNode, name: str) -> SyntaxNode:
    """Return the child that the grammar requires under that name."""
    found = node.field(name)
    assert found is not None, f"{node.kind()} without {name}"
    return found


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
