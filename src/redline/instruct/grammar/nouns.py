"""Noun phrases: names side by side, determiners, ordinals, possessives, restrictions, lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.compounds import combine
from redline.instruct.grammar.kinds import (
    by_number,
    generic_nouns,
    outer_items,
    people,
    superlatives,
)
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import (
    GENERIC,
    ORDINALS,
    QUANTIFIERS,
    STRUCTURAL,
    is_plural,
    number_in,
    singular,
)
from redline.instruct.lexicon.senses import Sense, Sort
from redline.instruct.lexicon.tree import DocumentTree, Nodes
from redline.instruct.model.values import Num

DETERMINERS = frozenset("the a an my our your this that these those existing current".split())
PRONOUNS = frozenset("it them they he she him her this that those these".split())
POSSESSIVES = frozenset("its their his her".split())
_TITLES = frozenset("mr mrs ms miss dr prof sir madam".split())
_MAX_PARTS = 6
_MEASURES = frozenset("size count number amount level rate length value total".split())
_POINTERS = (("json", "pointer"), ("json", "path"), ("jsonpath",), ("pointer",))
# What a key in quotes may be called: the `delete` operation, the `retry` policy.
_CLASSES = frozenset(
    "operation method endpoint policy limit threshold handler rule header toggle switch string "
    "number boolean text date timestamp label dictionary mapping table constant environment stage "
    "job step task plan role group service module package dependency plugin feature command script "
    "argument env profile job queue channel host region locale language page route".split()
)
_TOP = tuple(
    tuple(text.split())
    for text in (
        "top level|root level|root|top-level|root object|top-level object|top level object|"
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
        tail = _structural_suffix(chart, phrase)
        if tail is not None:
            agenda.append((tail, parts))
        if parts >= _MAX_PARTS or not phrase.nodes:
            continue
        for edge in chart.edges("NAME", phrase.end):
            agenda += [(p, parts + 1) for p in combine(chart.tree, phrase, edge.item)]
        numbered = _pick_by_number(chart, phrase)
        if numbered is not None:
            agenda.append((numbered, parts + 1))


def _structural_prefix(chart: Chart, start: int) -> int:
    """Return where the name begins behind `field`, `key`, `value of` and the like."""
    for words in _POINTERS:
        after = chart.words(start, words)
        if after > 0:
            return after
    word = singular(chart.low(start))
    if word not in STRUCTURAL and word not in ("number", "amount", "name"):
        return start
    if chart.low(start + 1) == "of":
        after = start + 2
        after += chart.low(after) in DETERMINERS
        return after + (word == "value" and singular(chart.low(after)) in STRUCTURAL)
    return start + 1 if word in STRUCTURAL and word not in ("item", "element") else start


def _structural_suffix(chart: Chart, phrase: Phrase) -> Phrase | None:
    """Return the phrase with a word such as `field` or `section` behind it."""
    low = chart.low(phrase.end)
    if singular(low) in GENERIC and phrase.sort in (Sort.KEY, Sort.PATH):
        return _entries(chart.tree, phrase, is_plural(low))
    measured = singular(low) in _MEASURES and phrase.nodes and all(
        isinstance(chart.tree.values[n], Num) for n in phrase.nodes
    )  # fmt: skip
    named = singular(low) in STRUCTURAL - GENERIC and phrase.sort in (Sort.KEY, Sort.PATH)
    quoted = chart.tokens[phrase.end - 1].kind in ("quoted", "code")
    if quoted and low in _CLASSES and not chart.lexicon.senses(phrase.end):
        return replace(phrase, end=phrase.end + 1)
    if not measured and not named:
        return None
    many = phrase.many or (is_plural(low) and len(phrase.nodes) > 1)
    whole = phrase.whole or (named and low in ("list", "array", "collection"))
    return replace(phrase, end=phrase.end + 1, many=many, weak=False, whole=whole)


def _entries(tree: DocumentTree, phrase: Phrase, plural: bool) -> Phrase | None:
    """Return the members of what is named: the rsvp entries; or itself: the "react" entry."""
    held = [tree.values[n] for n in phrase.nodes]
    if not plural:
        return replace(phrase, end=phrase.end + 1)
    if not all(isinstance(value, dict | list) for value in held):
        return None
    nodes = tuple(sorted(c for n in phrase.nodes for c in tree.children(n)))
    return replace(phrase, end=phrase.end + 1, nodes=nodes, sort=Sort.ITEMS, many=True, weak=False)


def _pick_by_number(chart: Chart, phrase: Phrase) -> Phrase | None:
    """Return `item 2` as the second of a collection whose records have no such id."""
    if phrase.sort is not Sort.ITEMS or phrase.many:
        return None
    digits = chart.low(phrase.end).lstrip("#")
    if not digits.isdigit() or any(
        s.sort is Sort.RECORD and chart.tree.inside(s.nodes, phrase.nodes)
        for s in chart.lexicon.senses(phrase.end)
    ):
        return None
    picked = _pick(chart.tree, phrase.nodes, int(digits) - 1, 1)
    if not picked:
        return None
    return replace(phrase, nodes=picked, end=phrase.end + 1, cost=phrase.cost + 1, filtered=True,
                   weak=False)  # fmt: skip


def _pick(tree: DocumentTree, nodes: Nodes, place: int, count: int) -> Nodes:
    """Return the elements at *place* of each collection, or *count* from there."""
    groups: dict[int, list[int]] = {}
    for node in nodes:
        groups.setdefault(tree.parents[node], []).append(node)
    found: list[int] = []
    for group in groups.values():
        if place < 0:
            chosen = group[len(group) - count :] if place == -1 else group[place : place + 1]
        else:
            chosen = group[place : place + count]
        if len(chosen) == count:
            found += chosen
    return tuple(sorted(found))


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
def _pronoun(chart: Chart, start: int) -> Iterator[Edge]:
    """A pronoun, or names that belong to one; the top level of the document."""
    low = chart.low(start)
    if low in PRONOUNS:
        many = low in ("them", "they", "those", "these")
        yield Edge(start + 1, Phrase(start, start + 1, (), Sort.KEY, many=many, owner=True))
    if low in POSSESSIVES:
        for edge in chart.edges("CORE", start + 1):
            if not edge.item.weak:
                yield Edge(edge.end, replace(edge.item, start=start, owner=True))
    if low in ("the", "this") and chart.low(start + 1) == "value":
        yield Edge(start + 2, Phrase(start, start + 2, (), Sort.KEY, 1, many=True, owner=True))
    for top in _TOP:
        after = chart.words(start + (chart.low(start) == "the"), top)
        if after > 0:
            yield Edge(after, Phrase(start, after, (0,), Sort.PATH))


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


def ordinal(chart: Chart, start: int, place: int) -> Iterator[Edge]:
    """Yield `second user`, `first two products`, `very last item`."""
    place += chart.low(place) == "very"
    position = ORDINALS.get(chart.low(place))
    if position is None:
        return
    count, after = 1, place + 1
    if chart.low(after) in ("and", "&") and chart.low(after + 1) in ORDINALS:
        yield from _two_ordinals(chart, start, position, after + 1)
    if after >= chart.size or chart.low(after) in (".", ",", ";", "and", "!"):
        yield from _bare_ordinal(chart, start, after, position)
    said = number_in(chart.low(after))
    if said and said.isdigit() and int(said) > 1:
        count, after = int(said), after + 1
    for edge in chart.edges("CORE", after):
        phrase: Phrase = _contents(chart.tree, edge.item)
        if phrase.sort not in (Sort.ITEMS, Sort.RECORD, Sort.ELEMENT):
            continue
        picked = _pick(chart.tree, phrase.nodes, position, count)
        if picked:
            yield Edge(
                edge.end,
                replace(phrase, start=start, nodes=picked, many=count > 1, weak=False,
                        filtered=True, quantified=False),
            )  # fmt: skip


def _bare_ordinal(chart: Chart, start: int, after: int, position: int) -> Iterator[Edge]:
    """Yield `the second` without a noun: of the outermost list."""
    for phrase in outer_items(chart.tree):
        picked = _pick(chart.tree, phrase.nodes, position, 1)
        if picked:
            yield Edge(after, replace(phrase, start=start, end=after, nodes=picked))


def _two_ordinals(chart: Chart, start: int, first: int, place: int) -> Iterator[Edge]:
    """Yield `first and second book`."""
    second = ORDINALS[chart.low(place)]
    for edge in chart.edges("CORE", place + 1):
        phrase: Phrase = edge.item
        if phrase.sort is not Sort.ITEMS:
            continue
        one = _pick(chart.tree, phrase.nodes, first, 1)
        two = _pick(chart.tree, phrase.nodes, second, 1)
        if len(one) == len(two) == 1 and one != two:
            both = tuple(sorted(one + two))
            yield Edge(edge.end, replace(phrase, start=start, nodes=both, many=True, weak=False,
                                         filtered=True))  # fmt: skip


def _contents(tree: DocumentTree, phrase: Phrase) -> Phrase:
    """Return the elements of the arrays a phrase names; other phrases as they are."""
    if phrase.sort is not Sort.KEY:
        return phrase
    arrays = [n for n in phrase.nodes if isinstance(tree.values[n], list)]
    elements = tuple(sorted(c for n in arrays for c in tree.children(n)))
    return replace(phrase, nodes=elements, sort=Sort.ITEMS, cost=phrase.cost + 1)
