"""Predicates: what is said of a record, with the words that carry nothing left out."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from redline.instruct.grammar.adjuncts.courtesies import AFTER, SEPARATORS
from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import number_in, singular

MAX_PREDICATE = 14
_FILLERS = frozenset(
    "is are be been being has have having get gets got will shall should must "
    "to at on in of for from by with as the a an its his her their our my it now actually "
    "really just currently already again set = : -> => → does do going needs need takes take "
    "goes go runs run lives new moved changed swapped switched leave leaves comes come being "
    "brings over keep use uses work works worked want wants show shows able allowed people please "
    "there that this like rather sent made kept put done also it's we we're we've they they're "
    "they've i i'd i'm i've".split()
)
_HAPPENED = frozenset(
    "moved changed swapped switched actually paid sent shipped delivered cancelled canceled "
    "watered booked signed returned repaired cleaned fixed published approved confirmed sold "
    "vaccinated received completed finished".split()
)
_NEGATIONS = phrase_table(
    tuple(text.split())
    for text in (
        "not|no longer|isn't|aren't|wasn't|shouldn't|shouldn't be|mustn't|mustn't be|doesn't|"
        "don't|can't|cannot|won't|never|no"
    ).split("|")
)
_MORE = frozenset("more extra additional longer later dearer higher further pricier gained".split())
_LESS = frozenset("fewer less shorter earlier cheaper lower lost".split())
_COSTLY = frozenset("expensive costly".split())
_OLD = phrase_table(
    tuple(text.split())
    for text in "instead of|rather than|, not|not|and not|, no longer|, instead of".split("|")
)
_COMPARED = frozenset(
    "than we thought usual it says before planned expected i now have down for her him them "
    "originally had said think".split()
)
# What an amount may be counted by: 195 a night, 40 per person.
_RATES = frozenset("night day week month year person piece hour head unit".split())
_ARROWS = frozenset("-> => →".split())
_ENDING = re.compile(r"(ing|ies|ed|es|e|s|y)$")


@lru_cache(maxsize=8192)
def word_stem(word: str) -> str:
    """Return what a word has in common with its other forms: armed, arming, arm."""
    low = singular(word.lower()).replace("our", "or")
    short = _ENDING.sub("", low)
    if len(short) > 3 and short[-1] == short[-2] and short[-1] not in "sl":
        short = short[:-1]
    return short if len(short) >= 3 else low


@dataclass(frozen=True, slots=True)
class Predicate:
    """The places of the words that say something; `old` is the value there was before."""

    start: int
    end: int
    words: tuple[int, ...]
    negated: bool = False
    sign: int = 0
    old: TokenSpan | None = None
    also: bool = False
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        return (self.start, self.end)


@rule("SAID")
def _find_predicate(chart: Chart, start: int) -> Iterator[Edge]:
    """The words up to a separator or a courtesy, if any of them says something."""
    for end in range(start + 1, min(start + MAX_PREDICATE, chart.size) + 1):
        if not _ends(chart, end) or chart.low(end) == "?":
            continue
        found = _predicate(chart, start, end)
        if found is not None:
            yield Edge(end, found)


def _ends(chart: Chart, end: int) -> bool:
    if end >= chart.size or chart.low(end) in SEPARATORS or chart.low(end) == "but":
        return True
    return next(chart.phrases(end, AFTER), None) is not None


def _predicate(chart: Chart, start: int, end: int) -> Predicate | None:
    """Return what the words say; None when nothing, or when it is said in two ways."""
    stop, old = _old_value(chart, start, end)
    words: list[int] = []
    negated, sign, place = False, 0, start
    while place < stop:
        undone = next(chart.phrases(place, _NEGATIONS), None)
        if (undone and negated) or _breaks_off(chart, place, stop):
            return None
        negated = negated or undone is not None
        if undone is None and chart.low(place) in _MORE | _LESS and place > start:
            sign = 1 if chart.low(place) in _MORE else -1
            place += chart.low(place + 1) in _COSTLY
            place = stop if chart.low(place + 1) == "than" else place + 1
            continue
        if undone is None and not _is_filler(chart, place, stop):
            words.append(place)
            place += 2 * (chart.low(place + 1) in ("a", "an", "per")
                          and chart.low(place + 2) in _RATES)  # fmt: skip
        place = undone or place + 1
    words = [p for p in words if old is None or not old.start <= p < old.end]
    if not words:
        return None
    last = chart.low(words[-1])
    if last[:1] in "+-" and len(last) > 1:
        sign = -1 if last.startswith("-") else 1
    return Predicate(start, end, tuple(words), negated, sign, old, _is_also(chart, start, end))


def _breaks_off(chart: Chart, place: int, stop: int) -> bool:
    """Return whether a token cannot be in a predicate, or a comparison is with something else."""
    low = chart.low(place)
    if low in ("need", "needs") and chart.low(place + 1).endswith("ing"):
        return True  # what needs watering is not watered
    if low == "than":
        return not all(chart.low(p) in _COMPARED for p in range(place, stop))
    after = place + 1 + (chart.low(place + 1) in _COSTLY)
    if low in _MORE | _LESS and chart.low(after) == "than":
        return _breaks_off(chart, after, stop)
    return chart.tokens[place].kind in ("end", "sign") and low not in _FILLERS


def _is_filler(chart: Chart, place: int, stop: int) -> bool:
    """Return whether a word carries nothing where it is."""
    low = chart.low(place)
    if low in ("was", "were"):
        return chart.low(place + 1) in _HAPPENED
    if low == "every":
        return number_in(chart.low(place + 1)) is not None
    return low in _FILLERS and not (low == "on" and place == stop - 1)


def _is_also(chart: Chart, start: int, end: int) -> bool:
    """Return whether the words around a predicate say that it adds to something."""
    after = chart.low(end) in ("too", "also") or chart.words(end, ("as", "well")) > 0
    return after or chart.low(start - 1) == "also"


def _old_value(chart: Chart, start: int, end: int) -> tuple[int, TokenSpan | None]:
    """Return where the new value ends, and the old value: `5 -> 10`, `10 instead of 5`."""
    for place in range(start + 1, end - 1):
        if chart.low(place) in _ARROWS:
            return end, TokenSpan(place - 1, place)
        after = next(chart.phrases(place, _OLD), None)
        if after is not None and after < end and place > start + 1:
            return place, TokenSpan(after, end)
    return end, None
