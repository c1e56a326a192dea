"""Note names among macro tokens that are not expressions, judging by the token before."""

from __future__ import annotations

from collections.abc import Iterator

from redline.code.rust.scopes.names import MemberForm, RustNames
from redline.code.scopes.model import ANY, Scope
from redline.code.syntax.node import SyntaxNode

_WORDS = {"identifier", "type_identifier", "self", "super", "crate", "metavariable"}
# Tokens after which a name is declared.
_BINDING = {"$", "fn", "struct", "ref", "let", "mut", "|", "enum", "mod", "trait", "type"}


def note_tokens(tokens: SyntaxNode, names: RustNames, scope: Scope) -> None:
    """Note the words whose context shows what they are; others stay undetermined."""
    leaves = list(leaves_of(tokens))
    for nth, leaf in enumerate(leaves):
        if leaf.kind() != "identifier":
            continue
        before = leaves[nth - 1].text() if nth else ""
        after = leaves[nth + 1].text() if nth + 1 < len(leaves) else ""
        if after == "!":
            names.member(leaf, scope, MemberForm.MACRO)
        elif before in (".", "::"):
            _note_after(leaves, nth, names, scope)
        elif after != ":" and before not in _BINDING:
            names.refer(leaf, scope, ANY)


def _note_after(leaves: list[SyntaxNode], nth: int, names: RustNames, scope: Scope) -> None:
    """Note a word of a path, or one after a dot, which is certain only for `self`."""
    leaf, owner = leaves[nth], leaves[nth - 2]
    if leaves[nth - 1].text() == ".":
        if owner.kind() == "self" and leaves[nth - 3].text() != ".":
            is_called = nth + 1 < len(leaves) and leaves[nth + 1].text() == "("
            names.member(leaf, scope, MemberForm.CALLED if is_called else MemberForm.FIELD, owner)
        return
    path = _path(leaves, nth)
    if path is not None:
        names.prefixes[leaf.range().start.index] = path
        names.member(leaf, scope, MemberForm.PREFIX)


def leaves_of(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the tokens of a macro's arguments, in order."""
    for child in node.children():
        if child.kind() == "token_tree":
            yield from leaves_of(child)
        else:
            yield child


def _path(leaves: list[SyntaxNode], nth: int) -> tuple[str, ...] | None:
    """Return the path that ends with a word; None if it does not begin with a name."""
    words = [leaves[nth].text()]
    while nth >= 2 and leaves[nth - 1].text() == "::":
        nth -= 2
        if leaves[nth].kind() not in _WORDS:
            return None
        words.insert(0, leaves[nth].text())
    if words[0].startswith("$"):
        words[0] = "crate"
    return tuple(words)
