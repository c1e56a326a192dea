"""Types for nodes of syntax trees, and helpers that every name finder needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from redline.core.records import dataclass


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


def parent_of(node: SyntaxNode) -> SyntaxNode:
    """Return the parent of a node that is not the root of its tree."""
    found = node.parent()
    assert found is not None, f"{node.kind()} without parent"
    return found


def required_field(node: SyntaxNode, name: str) -> SyntaxNode:
    """Return the child that the grammar requires under that name."""
    found = node.field(name)
    assert found is not None, f"{node.kind()} without {name}"
    return found


def start_of(node: SyntaxNode) -> int:
    """Return the character offset at which *node* begins."""
    return node.range().start.index


def begins_at(node: SyntaxNode | None, other: SyntaxNode) -> bool:
    """Return whether *node* exists and begins where *other* does."""
    return node is not None and start_of(node) == start_of(other)


def named_children(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the children of *node* that are not punctuation or keywords."""
    return [child for child in node.children() if child.is_named()]


class Named(NamedTuple):
    """The name of a definition, with the scope written before it and what it names if known."""

    node: SyntaxNode | LeafSlice
    scope: str = ""
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a text, counted as syntax trees count."""

    line: int
    column: int
    index: int


@dataclass(frozen=True, slots=True)
class LeafSlice:
    """Part of a leaf's text, such as a word in a comment; has the text and start of a node."""

    content: str
    start: Position

    @classmethod
    def within(cls, node: SyntaxNode, text: str, start: int, end: int) -> LeafSlice:
        """Return characters [start, end) of the *text* of *node*."""
        at = node.range().start
        line = at.line + text.count("\n", 0, start)
        column = start - (text.rfind("\n", 0, start) + 1)
        return cls(text[start:end], Position(line, column, at.index + start))

    def text(self) -> str:
        """Return the characters themselves."""
        return self.content

    def range(self) -> LeafSlice:
        """Return an object with the `start` position, as a node does."""
        return self


NameFinder: TypeAlias = Callable[[SyntaxNode, str], Iterator[Named]]


def plain_scope(text: str) -> str:
    """Return a scope in dotted form, without type arguments."""
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
