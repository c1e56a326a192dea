"""What to colour in a source text: comments, strings, numbers, keywords, names of definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import SyntaxNode

_WORD = re.compile(r"[A-Za-z_#@][\w-]*")
_STRINGS = re.compile(r".*(string|char|heredoc|template|regex|rune)(_literal|_content|$)")
_NUMBERS = re.compile(r".*(integer|float|number|decimal|hex|numeric)")
_VALUES = frozenset({"true", "false", "none", "null", "nil", "undefined", "boolean"})
_CALLS = frozenset({"call", "call_expression", "method_invocation", "macro_invocation"})
_DEFINES = re.compile(r".*(function|method|class|struct|enum|trait|interface|type|constructor)")
_MAX_SPANS = 50_000


class ColourSpan(NamedTuple):
    """Columns [start, end) of a line, from 0, and the class of what is there."""

    line: int
    start: int
    end: int
    kind: str


def colour_lines(parsed: Parsed, ranges: Sequence[tuple[int, int]]) -> list[ColourSpan]:
    """Return the spans of the lines in *ranges*; what lies outside of them is not visited."""
    lines = parsed.text.split("\n")
    found: list[ColourSpan] = []
    for node, kind in _coloured_nodes(parsed.root, sorted(ranges)):
        where = node.range()
        first, last = where.start, where.end
        for line in range(first.line, min(last.line, len(lines) - 1) + 1):
            start = first.column if line == first.line else 0
            end = last.column if line == last.line else len(lines[line])
            if start < end:
                found.append(ColourSpan(line, start, end, kind))
        if len(found) >= _MAX_SPANS:
            break
    return sorted(found)


def _coloured_nodes(
    root: SyntaxNode, ranges: Sequence[tuple[int, int]]
) -> Iterator[tuple[SyntaxNode, str]]:
    """Yield the outermost nodes with a colour."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        kind = _class_of(node)
        if kind:
            yield node, kind
            continue
        for child in reversed(list(node.children())):
            where = child.range()
            first, last = where.start.line, where.end.line
            if any(first < end and last >= start for start, end in ranges):
                waiting.append(child)


def _class_of(node: SyntaxNode) -> str:
    kind = node.kind()
    if "comment" in kind:
        return "c"
    if not node.is_named():
        return "k" if _WORD.fullmatch(kind) else ""
    if kind in _VALUES:
        return "n"
    if _STRINGS.fullmatch(kind):
        return "" if _has_substitution(node) else "s"
    if node.is_leaf():
        return _class_of_leaf(node, kind)
    return ""


def _class_of_leaf(node: SyntaxNode, kind: str) -> str:
    if _NUMBERS.fullmatch(kind):
        return "n"
    if kind.startswith("string") or kind == "escape_sequence" or kind == "quoted_content":
        return "s"
    if "type_identifier" in kind or kind == "primitive_type":
        return "t"
    parent = node.parent()
    if parent is None or "identifier" not in kind:
        return ""
    above = parent.kind()
    if _DEFINES.match(above) and _is_field(parent, "name", node):
        return "d"
    if above in _CALLS and (_is_field(parent, "function", node) or _is_field(parent, "name", node)):
        return "f"
    return ""


def _has_substitution(node: SyntaxNode) -> bool:
    return any(
        "interpolation" in child.kind() or "substitution" in child.kind()
        for child in node.children()
    )


def _is_field(parent: SyntaxNode, name: str, node: SyntaxNode) -> bool:
    found = parent.field(name)
    return found is not None and found.range().start.index == node.range().start.index
