"""One clause with two effects: a switch and settings beside it, an amount taken here to there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from redline.instruct.effects import numbers, states
from redline.instruct.effects.adding import keys
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.model.values import Num


def switch_and_set(context: EffectContext) -> EffectOutcome:
    """Turn something on or off and give its settings values: `enable x with min 2 and max 5`."""
    clause = context.clause
    owner, pairs = clause.role("target"), clause.role("pairs")
    if owner.many and context.chart.low(owner.end) == "with":
        raise Unclear("target", f"what follows {context.text(owner)!r} may say which are meant")
    on = _part(context, "switch", clause.extra, (("target", owner),))
    first = states.switch(on)
    fields = _part(context, "setfields", "", (("owner", owner), ("pairs", pairs)))
    second = keys.set_fields(fields)
    return _both(context, (on, fields), first, second)


def transfer(context: EffectContext) -> EffectOutcome:
    """Take an amount from one number and add it to another."""
    clause = context.clause
    origin, goal, amount = clause.role("origin"), clause.role("goal"), clause.role("value")
    field = clause.role("target")
    if set(origin.nodes) & set(goal.nodes):
        raise Unclear("target", "the two places are the same", origin.nodes)

    def part(place: Any, way: str) -> EffectContext:
        owned = (("owner", place), ("target", field), ("value", amount))
        plain = (("target", place), ("value", amount))
        return _part(context, "shift", way, plain if field is None else owned)

    less, more = part(origin, "down"), part(goal, "up")
    first, second = numbers.shift(less), numbers.shift(more)
    for outcome in (first, second):
        held = [o.old for o in outcome.operations]
        if len(held) != 1 or not isinstance(held[0], Num):
            raise Unclear("several", "it is not clear between which numbers", origin.nodes)
    return _both(context, (less, more), first, second)


def _part(
    context: EffectContext, effect: str, extra: str, roles: tuple[tuple[str, Any], ...]
) -> EffectContext:
    clause = replace(context.clause, effect=effect, extra=extra, roles=roles)
    return replace(context, clause=clause, doubt="", cost=0)


def _both(
    context: EffectContext,
    parts: tuple[EffectContext, EffectContext],
    first: EffectOutcome,
    second: EffectOutcome,
) -> EffectOutcome:
    context.scoped = context.scoped or all(part.scoped for part in parts)
    return EffectOutcome(
        (*first.operations, *second.operations),
        first.note or second.note,
        first.found,
        doubt=first.doubt or second.doubt,
        cost=first.cost + second.cost,
        unexplained=(*first.unexplained, *second.unexplained),
    )
