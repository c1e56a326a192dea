"""Conditions about one thing that is named: they hold or not, whatever is to be changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.clauses import ScopePhrase
from redline.instruct.grammar.comparisons import comparison
from redline.instruct.grammar.phrase import Phrase


@rule("SCOPE")
def _settled(chart: Chart, start: int) -> Iterator[Edge]:
    """`if Alice is admin`, `only if Bob's plan is gold`, `unless the limit of a is 5`."""
    begin = start + (chart.low(start) == ",")
    begin += chart.low(begin) == "only" and chart.low(begin + 1) in ("if", "when")
    word = chart.low(begin)
    if word not in ("if", "when", "unless"):
        return
    fields = {edge.end for edge in chart.edges("FIELD", begin + 1)}
    for subject in chart.edges("NP", begin + 1):
        phrase = subject.item
        # a key alone is a condition on what is beside it
        if phrase.many or len(phrase.nodes) != 1 or subject.end in fields:
            continue
        for end, holds, cost in _verdicts(chart, subject.end, phrase):
            unmet = (
                None if holds is (word != "unless") else replace(phrase, nodes=(), filtered=True)
            )
            scope = ScopePhrase(unmet, cost=phrase.cost + cost, about=phrase, is_if=True)
            yield Edge(end, scope)


def _verdicts(chart: Chart, start: int, phrase: Phrase) -> Iterator[tuple[int, bool, int]]:
    """Yield where what is said of a thing ends, whether it is so, and what it costs."""
    is_record = isinstance(chart.tree.values[phrase.nodes[0]], dict)
    is_positive = chart.low(start) == "is"
    found = comparison(chart, start, phrase)
    if is_record:
        copula = is_positive or chart.low(start) == "isn't"
        found = iter(chart.edges("STATE", start + 1) if copula else ())
    for edge in found:
        chosen = edge.item.select(chart.tree, phrase.nodes)
        if chosen is not None:
            cost = 0 if is_record else edge.item.cost
            yield edge.end, bool(chosen) is (is_positive or not is_record), cost
