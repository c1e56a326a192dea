"""Nouns that the document does not know, behind a name that is enough: the `leisure` budget.

The place is named already. The noun only says what it is, provided that it cannot be something of
that place: the `retry` delay is not the `retry` that counts. Nothing is removed by such a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import ARTICLES, QUANTIFIERS, SCOPING, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import Nodes
from redline.instruct.model.values import Num, Value

# What numbers, texts and sections are called that a bare word names.
_OF_NUMBERS = frozenset(
    "score grade weight mark rating budget quota allowance percentage ratio share".split()
)
_OF_TEXTS = frozenset("policy mode strategy scheme preference".split())
_OF_DURATIONS = frozenset("interval period duration frequency".split())
_OF_SECTIONS = frozenset(
    "connection container service deployment environment configuration account instance server "
    "client cluster group profile operation method endpoint policy rule job stage step pipeline "
    "module component package feature page panel device unit store branch zone team plan role "
    "table option setting parameter subsystem integration "
    "channel bucket tenant site region station line machine system interface queue worker "
    "session lesson meeting event booking slot shift appointment".split()
)
_OF_MEASURES = frozenset("weight score price fee limit rate hour".split())
# What anything may be called that its key names exactly.
_OF_KEYS = _OF_NUMBERS | _OF_TEXTS | _OF_SECTIONS | frozenset(
    "handler header toggle switch dependency plugin command script argument route alias mapping "
    "annotation secret token credential peer target backend upstream volume mount network domain "
    "pool node variant choice product ticket tier badge skill metric alarm alert hook trigger "
    "schedule task workflow category topic directive attribute knob capability permission "
    "privilege flag gate check guard filter column dimension goal expense item keyword tariff "
    "library extension middleware adapter driver listener subscription segment audience variable "
    "constant placeholder template snippet fixture locale translation message".split()
)  # fmt: skip
_BEHIND = frozenset(
    ("to", "=", "->", "=>", ":=", ":", "from", "by", "of", "for", "in", "on", "at", "as", "is",
     "are", "should", "must", "be", "and", ",", ";", ".", "!", "", "with", "'s", "into", "under",
     "within", "inside", "needs", "has", "becomes", ")", "→")
)  # fmt: skip
_DURATION = re.compile(r"(?:now-)?\d+ ?(?:ms|s|sec|m|min|h|hr|d|w)")


def with_label(chart: Chart, phrase: Phrase) -> Phrase | None:
    """Return the phrase with a noun behind it that says no more than what is named."""
    low = chart.low(phrase.end)
    if not phrase.whole or not phrase.nodes or phrase.filtered or phrase.many:
        return None
    if not _is_stranger(chart, phrase.end) or chart.low(phrase.end + 1) not in _BEHIND:
        return None
    exact = chart.tokens[phrase.end - 1].kind in ("quoted", "code") or (
        chart.tokens[phrase.end - 1].path
    )
    word = singular(low)
    if phrase.sort in (Sort.KEY, Sort.PATH) and exact:
        fits = word in _OF_KEYS
    elif phrase.sort is Sort.KEY:
        values = [chart.tree.values[n] for n in phrase.nodes]
        fits = all(word in _nouns_for(value) for value in values)
    else:
        fits = phrase.sort is Sort.RECORD and word in _OF_SECTIONS
    if not fits:
        return None
    return replace(phrase, end=phrase.end + 1, whole=False, cost=phrase.cost + 1, weak=False)


def _nouns_for(value: Value) -> frozenset[str]:
    """Return what a value of that kind may be called behind its key."""
    if isinstance(value, dict):
        return _OF_SECTIONS | _OF_MEASURES
    if isinstance(value, Num):
        return _OF_NUMBERS
    if isinstance(value, str):
        return _OF_DURATIONS if _DURATION.fullmatch(value) else _OF_TEXTS
    return frozenset()


def _is_stranger(chart: Chart, place: int) -> bool:
    """Return whether a plain word is there that nothing here is called."""
    token = chart.tokens[place] if place < chart.size else None
    if token is None or token.kind != "word" or not token.text.islower():
        return False
    return not chart.lexicon.senses(place)


@rule("HEAD")
def _said_by_key(chart: Chart, start: int) -> Iterator[Edge]:
    """Words of which the exact key in brackets says what they name: the learning rate (`lr`)."""
    owned = chart.low(start) in ("its", "their", "his", "her")
    place = start + (owned or chart.low(start) in ARTICLES)
    for end in range(place, min(place + _MAX_WORDS, chart.size)):
        token = chart.tokens[end]
        if token.text == "(" and end > place:
            break
        if token.kind != "word" or not token.text.isalpha() or token.low in _JOINING:
            return
    else:
        return
    key = chart.tokens[end + 1] if end + 2 < chart.size else None
    if key is None or chart.low(end + 2) != ")" or not (key.kind in ("code", "quoted") or key.path):
        return
    for sense in chart.lexicon.senses(end + 1):
        named = sense.end == end + 2 and sense.sort in (Sort.KEY, Sort.PATH)
        if named and not _contradicts(chart, place, end, sense.nodes):
            yield Edge(end + 3, Phrase(start, end + 3, sense.nodes, sense.sort, 1, owner=owned))


_MAX_WORDS = 5
_JOINING = SCOPING | frozenset("and or to by with as is are be set not only".split())


def _contradicts(chart: Chart, start: int, end: int, nodes: Nodes) -> bool:
    """Return whether the words name something by themselves that is not, nor holds, the key."""
    return any(
        sense.whole and sense.end <= end and not chart.tree.inside(nodes, sense.nodes)
        for place in range(start, end)
        for sense in chart.lexicon.senses(place)
    )


@rule("HEAD")
def _all_measures(chart: Chart, start: int) -> Iterator[Edge]:
    """Every number of a section of numbers: every price in `breads`, all ticket prices."""
    if chart.low(start) not in QUANTIFIERS:
        return
    place = start + 1 + (chart.low(start + 1) == "of")
    place += chart.low(place) in ("the", "its")
    if singular(chart.low(place)) in _OF_MEASURES and chart.low(place + 1) in ("in", "of", "under"):
        within = place + 2 + (chart.low(place + 2) == "the")
        for edge in chart.edges("CORE", within):
            yield from _numbers_of(chart, start, edge.end, edge.item, place)
    for edge in chart.edges("CORE", place):
        if singular(chart.low(edge.end)) in _OF_MEASURES:
            yield from _numbers_of(chart, start, edge.end + 1, edge.item, edge.end)


def _numbers_of(chart: Chart, start: int, end: int, phrase: Phrase, noun: int) -> Iterator[Edge]:
    """Yield the members of the one section that is named, if none of them is called by the noun."""
    tree = chart.tree
    held = tree.values[phrase.nodes[0]] if len(phrase.nodes) == 1 else None
    if phrase.sort not in (Sort.KEY, Sort.PATH) or not isinstance(held, dict) or not held:
        return
    if not all(isinstance(value, Num) for value in held.values()):
        return
    if any(tree.inside(sense.nodes, phrase.nodes) for sense in chart.lexicon.senses(noun)):
        return
    nodes = tuple(tree.children(phrase.nodes[0]))
    yield Edge(end, Phrase(start, end, nodes, Sort.KEY, phrase.cost + 1, many=True,
                           quantified=True))  # fmt: skip
