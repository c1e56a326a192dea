"""The records that something is said of without naming a field."""

from __future__ import annotations

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied.words import is_field, is_telling
from redline.instruct.effects.outcome import Unclear
from redline.instruct.grammar.adjuncts.predicates import Predicate, word_stem
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import ORDINALS, key_words
from redline.instruct.lexicon.senses import Sort

_MAX_RECORDS = 500


def spoken_of(context: EffectContext) -> tuple[int, ...]:
    """Return the records that are spoken of: named, spoken of before, or the document itself."""
    owner = context.clause.role("owner")
    if owner is not None:
        nodes = _owners(context, owner)
    elif context.clause.extra == "root":
        nodes = (0,)
    elif context.focus and (context.previous or context.clause.scopes):
        nodes = tuple(sorted({context.record_of(node) for node in context.focus}))
        context.scoped = True  # what a scope names is what was spoken of last
    else:
        raise Unclear("clause", "it is not clear what it is said of")
    if owner is None and len(nodes) != 1:
        raise Unclear("clause", "it is not clear what it is said of", nodes)
    values = context.tree.values
    if not all(isinstance(values[n], dict) for n in nodes) or len(nodes) > _MAX_RECORDS:
        raise Unclear("clause", "it is not said of a record", nodes)
    return nodes


def _owners(context: EffectContext, owner: Phrase) -> tuple[int, ...]:
    """Return the records that a phrase names; Refusal where it may be part of what is said."""
    lows = context.chart.lows[owner.start : owner.end]
    singled = owner.filtered and not owner.many and not any(low in ORDINALS for low in lows)
    if owner.sort is Sort.PATH or (singled and context.clause.extra != "spread"):
        raise Unclear("clause", "it may be a part of what is said", owner.nodes)
    found = context.resolve(owner)
    if not found.whole and not owner.many and is_field(context, owner.start, owner.end):
        raise Unclear("clause", "it may be a field", found.nodes)
    return found.nodes


def check_telling(context: EffectContext, predicate: Predicate, holders: tuple[int, ...]) -> None:
    """Refuse words that only name a flag: `dogs`, `debug mode`."""
    bare = predicate.end - predicate.start == len(predicate.words)
    root = context.clause.extra == "root"
    records = not root and all(map(context.tree.is_record, holders))
    if not bare or records or context.chart.low(predicate.start - 1) == "as":
        return
    if root and not any(is_telling(context, place) for place in predicate.words):
        raise Unclear("clause", "it does not say what changes")
    lows = {word_stem(context.chart.low(place)) for place in predicate.words}
    flags = (n for n, value in enumerate(context.tree.values) if isinstance(value, bool))
    for node in flags:
        path = context.tree.path(node)
        if lows <= {word_stem(word) for part in path for word in key_words(part)}:
            raise Unclear("clause", "it only names a field", (node,))
