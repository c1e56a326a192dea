"""What is passed to macros, read as the expressions it mostly is.

A syntax tree keeps the arguments of a macro as loose words. They are parsed again: in a text that
is blank but for those arguments, so that every place in it is the place in the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from redline.code.syntax.node import Node

_DEEPEST = 4


class Expansions:
    """The arguments of the macros that hold a word that is asked for, by where they begin."""

    def __init__(self, root: Node, text: str, spots: Sequence[int]) -> None:
        self._text = text
        self._spots = spots
        self._found: dict[int, Node] = {}
        tree: Node | None = root if spots else None
        for _ in range(_DEEPEST):
            tree = self._read(tree) if tree is not None else None

    def of(self, tokens: Node) -> Node | None:
        """The list of expressions that the tokens of a macro are; None where they are not."""
        return self._found.get(tokens.range().start.index)

    def _read(self, root: Node) -> Node | None:
        """Parse the arguments of all macros of a tree at once."""
        spans = [span for span in map(_span, root.find_all(kind="macro_invocation")) if span]
        spans = [(first, last) for first, last in spans if self._matters(first, last)]
        if not spans:
            return None
        from redline.code.syntax.definitions import parse
        from redline.code.syntax.languages import language_of

        language = language_of("a.rs")
        assert language is not None
        tree = parse(_only(self._text, spans), language).root
        lists = {node.range().start.index: node for node in tree.find_all(kind="array_expression")}
        for first, last in spans:
            node = lists.get(first)
            if node is not None and node.range().end.index == last and not _is_broken(node):
                self._found[first] = node
        return tree

    def _matters(self, first: int, last: int) -> bool:
        at = bisect_left(self._spots, first)
        return at < len(self._spots) and self._spots[at] < last


def _span(node: Node) -> tuple[int, int] | None:
    tokens = next((c for c in node.children() if c.kind() == "token_tree"), None)
    if tokens is None or tokens.text()[:1] == "{":
        return None
    where = tokens.range()
    return where.start.index, where.end.index


def _only(text: str, spans: list[tuple[int, int]]) -> str:
    """A text that has nothing but those lists at their places, each a statement."""
    pieces: list[str] = []
    at = 0
    for first, last in sorted(spans):
        if first <= at:
            continue
        pieces += [_blank(text[at : first - 1]), ";[", text[first + 1 : last - 1], "]"]
        at = last
    return "".join(pieces)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _is_broken(node: Node) -> bool:
    return node.find(kind="ERROR") is not None
