"""What a clause leaves out because the one before it says it: the field, the place, the value."""

from __future__ import annotations

from dataclasses import replace

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import Unclear
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.lexicon.senses import Sort


def complete_target(context: EffectContext, target: Phrase | None) -> Phrase:
    """Return what a clause is about, with what the clause before says of it."""
    target = target if target is not None else _same_target(context)
    if context.clause.gap and context.previous is not None:
        return _complete(context, target)
    return target


def _complete(context: EffectContext, target: Phrase) -> Phrase:
    """Return the same field of another record: `Alice's age to 36 and Bob's to 29`."""
    if target.sort is Sort.ELEMENT and context.chart.low(context.clause.start) in ("of", "for"):
        raise Unclear("target", f"{context.text(target)!r} has no such field", target.nodes)
    sections = target.sort in (Sort.KEY, Sort.PATH) and all(
        isinstance(context.tree.values[n], dict) for n in target.nodes
    )
    if target.many or not (sections or target.sort in (Sort.RECORD, Sort.ITEMS)):
        return target
    assert context.previous is not None
    before = context.previous.role("target")
    keys = {context.tree.keys[n] for n in before.nodes} if before is not None else set()
    if len(keys) != 1 or not isinstance(key := keys.pop(), str):
        return target
    nodes = context.tree.inside(context.tree.by_key[key], target.nodes)
    if not nodes:
        return target
    return replace(target, nodes=tuple(nodes), sort=Sort.KEY, whole=True, part=not target.whole)


def _same_target(context: EffectContext) -> Phrase:
    """Return the target of the clause before, for `to 6 in production`."""
    previous = context.previous
    target = previous.role("target") if previous is not None else None
    if target is None or not context.clause.scopes:
        raise Unclear("clause", "it is not clear what is to be set")
    return target  # type: ignore[no-any-return]


def same_value(context: EffectContext) -> TokenSpan:
    """Return the value of the clause before, for `and the limit to the same`."""
    previous = context.previous
    value = previous.role("value") if previous is not None else None
    if not isinstance(value, TokenSpan) or previous is None or previous.effect != "assign":
        raise Unclear("value", "it is not clear which value is meant again")
    return value
