"""Loose words that a macro is given, where they are no expressions: what stands before tells."""

from __future__ import annotations

from collections.abc import Iterator

from redline.code.rust.scopes.names import RustNames
from redline.code.scopes.model import ANY, Scope
from redline.code.syntax.node import Node

_WORDS = {"identifier", "type_identifier", "self", "super", "crate", "metavariable"}
# Words after which a name is new.
_BINDING = {"$", "fn", "struct", "ref", "let", "mut", "|", "enum", "mod", "trait", "type"}


def note_tokens(tokens: Node, names: RustNames, scope: Scope) -> None:
    """Note the words whose place says what they are; others are left open."""
    leaves = list(leaves_of(tokens))
    for nth, leaf in enumerate(leaves):
        if leaf.kind() != "identifier":
            continue
        before = leaves[nth - 1].text() if nth else ""
        after = leaves[nth + 1].text() if nth + 1 < len(leaves) else ""
        if after == "!":
            names.member(leaf, scope, "macro")
        elif before in (".", "::"):
            _note_after(leaves, nth, names, scope)
        elif after != ":" and before not in _BINDING:
            names.refer(leaf, scope, ANY)


def _note_after(leaves: list[Node], nth: int, names: RustNames, scope: Scope) -> None:
    """A word after a dot, of which only those of `self` are plain, or within a path."""
    leaf, owner = leaves[nth], leaves[nth - 2]
    if leaves[nth - 1].text() == ".":
        if owner.kind() == "self" and leaves[nth - 3].text() != ".":
            is_called = nth + 1 < len(leaves) and leaves[nth + 1].text() == "("
            names.member(leaf, scope, "called" if is_called else "field", owner)
        return
    path = _path(leaves, nth)
    if path is not None:
        names.prefixes[leaf.range().start.index] = path
        names.member(leaf, scope, "prefix")


def leaves_of(node: Node) -> Iterator[Node]:
    """The words and signs of a macro's tokens, in order."""
    for child in node.children():
        if child.kind() == "token_tree":
            yield from leaves_of(child)
        else:
            yield child


def _path(leaves: list[Node], nth: int) -> tuple[str, ...] | None:
    """The path that ends with a word; None where it does not begin with one."""
    words = [leaves[nth].text()]
    while nth >= 2 and leaves[nth - 1].text() == "::":
        nth -= 2
        if leaves[nth].kind() not in _WORDS:
            return None
        words.insert(0, leaves[nth].text())
    if words[0].startswith("$"):
        words[0] = "crate"
    return tuple(words)
