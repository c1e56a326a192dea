"""Find the paths that workspace macros build from their arguments, such as `Kind::$name`.

Only simple macros are followed: comma-separated arguments, one per parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.rust.scopes.names import Path
from redline.code.rust.scopes.tokens import leaves_of
from redline.code.syntax.node import Span, SyntaxNode

_OPENING, _CLOSING = "([{", ")]}"


def paths_from_macro(
    macro: SyntaxNode, text: str, first: int, last: int, start: int
) -> Iterator[Path]:
    """Yield the paths built from the word at *start* in the arguments at *first* to *last*."""
    spans = list(_arguments(text, first + 1, last - 1))
    nth = next((n for n, (at, end) in enumerate(spans) if at <= start < end), None)
    if nth is None or not text[slice(*spans[nth])].strip().isidentifier():
        return
    given = [text[slice(*span)].strip() for span in spans]
    for rule in macro.children():
        if rule.kind() != "macro_rule":
            continue
        left, right = rule.field("left"), rule.field("right")
        if left is None or right is None:
            continue
        words = [c.children()[0].text() for c in left.children() if _is_parameter(c)]
        if len(words) == len(given):
            yield from _paths(
                list(leaves_of(right)), dict(zip(words, given, strict=True)), words[nth]
            )


def takes_fields_of_self(macro: SyntaxNode) -> bool:
    """Return whether a macro accesses what it is given as a field of `self`."""
    return re.search(r"\bself\s*\.\s*\$", macro.text()) is not None


def _paths(leaves: list[SyntaxNode], given: dict[str, str], wanted: str) -> Iterator[Path]:
    """Yield the paths in a macro body that end with a parameter, parameters substituted."""
    for nth, leaf in enumerate(leaves):
        if leaf.text() != wanted or nth < 2 or leaves[nth - 1].text() != "::":
            continue
        words = [given[wanted]]
        at = nth
        while at >= 2 and leaves[at - 1].text() == "::":
            at -= 2
            written = leaves[at].text()
            words.insert(0, "crate" if written == "$crate" else given.get(written, written))
        if all(word.isidentifier() for word in words):
            yield tuple(words)


def _is_parameter(node: SyntaxNode) -> bool:
    return node.kind() == "token_binding_pattern"


def _arguments(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield the spans of the comma-separated arguments."""
    depth, begin = 0, first
    for at in range(first, last):
        char = text[at]
        depth += (char in _OPENING) - (char in _CLOSING)
        if char == "," and not depth:
            yield Span(begin, at)
            begin = at + 1
    if text[begin:last].strip():
        yield Span(begin, last)
