"""A new value held against the old one: `we meet on Tuesday instead of Monday`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import VERBS
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import QUANTIFIERS, number_in, unit_of

_MAX_LEAD = 9
# Words that may limit or deny what a sentence says.
_LIMITING = QUANTIFIERS | frozenset(
    "not no never only except unless if when until without don't doesn't isn't or but some most "
    "both none might may could maybe perhaps doubt imagine suppose wonder whether guess assume "
    "pretend hope wish probably".split()
)


@dataclass(frozen=True, slots=True)
class Telling:
    """The words of a sentence before what it tells."""

    start: int
    end: int
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        return (self.start, self.end)


@rule("TELLING")
def _find_telling(chart: Chart, start: int) -> Iterator[Edge]:
    """Plain words at the beginning of a sentence that asks for nothing by itself."""
    if chart.low(start) in VERBS:
        return
    for place in range(start, min(start + _MAX_LEAD, chart.size)):
        token = chart.tokens[place]
        if token.kind not in ("word", "poss") or token.low in _LIMITING:
            return
        if number_in(token.text) is not None and token.low != "one":
            return
        yield Edge(place + 1, Telling(start, place + 1))


@rule("NEWNAME")
def _find_new_name(chart: Chart, start: int) -> Iterator[Edge]:
    """A value that shows itself: quoted, a number with a unit, words written as names are."""
    if start >= chart.size:
        return
    token = chart.tokens[start]
    if token.kind == "quoted" or (token.text[:1] in "#@" and len(token.text) > 1):
        yield Edge(start + 1, TokenSpan(start, start + 1))
    if token.kind != "word":
        return
    if number_in(token.text.lstrip("$€£")) is not None:
        yield Edge(start + 1, TokenSpan(start, start + 1))
        following = chart.tokens[start + 1] if start + 1 < chart.size else None
        if following is not None and following.kind == "word" and following.text.isalpha():
            # "25 requests", "2 hours"
            end = start + 2 if unit_of(following.text) else start + 1
            yield Edge(start + 2, TokenSpan(start, end, 1))
    end = start
    while end < chart.size and chart.tokens[end].kind == "word" and (
        chart.tokens[end].text[:1].isupper()
    ):  # fmt: skip
        end += 1
    capital = chart.tokens[start - 1].text[:1].isupper() if start else True
    if end > start and not capital:
        yield Edge(end, TokenSpan(start, end))
