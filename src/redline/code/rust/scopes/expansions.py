"""Parse macro arguments as the expressions or items that they mostly are.

A syntax tree keeps the arguments of a macro as loose tokens. They are parsed again in a text that
is blank but for those arguments, so that offsets in it are offsets in the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from redline.code.syntax.node import Span, SyntaxNode, span_of

# Macros nested in the arguments of macros are followed this far.
_MAX_DEPTH = 4


class Expansions:
    """The parsed arguments of the macros that contain a wanted name, by their offset."""

    def __init__(self, root: SyntaxNode, text: str, offsets: Sequence[int]) -> None:
        self._text = text
        self._offsets = offsets
        self._found: dict[int, SyntaxNode] = {}
        self._items: dict[int, list[SyntaxNode]] = {}
        self._read_items(root)
        tree: SyntaxNode | None = root if offsets else None
        for _ in range(_MAX_DEPTH):
            tree = self._read(tree) if tree is not None else None

    def of(self, tokens: SyntaxNode) -> SyntaxNode | None:
        """Return the list of expressions in a macro's tokens; None if they do not parse as one."""
        return self._found.get(tokens.range().start.index)

    def items_of(self, tokens: SyntaxNode) -> list[SyntaxNode] | None:
        """Return the items in the braces of a macro among items; None if they are none."""
        return self._items.get(tokens.range().start.index)

    def _read_items(self, root: SyntaxNode) -> None:
        """Parse what is in the braces of macros among items: `with_feature! { mod a; }`."""
        found = [each for each in root.find_all(kind="macro_invocation") if _is_item(each)]
        spans = [span for span in map(_braces, found) if span]
        if not spans:
            return
        pieces: list[str] = []
        at = 0
        for first, last in spans:
            pieces += [_blank(self._text[at : first + 1]), self._text[first + 1 : last - 1], " "]
            at = last
        tree = _parse("".join(pieces))
        for first, last in spans:
            inside = [each for each in tree.children() if first <= span_of(each).start < last]
            if inside and all(_is_whole_item(each, last) for each in inside):
                self._items[first] = inside

    def _read(self, root: SyntaxNode) -> SyntaxNode | None:
        """Parse the arguments of all macros in a tree at once."""
        spans = [span for span in map(_span, root.find_all(kind="macro_invocation")) if span]
        spans = [span for span in spans if self._matters(*span)]
        if not spans:
            return None
        tree = _parse(_only(self._text, spans))
        lists = {node.range().start.index: node for node in tree.find_all(kind="array_expression")}
        for first, last in spans:
            node = lists.get(first)
            if node is not None and node.range().end.index == last and not _is_broken(node):
                self._found[first] = node
        return tree

    def _matters(self, first: int, last: int) -> bool:
        at = bisect_left(self._offsets, first)
        return at < len(self._offsets) and self._offsets[at] < last


def _parse(text: str) -> SyntaxNode:
    from redline.code.syntax.definitions import parse
    from redline.code.syntax.languages import language_of

    language = language_of("a.rs")
    assert language is not None
    return parse(text, language).root


def _is_item(node: SyntaxNode) -> bool:
    """Return whether a macro is called where items are declared, not in a function."""
    around = node.parent()
    if around is not None and around.kind() == "expression_statement":
        around = around.parent()
    outer = around.parent() if around is not None and around.kind() == "declaration_list" else None
    kinds = {around.kind() if around is not None else "", outer.kind() if outer is not None else ""}
    return bool(kinds & {"source_file", "mod_item"})


def _braces(node: SyntaxNode) -> Span | None:
    tokens = next((c for c in node.children() if c.kind() == "token_tree"), None)
    return span_of(tokens) if tokens is not None and tokens.text()[:1] == "{" else None


def _is_whole_item(node: SyntaxNode, end: int) -> bool:
    is_known = node.kind().endswith(("_item", "_declaration", "_comment"))
    return is_known and span_of(node).end <= end and not _is_broken(node)


def _span(node: SyntaxNode) -> Span | None:
    tokens = next((c for c in node.children() if c.kind() == "token_tree"), None)
    if tokens is None or tokens.text()[:1] == "{":
        return None
    return span_of(tokens)


def _only(text: str, spans: list[Span]) -> str:
    """Blank everything but the lists at those spans, and make each a statement."""
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


def _is_broken(node: SyntaxNode) -> bool:
    return node.find(kind="ERROR") is not None
