"""Positions in arrays: the index that `after X`, `between A and B` or `at the end` mean."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import Unclear
from redline.instruct.grammar.adjuncts.positions import ListPosition
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.tokens import Token
from redline.instruct.model.values import Value


def anchor_in(context: EffectContext, anchor: Phrase, array: int | None = None) -> int:
    """Return the one element an anchor names, of *array* where that is known."""
    tree = context.tree
    nodes = anchor.nodes
    if array is not None:
        nodes = tuple(n for n in nodes if tree.parents[n] == array)
    else:
        nodes = context.resolve(anchor, scoped=not anchor.owner).nodes
    if len(nodes) != 1 or not anchor.whole or not tree.is_element(nodes[0]):
        raise Unclear("several", f"{context.text(anchor)!r} is not one element", nodes)
    return nodes[0]


def index_in(context: EffectContext, array: int, position: ListPosition | None) -> int:
    """Return the index before which something goes; the end where no position is said."""
    held = context.tree.values[array]
    assert isinstance(held, list)
    if position is None or position.kind == "back":
        return len(held)
    if position.kind == "front":
        return 0
    if position.kind == "index":
        if position.index > len(held):
            raise Unclear("value", f"there is no index {position.index}", (array,))
        return position.index
    places = [context.tree.keys[anchor_in(context, a, array)] for a in position.anchors]
    first = places[0]
    assert isinstance(first, int)
    if position.kind == "between":
        low, high = sorted(map(int, places))
        if high != low + 1:
            raise Unclear("value", "the two are not side by side", (array,))
        return high
    return first + (position.kind == "after")


def doubt_case(context: EffectContext, token: Token, held: list[Value]) -> None:
    """Doubt a bare word in lower case where every other begins with a capital: `fri`, `Mon`."""
    texts = [item for item in held if isinstance(item, str)]
    capitals = len(texts) == len(held) > 0 and all(text[:1].isupper() for text in texts)
    if token.kind == "word" and capitals and token.text[:1].islower():
        written = token.text.capitalize()
        context.doubt = context.doubt or f"{token.text!r} may be written {written!r} here"
