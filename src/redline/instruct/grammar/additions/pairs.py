"""The fields of a new object one by one: `code "VIP", percent 25 and an empty tags array`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.grammar.values import EMPTY_VALUES, TokenSpan
from redline.instruct.language.dates import date_in
from redline.instruct.language.words import STRUCTURAL, number_in, singular
from redline.instruct.lexicon.senses import Sort

MAX_PAIRS = 16
_INTRODUCTIONS = phrase_table(
    (*lead, *order, noun, *mark)
    for lead in ((), ("the",), ("these",))
    for order in ((), ("following",))
    for noun in ("fields", "properties", "keys", "values", "attributes", "members", "contents")
    for mark in ((), (":",))
)
_SIGNS = phrase_table(
    tuple(text.split())
    for text in (
        "=|:|of|is|as|->|=>|set to|equal to|being|is set to|should be|field|key|field =|"
        "field set to|with value|with the value"
    ).split("|")
)
_FIELD_WORDS = frozenset("field key property attribute".split())
_JOINTS = phrase_table(
    tuple(text.split(" "))
    for text in (
        ",|and|&|;|, and|, with|and with|\n|, \n|; \n|\n -|, \n -|; \n -|\n *|, having|plus|"
        "as well as|; and|. \n -|with|, of|of|at"
    ).split("|")
)
# What a bare new key may not be: words that speak of keys and values.
_NO_KEYS = STRUCTURAL | frozenset(
    "value values the a an to of in for on with and or as by from is are be named called it set "
    "type-of at after before between new all every each no not its that which who says reads "
    "costs labelled labeled".split()
)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Keys and the values they get."""

    items: tuple[tuple[TokenSpan, TokenSpan], ...]
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        return tuple((key.meaning, value.meaning) for key, value in self.items)


_Found = tuple[int, TokenSpan, TokenSpan]


@rule("PAIRS")
def _pairs(chart: Chart, start: int) -> Iterator[Edge]:
    """`age 20, role admin and city Bonn`, `k=v, k: v`, `the fields a = 1 and b = 2`."""
    openings = [start, *chart.phrases(start, _INTRODUCTIONS)]
    openings += [p + 1 + (chart.low(p + 1) == "-") for p in openings if chart.low(p) == "\n"]
    agenda: list[tuple[int, tuple[tuple[TokenSpan, TokenSpan], ...], int]]
    agenda = [(place, (), 0) for place in openings]
    while agenda:
        place, items, cost = agenda.pop()
        chart.tree.spend(10)
        for end, key, value in (*_pair(chart, place), *_empty_pair(chart, place)):
            pairs = (*items, (key, value))
            total = cost + key.cost + value.cost
            yield Edge(end, Pairs(pairs, total))
            if len(pairs) < MAX_PAIRS:
                agenda += [(after, pairs, total) for after in chart.phrases(end, _JOINTS)]


def _pair(chart: Chart, start: int) -> Iterator[_Found]:
    """Yield a key with the value behind it."""
    for key_end, key in _pair_keys(chart, start):
        for place in (key_end, *chart.phrases(key_end, _SIGNS)):
            for edge in chart.edges("VAL", place):
                span = edge.item
                shown = _shows_its_end(chart, span)
                bare = place == key_end and not shown
                quoted = chart.tokens[key.start].kind == "quoted"
                if (span.cost and chart.tokens[place].kind != "quoted") or (
                    bare and (key.cost or quoted)
                ):
                    continue
                yield edge.end, key, span
            yield from _empty_value(chart, key, place)


def _shows_its_end(chart: Chart, span: TokenSpan) -> bool:
    """Return whether a value is quoted, JSON, a number, true, false or null."""
    token = chart.tokens[span.start]
    if span.end - span.start > 1:
        return False
    plain = token.low in ("true", "false", "null") or number_in(token.text) is not None
    plain = plain or (token.kind == "word" and date_in(token.text) is not None)
    return token.kind in ("quoted", "json") or plain


def _empty_value(chart: Chart, key: TokenSpan, place: int) -> Iterator[_Found]:
    """Yield `tags an empty array`."""
    after = place + (chart.low(place) in ("a", "an"))
    kind = EMPTY_VALUES.get(chart.low(after + 1))
    if chart.low(after) == "empty" and kind:
        yield after + 2, key, TokenSpan(place, after + 2, 0, kind)
    elif chart.low(after) == "empty":
        yield after + 1, key, TokenSpan(place, after + 1, 0, "empty")


def _empty_pair(chart: Chart, start: int) -> Iterator[_Found]:
    """Yield `an empty tags array`, `no tags`."""
    place = start + (chart.low(start) in ("a", "an"))
    if chart.low(place) not in ("empty", "no"):
        return
    for end, key in _pair_keys(chart, place + 1):
        kind = EMPTY_VALUES.get(chart.low(end))
        if kind is not None:
            yield end + 1, key, TokenSpan(place, end + 1, 0, kind)
        yield end, key, TokenSpan(place, end, 0, "empty")


def _pair_keys(chart: Chart, start: int) -> Iterator[tuple[int, TokenSpan]]:
    place = start + (chart.low(start) in ("a", "an", "the", "its"))
    if chart.low(place) in _FIELD_WORDS and place + 1 < chart.size:
        yield from _written_keys(chart, place + 1)
        if chart.low(place) not in chart.tree.by_key:
            return
    yield from _written_keys(chart, place)


def _written_keys(chart: Chart, place: int) -> Iterator[tuple[int, TokenSpan]]:
    """Yield the keys that begin here: in quotes, known, or before a sign."""
    if place >= chart.size:
        return
    token = chart.tokens[place]
    if token.kind in ("quoted", "code"):
        yield place + 1, TokenSpan(place, place + 1)
        return
    known = False
    for sense in chart.lexicon.senses(place):
        if sense.sort is Sort.KEY and sense.cost < 3:
            known = True
            yield sense.end, TokenSpan(place, sense.end)
    if token.kind != "word" or singular(token.low) in _NO_KEYS or token.path:
        return
    if chart.low(place + 1) in ("=", ":"):
        yield place + 1, TokenSpan(place, place + 1)
    elif not known and token.text.isidentifier() and not token.low.endswith("ing"):
        # a field that no other record has: its value must show where it ends
        yield place + 1, TokenSpan(place, place + 1, 1)
