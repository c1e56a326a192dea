"""Noun phrases: names side by side, determiners, ordinals, possessives, restrictions, lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.nouns.compounds import combine
from redline.instruct.grammar.nouns.kinds import (
    by_number,
    generic_nouns,
    people,
    superlatives,
)
from redline.instruct.grammar.nouns.ordinals import ordinal, pick_by_number
from redline.instruct.grammar.nouns.suffixes import structural_suffix
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import (
    QUANTIFIERS,
    STRUCTURAL,
    number_in,
    singular,
)
from redline.instruct.lexicon.senses import Sense, Sort
from redline.instruct.lexicon.tree import DocumentTree

DETERMINERS = frozenset("the a an my our your this that these those existing current".split())
_PARTS = frozenset("value field key entry property setting flag option member attribute".split())
_WITHIN = frozenset("in of under within inside".split())
_TITLES = frozenset("mr mrs ms miss dr prof sir madam".split())
_MAX_PARTS = 6
_POINTERS = (
    ("json", "pointer"), ("json", "path"), ("jsonpath",), ("pointer",), ("path",), ("route",),
    ("endpoint",),
)  # fmt: skip
# What precedes a path: the value at /a/b, whatever is stored under `a.b`.
_STORED = frozenset("at in under stored found located".split())
_TOP = tuple(
    tuple(text.split())
    for text in (
        "top level|root level|root|top-level|root-level|document root level|outermost level|"
        "top level of this document|root of this document|root object|top-level object|"
        "top level object|"
        "document root|root of the document|top level of the document|document itself|"
        "whole thing|whole document|whole file"
    ).split("|")
)


def _phrase(start: int, sense: Sense) -> Phrase:
    return Phrase(
        start, sense.end, sense.nodes, sense.sort, sense.cost, many=sense.plural,
        whole=sense.whole, weak=sense.weak, fields=sense.fields,
    )  # fmt: skip


@rule("NAME")
def _name(chart: Chart, start: int) -> Iterator[Edge]:
    """One name: a key, a value, a flag, a path, a generic noun, or `not` before a flag."""
    for sense in chart.lexicon.senses(start):
        yield Edge(sense.end, _phrase(start, sense))
    for phrase in (*generic_nouns(chart, start), *by_number(chart, start)):
        yield Edge(phrase.end, phrase)
    if chart.low(start) in ("not", "non"):
        for sense in chart.lexicon.senses(start + 1):
            if sense.sort is Sort.FLAG:
                yield Edge(sense.end, _negate(chart.tree, start, sense))


@rule("NAME")
def _top_level_name(chart: Chart, start: int) -> Iterator[Edge]:
    """A member of the document itself: the top-level key `owner`."""
    place = next((e for w in _TOP_LEVEL if (e := chart.words(start, w)) > 0), -1)
    if place < 0:
        return
    place += singular(chart.low(place)) in STRUCTURAL
    for sense in chart.lexicon.senses(place):
        nodes = tuple(n for n in sense.nodes if chart.tree.parents[n] == 0)
        if sense.sort is Sort.KEY and nodes:
            yield Edge(sense.end, replace(_phrase(start, sense), nodes=nodes))


_TOP_LEVEL = (("top-level",), ("top", "level"), ("root-level",), ("root", "level"), ("root",))


@rule("NAME")
def _name_behind_title(chart: Chart, start: int) -> Iterator[Edge]:
    """A name behind a title that the document may not have: Mr Dubois."""
    if chart.low(start).rstrip(".") in _TITLES:
        for sense in chart.lexicon.senses(start + 1):
            if sense.sort is Sort.RECORD:
                yield Edge(sense.end, _phrase(start, sense))


def _negate(tree: DocumentTree, start: int, sense: Sense) -> Phrase:
    """Return the records whose flag is the other way round."""
    keys = {tree.keys[n] for n in sense.fields}
    wanted = not tree.values[sense.fields[0]]
    nodes = [n for key in keys for n in tree.by_key[str(key)] if tree.values[n] is wanted]
    records = tuple(sorted({tree.record_of(n) for n in nodes}))
    return Phrase(start, sense.end, records, Sort.FLAG, sense.cost, fields=tuple(nodes))


@rule("CORE")
def _core(chart: Chart, start: int) -> Iterator[Edge]:
    """Names side by side, each narrowing the next: production database host, Widget A price."""
    agenda = [(edge.item, 1) for edge in chart.edges("NAME", start)]
    skip = _structural_prefix(chart, start)
    if skip > start:
        agenda += [
            (replace(edge.item, start=start), 1)
            for edge in chart.edges("NAME", skip)
            if edge.item.sort in (Sort.KEY, Sort.PATH, Sort.RECORD)
        ]
    seen: set[object] = set()
    while agenda:
        phrase, parts = agenda.pop()
        key = (phrase.end, phrase.meaning, phrase.cost)
        if key in seen:
            continue
        seen.add(key)
        yield Edge(phrase.end, phrase)
        tail = structural_suffix(chart, phrase)
        if tail is not None:
            agenda.append((tail, parts))
        if parts >= _MAX_PARTS or not phrase.nodes:
            continue
        for edge in chart.edges("NAME", phrase.end):
            agenda += [(p, parts + 1) for p in combine(chart.tree, phrase, edge.item)]
        numbered = pick_by_number(chart, phrase)
        if numbered is not None:
            agenda.append((numbered, parts + 1))


def _structural_prefix(chart: Chart, start: int) -> int:
    """Return where the name begins behind `field`, `key`, `value of` and the like."""
    for words in _POINTERS:
        after = chart.words(start, words)
        if after > 0 and (len(words[0]) > 4 or words[0] == "json" or _is_exact(chart, after)):
            return after
    word = singular(chart.low(start))
    if word in STRUCTURAL and chart.low(start + 1) in _STORED:
        after = start + 1
        while chart.low(after) in _STORED:
            after += 1
        after = next((e for w in _POINTERS if (e := chart.words(after, w)) > 0), after)
        return after if _is_exact(chart, after) else start
    if word not in STRUCTURAL and word not in ("number", "amount", "name"):
        return start
    if word in STRUCTURAL and chart.low(start + 1) in ("named", "called", "titled"):
        return start + 2
    if chart.low(start + 1) == "of":
        after = start + 2
        after += chart.low(after) in DETERMINERS
        return after + (word == "value" and singular(chart.low(after)) in STRUCTURAL)
    return start + 1 if word in STRUCTURAL and word not in ("item", "element") else start


def _is_exact(chart: Chart, place: int) -> bool:
    """Return whether a path, or a name in quotes or backticks, is there."""
    if place >= chart.size:
        return False
    token = chart.tokens[place]
    return token.path or token.kind in ("code", "quoted")


@rule("HEAD")
def _head(chart: Chart, start: int) -> Iterator[Edge]:
    """Names alone, an ordinal or a superlative before them, `everyone`."""
    yield from (edge for edge in chart.edges("CORE", start) if not edge.item.weak)
    yield from ordinal(chart, start, start)
    for phrase in (*superlatives(chart, start), *people(chart, start)):
        yield Edge(phrase.end, phrase)


@rule("HEAD")
def _determined_head(chart: Chart, start: int) -> Iterator[Edge]:
    """A determiner or quantifier and the names behind it; `our new phone number`."""
    place, quantified, article = _determiner(chart, start)
    if place > start:
        yield from _after_determiner(chart, start, place, quantified)
        yield from _count_matches(chart, start, place)
    if article and chart.low(place) == "new":
        for edge in chart.edges("CORE", place + 1):
            if not edge.item.weak:
                yield Edge(edge.end, replace(edge.item, start=start, cost=edge.item.cost + 1))


@rule("HEAD")
def _members(chart: Chart, start: int) -> Iterator[Edge]:
    """Every part of what is named: `every value in features`, `all keys of the cache`."""
    if chart.low(start) not in QUANTIFIERS:
        return
    place = start + 1 + (chart.low(start + 1) == "of")
    place += chart.low(place) in ("the", "its")
    if singular(chart.low(place)) not in _PARTS or chart.low(place + 1) not in _WITHIN:
        return
    for edge in chart.edges("CORE", place + 2 + (chart.low(place + 2) == "the")):
        phrase = edge.item
        held = [chart.tree.values[n] for n in phrase.nodes]
        if phrase.sort not in (Sort.KEY, Sort.PATH) or len(held) != 1 or not held[0]:
            continue
        if isinstance(held[0], dict | list):
            nodes = tuple(chart.tree.children(phrase.nodes[0]))
            yield Edge(edge.end, replace(phrase, start=start, nodes=nodes, sort=Sort.KEY, many=True,
                                         quantified=True, weak=False))  # fmt: skip


@rule("HEAD")
def _top_level(chart: Chart, start: int) -> Iterator[Edge]:
    """The document itself, or its own members: the top level."""
    for words in _TOP:
        after = chart.words(start + (chart.low(start) == "the"), words)
        if after > 0:
            level = words[0] in ("top", "root", "top-level", "root-level", "outermost")
            yield Edge(after, Phrase(start, after, (0,), Sort.PATH, top=level))


def _determiner(chart: Chart, start: int) -> tuple[int, bool, bool]:
    """Return where the noun begins, whether a quantifier and whether an article precedes it."""
    place, quantified, article = start, False, False
    if chart.low(place) in QUANTIFIERS:
        quantified, place = True, place + 1
        if chart.low(place) == "of":
            place += 1
    elif chart.low(place) in ("only", "just"):
        place += 1
    if chart.low(place) in DETERMINERS and place + 1 < chart.size:
        article, place = True, place + 1
    place += article and chart.low(place) in ("whole", "entire", "complete")
    place += article and chart.low(place) == "existing" and not chart.lexicon.senses(place)
    if article and chart.low(place) in QUANTIFIERS:
        quantified, place = True, place + 1
    if chart.low(place) in ("other", "remaining", "various", "individual", "single", "specific"):
        return start, False, False
    return place, quantified, article


def _after_determiner(chart: Chart, start: int, place: int, quantified: bool) -> Iterator[Edge]:
    for edge in chart.edges("CORE", place):
        phrase: Phrase = edge.item
        if phrase.weak and not (quantified or (phrase.many and phrase.sort is Sort.ITEMS)):
            continue
        if not quantified:
            yield Edge(edge.end, replace(phrase, start=start))
            continue
        if phrase.sort is Sort.KEY and _is_container(chart.tree, phrase) and phrase.cost < 2:
            # "all users" are the users, hardly the array that holds them
            phrase = phrase.dearer(2)
        yield Edge(edge.end, replace(phrase, start=start, many=True, quantified=True, weak=False))
    yield from ordinal(chart, start, place)
    for found in superlatives(chart, place):
        yield Edge(found.end, replace(found, start=start))


def _count_matches(chart: Chart, start: int, place: int) -> Iterator[Edge]:
    """Yield `the three servers` when there are three."""
    count = number_in(chart.low(place))
    if not count or not count.isdigit() or int(count) < 2:
        return
    for edge in chart.edges("CORE", place + 1):
        if edge.item.many and len(edge.item.nodes) == int(count):
            yield Edge(edge.end, replace(edge.item, start=start, many=True, quantified=True))


def _is_container(tree: DocumentTree, phrase: Phrase) -> bool:
    return all(isinstance(tree.values[n], dict | list) for n in phrase.nodes)
