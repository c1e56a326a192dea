"""Where something leads or comes from: the route to "10.8.0.0/16", the train from Lyon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import key_form
from redline.instruct.lexicon.senses import Sort


def leading_to(chart: Chart, phrase: Phrase) -> Iterator[Phrase]:
    """Yield `the route to "10.8.0.0/16"`: a value in quotes says where it leads."""
    yield from _along(chart, phrase)
    if chart.low(phrase.end) != "to" or phrase.sort is not Sort.ITEMS or phrase.many:
        return
    for sense in chart.lexicon.senses(phrase.end + 1):
        quoted = chart.tokens[phrase.end + 1].kind == "quoted"
        nodes = chart.tree.inside(phrase.nodes, sense.nodes) if quoted and sense.whole else ()
        if sense.sort is Sort.RECORD and nodes:
            yield replace(phrase, end=sense.end, nodes=nodes, filtered=True, cost=phrase.cost + 1)


def _along(chart: Chart, phrase: Phrase) -> Iterator[Phrase]:
    """Yield `the train to Lyon`: the one whose field `to` holds that."""
    word, tree = chart.low(phrase.end), chart.tree
    forms = _WAYS.get(word)
    if forms is None or phrase.sort is not Sort.ITEMS:
        return
    for sense in chart.lexicon.senses(phrase.end + 1):
        if sense.sort is not Sort.RECORD or not sense.whole:
            continue
        named = {tree.parents[n] for n in sense.fields if key_form(str(tree.keys[n])) in forms}
        nodes = tuple(n for n in phrase.nodes if n in named)
        if nodes:
            yield replace(phrase, end=sense.end, nodes=nodes, fields=sense.fields)


_WAYS = {"to": ("to", "destination", "arrival"), "from": ("from", "origin", "departure")}
