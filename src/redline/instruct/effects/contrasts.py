"""The place that holds the old value gets the new one, where just one place does."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.effects.values.shapes import has_shape
from redline.instruct.effects.values.typing import type_value
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import ARTICLES, STRUCTURAL, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import MAX_SEARCHED_NODES
from redline.instruct.model.values import Num, same


def instead(context: EffectContext) -> EffectOutcome:
    """Replace the one value there is of what is said to be no longer so."""
    tree, new = context.tree, context.clause.role("new")
    if len(tree.values) > MAX_SEARCHED_NODES:
        raise Unclear("target", "it is not clear which place is meant")
    old = without_article(context, context.clause.role("old"))
    holding = [n for n in range(1, len(tree.values)) if holds(context, n, old)]
    telling = context.clause.role("telling")
    named = _places_named(context, telling.start, telling.end)
    fitting = [n for n in holding if all(tree.inside((n,), nodes) for nodes in named)]
    if len(fitting) != 1:
        rank = "several" if len(fitting) > 1 else "target"
        raise Unclear(rank, f"{context.text(old)!r} is not one value here", tuple(fitting))
    held = tree.values[fitting[0]]
    if isinstance(held, str) and not has_shape(held) and context.text(new)[:1].isdigit():
        raise Unclear("type", "a number takes the place of no text", tuple(fitting))
    found = ResolvedNodes(tuple(fitting))
    return context.each(found, lambda node: context.type_value(new, node), 0.9)


def without_article(context: EffectContext, span: TokenSpan) -> TokenSpan:
    first = context.chart.low(span.start)
    longer = span.end - span.start > 1
    return TokenSpan(span.start + 1, span.end) if longer and first in ARTICLES else span


def holds(context: EffectContext, node: int, old: TokenSpan) -> bool:
    """Return whether a scalar is the old value as it is said."""
    held = context.tree.values[node]
    tokens = context.chart.tokens[old.start : old.end]
    if isinstance(held, str):
        said = tokens[0].text if len(tokens) == 1 else context.text(old)
        return held.lower() == said.lower()
    if not isinstance(held, Num):
        return False
    try:
        return same(type_value(tokens, context.chart.source, held, (), context.key(node)), held)
    except Unclear:
        return False


def _places_named(context: EffectContext, start: int, end: int) -> list[tuple[int, ...]]:
    """Return what the words before name, within which the value must be: a record, a section."""
    found: list[tuple[int, ...]] = []
    place = start
    while place < end:
        senses = [
            s for s in context.chart.lexicon.senses(place)
            if s.end <= end and s.whole and s.sort in (Sort.RECORD, Sort.KEY, Sort.ITEMS)
        ]  # fmt: skip
        senses = [] if singular(context.chart.low(place)) in STRUCTURAL else senses
        if not senses:
            place += 1
            continue
        last = max(s.end for s in senses)
        # a value of the document itself speaks of that field alone
        nodes = {n for s in senses if s.end == last for n in (
            s.fields if s.sort is Sort.RECORD and 0 in s.nodes else s.nodes)}  # fmt: skip
        values = {n for s in senses if s.end == last for n in s.fields}
        tops = {
            context.tree.parents[n] if _is_scalar(context, n) and n not in values else n
            for n in nodes
        }
        found.append(tuple(sorted(tops)))
        place = last
    return found


def _is_scalar(context: EffectContext, node: int) -> bool:
    return node > 0 and not isinstance(context.tree.values[node], dict | list)
