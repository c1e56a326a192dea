"""Pronouns, and what was spoken of or made before: it, its price, the same user, the copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import GENERIC, is_plural, singular
from redline.instruct.lexicon.senses import Sort

PRONOUNS = frozenset("it them they he she him her this that those these".split())
POSSESSIVES = frozenset("its their his her".split())
# What a step before has made.
_MADE = (("the", "copy"), ("the", "new", "copy"), ("the", "duplicate"), ("the", "clone"),
         ("that", "copy"), ("the", "new", "one"), ("the", "new", "object"), ("the", "new", "key"),
         ("the", "new", "entry"), ("the", "renamed", "key"), ("the", "new", "field"))  # fmt: skip
_SAME = (("the", "same"), ("that", "same"), ("said",), ("this", "same"), ("the", "very", "same"))


@rule("HEAD")
def _pronoun(chart: Chart, start: int) -> Iterator[Edge]:
    """A pronoun, or names that belong to one."""
    low = chart.low(start)
    if low in PRONOUNS:
        many = low in ("them", "they", "those", "these")
        yield Edge(start + 1, Phrase(start, start + 1, (), Sort.KEY, many=many, owner=True))
    if low in POSSESSIVES:
        for edge in chart.edges("CORE", start + 1):
            if not edge.item.weak:
                yield Edge(edge.end, replace(edge.item, start=start, owner=True))
    content = chart.low(start + 1) in ("text", "value", "content", "contents")
    if low in POSSESSIVES and content and not chart.lexicon.senses(start + 1):
        yield Edge(start + 2, Phrase(start, start + 2, (), Sort.KEY, 1, owner=True))
    if low in ("the", "this") and chart.low(start + 1) == "value":
        yield Edge(start + 2, Phrase(start, start + 2, (), Sort.KEY, 1, many=True, owner=True))


@rule("HEAD")
def _spoken_of(chart: Chart, start: int) -> Iterator[Edge]:
    """What was made by a step before, or spoken of: the copy, the same user."""
    for made in _MADE if chart.made else ():
        after = chart.words(start, made)
        if after > 0:
            yield Edge(after, Phrase(start, after, chart.made, Sort.KEY))
    for words in _SAME:
        after = chart.words(start, words)
        if after > 0:
            yield from _same_thing(chart, start, after)


def _same_thing(chart: Chart, start: int, place: int) -> Iterator[Edge]:
    """Yield `the same employee`, `the same object`: what was spoken of last."""
    low = chart.low(place)
    if singular(low) in GENERIC and not is_plural(low):
        yield Edge(place + 1, Phrase(start, place + 1, (), Sort.KEY, owner=True))
    for edge in chart.edges("CORE", place):
        if edge.item.sort in (Sort.ITEMS, Sort.RECORD) and not edge.item.many:
            yield Edge(edge.end, replace(edge.item, start=start, owner=True, weak=False))
