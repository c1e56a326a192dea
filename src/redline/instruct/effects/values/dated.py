"""The date or time of day that a record put off or brought forward is at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.instruct.effects.outcome import Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.effects.values.moments import is_moment, shift_time
from redline.instruct.grammar.values import TokenSpan

if TYPE_CHECKING:
    from redline.instruct.effects.context import EffectContext


def moments_of(context: EffectContext, found: ResolvedNodes, direction: int) -> ResolvedNodes:
    """Return the one date or time of what is put off, or it itself."""
    tree = context.tree
    nodes: list[int] = []
    for node in found.nodes:
        held = tree.values[node]
        fields = tree.children(node) if isinstance(held, dict) else (node,)
        dated = [f for f in fields if isinstance(v := tree.values[f], str) and is_moment(v)]
        dated = dated if len(dated) < 2 else [f for f in dated if _can_move(context, f, direction)]
        if len(dated) != 1:
            raise Unclear("target", "it is not clear which date is meant", (node,))
        nodes += dated
    return ResolvedNodes(tuple(nodes), found.many, found.whole, found.cost, found.phrase)


def _can_move(context: EffectContext, field: int, direction: int) -> bool:
    """Return whether a date moves by days or a time of day by hours, as it is said."""
    amount, held = context.clause.role("value"), context.tree.values[field]
    if not isinstance(amount, TokenSpan) or not isinstance(held, str):
        return False
    try:
        return bool(shift_time(held, context.text(amount), direction))
    except Unclear:
        return False
