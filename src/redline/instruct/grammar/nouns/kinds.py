"""Nouns that are no key: items, everyone, superlatives, the document, kinds by a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.words import (
    GENERIC,
    ORDINALS,
    QUANTIFIERS,
    STRUCTURAL,
    is_plural,
    key_form,
    key_words,
    number_in,
    singular,
)
from redline.instruct.lexicon.runs import STOP_WORDS
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.synonyms import CROWDS, FAMILIES, NAMING, PERSONAL, WHOLE
from redline.instruct.lexicon.tree import NAME_FORMS, DocumentTree, Nodes
from redline.instruct.model.values import Num

_RELATIVES = frozenset("that which whose with where who".split())
_BEFORE_ONE = frozenset("the this that first second third last next other".split())
_BEFORE_KIND = frozenset("the every each all any of for in from to".split())
_AFTER_KIND = frozenset("named called titled to is are and by in from for on at".split())
# Nouns for records, and the fields by which they are such.
_TRAITS = {
    "product": ("sku", "price", "stock"), "article": ("sku", "price", "stock"),
    "employee": ("salary", "hour", "shift", "jobtitle"), "person": ("age", "birthday", "birthdate"),
}  # fmt: skip
# What a document as a whole may be about.
_ABOUT = frozenset(
    "project repository repo app application service site website company shop store restaurant "
    "hotel clinic course event conference wedding trip game league library experiment pipeline "
    "show podcast package product deployment cluster team festival tour party playlist recipe "
    "invoice menu club school blog album survey quiz".split()
)
_LISTS = frozenset("list array collection".split())
_EVERYONE = frozenset("everyone everybody anyone anybody".split())
_MOST: dict[str, tuple[tuple[str, ...], bool]] = {
    "cheapest": (("price", "cost", "unitprice"), False),
    "priciest": (("price", "cost"), True),
    "dearest": (("price", "cost"), True),
    "oldest": (("age",), True),
    "youngest": (("age",), False),
    "heaviest": (("weight",), True),
    "lightest": (("weight",), False),
    "longest": (("length", "duration", "minutes"), True),
    "shortest": (("length", "duration", "minutes"), False),
    "newest": (("year", "date", "created", "createdat", "released"), True),
    "latest": (("date", "created", "createdat"), True),
    "earliest": (("date", "created", "createdat"), False),
}
_HIGH = frozenset("highest largest biggest greatest most maximum longest top".split())
_LOW = frozenset("lowest smallest least fewest minimum shortest".split())


def generic_nouns(chart: Chart, start: int) -> Iterator[Phrase]:
    """Yield `item`, `list`, `document`, and kinds that are no key of the document."""
    token, tree = chart.tokens[start] if start < chart.size else None, chart.tree
    if token is None or token.kind != "word":
        return
    word, plural = singular(token.low), is_plural(token.text)
    if key_form(token.text) not in tree.by_form:
        yield from _kinds_without_key(chart, start, word, plural)
    yield from _structures(chart, start, word, plural)
    if token.low in ("everything", "anything"):
        alone = chart.low(start + 1) not in _RELATIVES
        for phrase in outer_items(tree):
            if _is_of_others(chart, start + 1, phrase):
                continue
            yield replace(
                phrase, start=start, end=start + 1, many=True, quantified=True, part=alone
            )
    elif word in GENERIC and (word != "one" or chart.low(start - 1) in _BEFORE_ONE):
        for phrase in outer_items(tree):
            yield replace(phrase, start=start, end=start + 1, cost=1, many=plural)


def _is_of_others(chart: Chart, start: int, phrase: Phrase) -> bool:
    """Return whether what is said of everything is a field of other records as well."""
    tree = chart.tree
    fields = [n for edge in chart.edges("FILTER", start) for n in getattr(edge.item, "fields", ())]
    keys = {str(tree.keys[n]) for n in fields}
    homes = {tree.parents[n] for key in keys for n in tree.by_key.get(key, ())}
    return not homes <= set(phrase.nodes)


def _structures(chart: Chart, start: int, word: str, plural: bool) -> Iterator[Phrase]:
    """Yield `the list`, `the document`."""
    tree = chart.tree
    if word in _LISTS and isinstance(tree.document, list) and not plural:
        yield Phrase(start, start + 1, (0,), Sort.KEY, 1)
    elif word in _LISTS:
        arrays = tuple(n for n, v in enumerate(tree.values) if isinstance(v, list))
        if arrays:
            yield Phrase(start, start + 1, arrays, Sort.KEY, 1, many=plural)
    elif word in WHOLE and word not in tree.by_form:
        yield Phrase(start, start + 1, (0,), Sort.KEY, 1)


def _kinds_without_key(chart: Chart, start: int, word: str, plural: bool) -> Iterator[Phrase]:
    tree = chart.tree
    family = FAMILIES.get(word)
    if family is not None:
        nodes = tuple(
            sorted(
                n for code in family for n in tree.by_form.get(code, [])
                if chart.lexicon.in_family(n, family)
            )
        )  # fmt: skip
        if nodes:
            yield Phrase(start, start + 1, nodes, Sort.ITEMS, 1, many=plural)
    yield from _kinds_by_traits(chart, start, word, plural)
    yield from _kinds_of_root(chart, start, word, plural)


def _kinds_by_traits(chart: Chart, start: int, word: str, plural: bool) -> Iterator[Phrase]:
    """Yield records that are what a noun says by their fields: a product has a price."""
    tree, forms = chart.tree, _TRAITS.get(word)
    if forms is not None:
        fields = [n for form in forms for n in tree.by_form.get(form, ())]
        records = tuple(
            sorted({tree.parents[n] for n in fields if tree.is_element(tree.parents[n])})
        )
        if records:
            yield Phrase(start, start + 1, records, Sort.ITEMS, 2, many=plural)


def _kinds_of_root(chart: Chart, start: int, word: str, plural: bool) -> Iterator[Phrase]:
    """Yield what the document is, or what it is a list of."""
    tree = chart.tree
    root = tree.document
    if isinstance(root, dict) and any(
        len(words := key_words(key)) == 2 and words[0] == word and words[1] in NAMING
        for key in root
    ):
        yield Phrase(start, start + 1, (0,), Sort.KEY, 1)
    about = chart.low(start - 1) in ("the", "our", "my", "whole", "this") and word in _ABOUT
    if about and isinstance(root, dict) and any(key_form(key) in NAME_FORMS for key in root):
        yield Phrase(start, start + 1, (0,), Sort.KEY, 2, doubt="about")
    if (
        chart.low(start - 1) == "this"
        and isinstance(root, dict)
        and not chart.lexicon.senses(start)
    ):
        yield Phrase(start, start + 1, (0,), Sort.KEY, 3)
    if isinstance(root, dict) and not chart.lexicon.senses(start) and _is_noun(chart, start):
        records = _general_records(tree)
        if records:
            yield Phrase(start, start + 1, records, Sort.ITEMS, 3, many=plural, whole=False)
    if isinstance(root, list) and not chart.lexicon.senses(start) and _is_noun(chart, start):
        records = tuple(tree.children(0))
        if records and all(isinstance(item, dict) for item in root):
            yield Phrase(start, start + 1, records, Sort.ITEMS, 3, many=plural)


# Lists whose name says nothing of what they hold.
_GENERAL = frozenset(
    "inventory stock catalog catalogue library collection menu fleet playlist queue backlog basket "
    "cart shelf roster lineup agenda registry portfolio warehouse watchlist storage assortment "
    "item entry record data result".split()
)


def _general_records(tree: DocumentTree) -> tuple[int, ...]:
    """Return the records of the one list whose name says nothing of them: books in `inventory`."""
    lists = [
        n for form in _GENERAL for n in tree.by_form.get(form, ())
        if isinstance(held := tree.values[n], list) and held
        and all(isinstance(item, dict) for item in held)
    ]  # fmt: skip
    return tuple(tree.children(lists[0])) if len(lists) == 1 else ()


def _is_noun(chart: Chart, start: int) -> bool:
    """Return whether an unknown word may say what the document is a list of."""
    low, before = chart.low(start), chart.low(start - 1)
    if not low.isalpha() or low in STOP_WORDS | STRUCTURAL:
        return False
    flagged = any(s.sort is Sort.FLAG for s in chart.lexicon.senses(start - 1)) if start else False
    numbered = chart.low(start + 1).lstrip("#").isdigit()
    if is_plural(low) or numbered:
        return True
    after = chart.tokens[start + 1] if start + 1 < chart.size else None
    # "zorb items" are items of a kind that is not known
    ends = after is None or after.kind in ("quoted", "poss", "sign", "end", "json")
    ends = ends or chart.low(start + 1) in _RELATIVES | _AFTER_KIND
    ends = ends or (before in QUANTIFIERS and bool(chart.edges("FILTER", start + 1)))
    counted = before in _BEFORE_KIND or before in ORDINALS or before in ("a", "an", "new")
    return ends and chart.tokens[start].text == low and (flagged or counted)


def by_number(chart: Chart, start: int) -> Iterator[Phrase]:
    """Yield records by a field and what it holds: round 11, n=43, sku="B2"."""
    tree = chart.tree
    for sense in chart.lexicon.senses(start):
        if sense.sort is not Sort.KEY:
            continue
        named = number_fields(tree, sense.nodes)
        if not named and (not sense.whole or sense.cost > 1):
            continue
        sign = chart.low(sense.end) in ("=", "==", ":", "#")
        place = sense.end + sign
        token = chart.tokens[place] if place < chart.size else None
        if token is None or (token.kind == "word" and number_in(token.text) is None):
            continue
        if not sign and token.kind != "word":
            continue
        fields = tuple(n for n in sense.nodes if tree.text(n) == token.text)
        records = tuple(sorted({tree.record_of(n) for n in fields}))
        if records and all(map(tree.is_record, records)):
            cost = (0 if named else sense.cost) + (0 if sign else 1)
            yield Phrase(start, place + 1, records, Sort.RECORD, cost, fields=fields)


def number_fields(tree: DocumentTree, nodes: Nodes) -> Nodes:
    """Return the numbers among *nodes* that records bear under the name of their list: levels."""
    named = set(nodes)
    return tuple(
        n for n in nodes
        if isinstance(tree.values[n], Num) and tree.is_element(tree.parents[n])
        and tree.parents[tree.parents[n]] in named
    )  # fmt: skip


def outer_items(tree: DocumentTree) -> Iterator[Phrase]:
    """Yield what the document is a list of, if it holds lists."""
    nodes = _elements(tree)
    if nodes:
        yield Phrase(0, 0, nodes, Sort.ITEMS, 2)


def _elements(tree: DocumentTree) -> tuple[int, ...]:
    """Return the elements of the outermost arrays when they are of one collection, else all."""
    if isinstance(tree.document, list):
        return tuple(tree.children(0))
    arrays = [n for n, v in enumerate(tree.values) if isinstance(v, list) and v]
    outer = tree.outermost(arrays)
    chosen = outer if len(outer) == 1 else arrays
    return tuple(sorted(c for n in chosen for c in tree.children(n)))


def people(chart: Chart, start: int) -> Iterator[Phrase]:
    """Yield `everyone`: the records about people."""
    if chart.low(start) not in _EVERYONE:
        return
    tree = chart.tree
    nodes = tuple(
        n for n, v in enumerate(tree.values) if isinstance(v, dict) and _is_person(tree, n)
    )
    if nodes:
        yield Phrase(start, start + 1, nodes, Sort.ITEMS, many=True, quantified=True)


def _is_person(tree: DocumentTree, node: int) -> bool:
    value = tree.values[node]
    if not tree.is_element(node) or not isinstance(value, dict) or not tree.is_named(node):
        return False
    array = tree.parents[node]
    crowd = key_form(str(tree.keys[array])) in CROWDS
    return crowd or any(key_form(key) in PERSONAL for key in value)


def superlatives(chart: Chart, start: int) -> Iterator[Phrase]:
    """Yield `the cheapest dish`, `the most expensive product`, `the highest priority`."""
    low, tree = chart.low(start), chart.tree
    found: tuple[tuple[str, ...], bool] | None = _MOST.get(low)
    after = start + 1
    if low in ("most", "least") and chart.low(start + 1) in ("expensive", "costly"):
        found, after = (("price", "cost", "unitprice"), low == "most"), start + 2
    if found is None:
        return
    forms, highest = found
    for edge in chart.edges("CORE", after):
        phrase: Phrase = edge.item
        if phrase.sort not in (Sort.ITEMS, Sort.RECORD):
            continue
        node = extreme(tree, phrase.nodes, forms, highest)
        if node is not None:
            yield replace(phrase, start=start, nodes=(node,), many=False, filtered=True, weak=False)


def extreme(
    tree: DocumentTree, nodes: tuple[int, ...], forms: tuple[str, ...], highest: bool
) -> int | None:
    """Return the one record with the highest or lowest number under one of the keys."""
    for form in forms:
        fields = tree.by_form.get(form, [])
        found = []
        for node in nodes:
            inner = [f for f in tree.below(node, fields) if isinstance(tree.values[f], Num)]
            if len(inner) == 1:
                found.append((tree.values[inner[0]].decimal, node))  # type: ignore[union-attr]
        if found and len(found) == len(nodes):
            best = max(found)[0] if highest else min(found)[0]
            chosen = [node for size, node in found if size == best]
            return chosen[0] if len(chosen) == 1 else None
    return None


def direction_of(word: str) -> bool | None:
    """Return True for highest, False for lowest, None for other words."""
    return True if word in _HIGH else False if word in _LOW else None
