"""What an addition may say about itself: `with this definition: {...}`, `and append it to x`."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.adjuncts.positions import ListPlace
from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import singular

_OPENERS = frozenset("with using having as holding containing of = :".split())
_POINTING = frozenset("the this these following that a an".split())
_NAMES = frozenset(
    "definition value content body configuration config setting data object field property array "
    "list json structure payload option attribute entry key parameter number string".split()
)
_PUTTING = frozenset("append add insert push put place store attach".split())


@rule("DEFINED")
def _find_definition(chart: Chart, start: int) -> Iterator[Edge]:
    """A JSON value with the words that announce it: with this definition: {...}."""
    place = start + (chart.low(start) == ",")
    if chart.low(place) not in _OPENERS:
        return
    place += 1
    while chart.low(place) in _POINTING or singular(chart.low(place)) in _NAMES:
        place += 1
    place += chart.low(place) == ":"
    yield from chart.edges("JSON", place)


@rule("VALUED")
def _find_value_noun(chart: Chart, start: int) -> Iterator[Edge]:
    """A plural noun for what follows a colon: values, fields, settings."""
    place = start + (chart.low(start) in ("new", "following", "two", "three", "four"))
    low = chart.low(place)
    if singular(low) != low and singular(low) in _NAMES | {"change"}:
        yield Edge(place + 1, TokenSpan(start, place + 1))


@rule("PUTIT")
def _put_it(chart: Chart, start: int) -> Iterator[Edge]:
    """Where what was just described goes: `and append it to the tasks`."""
    place = start + (chart.low(start) == ",")
    place += chart.low(place) in ("and", "then")
    place += chart.low(place) == "then"
    if place == start or chart.low(place) not in _PUTTING:
        return
    if chart.low(place + 1) not in ("it", "this", "that"):
        return
    yield Edge(place + 2, ListPlace())
    yield from chart.edges("WHERE", place + 2)
