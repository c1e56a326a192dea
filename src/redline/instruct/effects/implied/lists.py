"""One more value for a list that what is said of a record implies."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied.words import names, speaks_of
from redline.instruct.effects.outcome import Unclear
from redline.instruct.effects.places import doubt_case
from redline.instruct.grammar.adjuncts.predicates import Predicate
from redline.instruct.language.words import number_in
from redline.instruct.model.operations import DocumentOperation

_DEPTH = 2


def add_to_list(
    context: EffectContext, holder: int, predicate: Predicate
) -> tuple[list[DocumentOperation], list[int]]:
    """Return the value put into the one list that the words can be about: `fr too`."""
    tree, chart = context.tree, context.chart
    fits: list[tuple[int, int, int]] = []
    left: dict[int, list[int]] = {}
    for node in _lists(context, holder):
        _, stems = names(context, holder, node)
        rest = [p for p in predicate.words if not speaks_of(chart.low(p), stems)]
        known = [p for p in rest if chart.tokens[p].text in _elements(context, node)]
        if len(rest) == 1 or len(known) == 1:
            value = (known or rest)[0]
            left[node] = [p for p in rest if p != value]
            fits.append((len(predicate.words) - len(rest), node, value))
    best = [fit for fit in fits if fit[0] == max(f[0] for f in fits)]
    if len(best) != 1 or predicate.negated or predicate.sign or predicate.old:
        raise Unclear("clause", "no one list can be meant", (holder,))
    score, node, place = best[0]
    token, held = chart.tokens[place], tree.values[node]
    assert isinstance(held, list)
    if not score and token.text not in _elements(context, node) and token.kind != "quoted":
        raise Unclear("clause", "no list is named", (holder,))
    if not score:
        context.doubt = context.doubt or f"{context.key(node)} is not named"
    if token.kind == "word" and number_in(token.text) is not None:
        raise Unclear("clause", f"{token.text} is a number", (node,))
    if token.text in held:
        return [], left[node]
    doubt_case(context, token, held)
    path = (*tree.path(node), str(len(held)))
    added = DocumentOperation("insert", path, value=token.text).with_confidence(0.9)
    return [added], left[node]


def _lists(context: EffectContext, holder: int, depth: int = 0) -> Iterator[int]:
    """Yield the lists of texts of a record and of the sections in it."""
    tree = context.tree
    for child in tree.children(holder):
        value = tree.values[child]
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            yield child
        elif isinstance(value, dict) and depth < _DEPTH and not tree.is_map(child):
            yield from _lists(context, child, depth + 1)


def _elements(context: EffectContext, node: int) -> set[str]:
    """Return the texts that the list and those of records beside it hold."""
    lists = (*context.tree.peers(node), context.tree.values[node])
    return {t for held in lists if isinstance(held, list) for t in held if isinstance(t, str)}
