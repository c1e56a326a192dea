"""Conditions on records: comparisons, flags, memberships, names, superlatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.comparisons import PLAIN, comparison, fits, operands, operators
from redline.instruct.grammar.nouns.kinds import direction_of
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import (
    EMPTY,
    Among,
    Exists,
    Itself,
    Most,
    Sized,
    Test,
)
from redline.instruct.language.words import key_form, number_in
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree, Nodes
from redline.instruct.model.values import Num

_LENGTHS = ("duration", "length", "minute", "durationminute", "durationmin", "lengthmin",
            "runtime", "second", "lengthminute")  # fmt: skip
# Comparatives that name their field: older than 30, cheaper than 5.
_COMPARATIVES: dict[str, tuple[tuple[str, ...], str]] = {
    "older": (("age",), ">"), "younger": (("age",), "<"), "cheaper": (("price", "cost"), "<"),
    "pricier": (("price", "cost"), ">"), "heavier": (("weight",), ">"),
    "lighter": (("weight",), "<"), "longer": (_LENGTHS, ">"), "shorter": (_LENGTHS, "<"),
}  # fmt: skip
_PAY = ("salary", "pay", "wage", "income")
_PRICED = {
    "priced": ("price", "cost"), "costing": ("price", "cost"), "aged": ("age",), "earning": _PAY,
    "making": _PAY, "paid": _PAY, "weighing": ("weight",),
}  # fmt: skip
_TRIGGERS = ("whose", "where", "wherever", "with", "having", "for-which", "when", "if", "that-have",
             "that-has", "who-have", "who-has", "which-have", "which-has")  # fmt: skip
RELATIVES = frozenset("that which who".split())
_COPULAS: dict[str, bool] = {
    "is": True, "are": True, "was": True, "were": True, "isn't": False, "aren't": False,
    "wasn't": False, "isnt": False, "arent": False, "aren’t": False, "isn’t": False,
}  # fmt: skip
# Verbs that say that a record has a value somewhere.
_HOLDING = frozenset("use uses using run runs hold holds carry carries contain contains".split())
_NAMED = frozenset("numbered named called titled labeled labelled entitled".split())


@rule("PREDICATE")
def _predicate(chart: Chart, start: int) -> Iterator[Edge]:
    """A condition without its introducing word: price is above 5, it is null, no tags."""
    for edge in chart.edges("FIELD", start):
        yield from comparison(chart, edge.end, edge.item)
    low = chart.low(start)
    if low == "it":
        yield from _of_itself(chart, start + 1)
    if low in ("no", "without", "missing", "w/o"):
        yield from _find_lacking(chart, start + 1 + (chart.low(start + 1) in ("any", "a", "an")))
    for edge in chart.edges("FIELD", start):
        if _is_key(chart, edge.end - 1):
            yield Edge(edge.end, Exists(edge.item.nodes, True, edge.item.cost + 1, empty=True))
        elif _are_flags(chart.tree, edge.item) and chart.low(start - 1) in ("with", "a", "an"):
            yield Edge(edge.end, Test(edge.item.nodes, "=", ("true",), edge.item.cost + 1))


def _find_lacking(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield the records without something in a field, or whose flag is off.

    Of numbers it is not known whether 0 is meant.
    """
    for edge in chart.edges("FIELD", start):
        nodes, cost = edge.item.nodes, edge.item.cost + 1
        empty = _is_key(chart, edge.end - 1)
        if _are_flags(chart.tree, edge.item) and not empty:
            yield Edge(edge.end, Test(nodes, "=", ("false",), cost))
        elif empty or not all(isinstance(chart.tree.values[n], Num) for n in nodes):
            yield Edge(edge.end, Exists(nodes, False, cost, empty=empty))


def _are_flags(tree: DocumentTree, phrase: Phrase) -> bool:
    return bool(phrase.nodes) and all(isinstance(tree.values[n], bool) for n in phrase.nodes)


def _is_key(chart: Chart, place: int) -> bool:
    """Return whether a field is spoken of as such: a `retries` key."""
    return chart.low(place) in ("key", "field", "property", "attribute", "entry")


@rule("PREDICATE")
def _amount_predicate(chart: Chart, start: int) -> Iterator[Edge]:
    """Fewer than 5 qty, the highest score."""
    low = chart.low(start)
    for end, op in operators(chart, start + (low in ("a", "an"))):
        yield from _amount_first(chart, end, op)
    if number_in(low) is not None or low == "zero":
        yield from _amount_first(chart, start, "=")
    word = chart.low(start + 1) if low == "the" else low
    highest = direction_of(word)
    if highest is not None:
        for edge in chart.edges("FIELD", start + 1 + (low == "the")):
            forms = {key_form(str(chart.tree.keys[n])) for n in edge.item.nodes}
            yield Edge(edge.end, Most(tuple(sorted(forms)), highest, edge.item.cost))


def _of_itself(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `where it is null`: the value of the place itself."""
    place = start + 1 + (chart.low(start + 1) in ("currently", "still"))
    if chart.low(start) in _COPULAS and chart.low(place) in EMPTY | {"true", "false"}:
        yield Edge(place + 1, Itself(chart.low(place), _COPULAS[chart.low(start)]))


def _amount_first(chart: Chart, start: int, op: str) -> Iterator[Edge]:
    """Yield `fewer than 5 qty`, `below level 10`, `0 stock`."""
    number = number_in(chart.low(start))
    if number is not None:
        for edge in chart.edges("FIELD", start + 1):
            if fits(chart.tree, edge.item.nodes, op if op != "=" else ">", (number,)):
                yield Edge(edge.end, Test(edge.item.nodes, op, (number,), edge.item.cost))
    for edge in chart.edges("FIELD", start):
        after = number_in(chart.low(edge.end))
        if after is not None and op in ("<", ">", "<=", ">="):
            yield Edge(edge.end + 1, Test(edge.item.nodes, op, (after,), edge.item.cost))


@rule("STATE")
def _state(chart: Chart, start: int) -> Iterator[Edge]:
    """What records are: flags, kinds and values, with `not` before them."""
    wanted, place = True, start
    if chart.low(place) in ("not", "n't"):
        wanted, place = False, place + 1 + (chart.low(place + 1) == "yet")
    place += chart.low(place) in ("a", "an", "currently", "still", "already", "marked")
    place += chart.low(place) == "as"
    if place < chart.size and chart.tokens[place].kind == "quoted":
        yield Edge(place + 1, Itself(chart.tokens[place].text, wanted))
    for edge in chart.edges("CORE", place):
        phrase: Phrase = edge.item
        if phrase.sort is Sort.FLAG:
            tail = chart.low(edge.end) == "yet" and not wanted
            yield Edge(edge.end + tail, _flag(chart.tree, phrase, wanted))
        elif phrase.sort is Sort.RECORD and phrase.whole:
            if not all(map(chart.tree.is_record, phrase.nodes)):
                continue
            keys = {str(chart.tree.keys[n]) for n in phrase.fields}
            known = tuple(
                sorted({chart.tree.record_of(n) for k in keys for n in chart.tree.by_key[k]})
            )
            yield Edge(edge.end, Among(phrase.nodes, wanted, phrase.cost, known=known))


def _flag(tree: DocumentTree, phrase: Phrase, wanted: bool) -> Among:
    keys = {str(tree.keys[n]) for n in phrase.fields}
    known = tuple(sorted({tree.record_of(n) for k in keys for n in tree.by_key[k]}))
    return Among(phrase.nodes, wanted, phrase.cost, known=known)


@rule("SIMPLE")
def _simple(chart: Chart, start: int) -> Iterator[Edge]:
    """One condition with its introducing word: whose, with, where, that."""
    for trigger in _TRIGGERS:
        after = chart.words(start, tuple(trigger.split("-")))
        if after > 0:
            after += chart.low(after) in ("a", "an") and direction_of(chart.low(after + 1)) is None
            yield from chart.edges("PREDICATE", after)
            if trigger in ("where", "when", "if", "wherever"):
                yield from state_of_subject(chart, after)
    low = chart.low(start)
    if low in RELATIVES:
        yield from _relative(chart, start + 1)
    if low in _NAMED:
        yield from _names(chart, start + 1)
    if low in ("without", "w/o", "missing", "lacking"):
        yield from chart.edges("PREDICATE", start)


@rule("SIMPLE")
def _comparative(chart: Chart, start: int) -> Iterator[Edge]:
    """Older than 30, priced over 5, at 100% rollout, below level 10."""
    low = chart.low(start)
    if low in _COMPARATIVES and chart.low(start + 1) == "than":
        forms, op = _COMPARATIVES[low]
        yield from _by_forms(chart, start + 2, forms, op)
    if low in _PRICED:
        for end, op in operators(chart, start + 1):
            yield from _by_forms(chart, end, _PRICED[low], op)
        yield from _by_forms(chart, start + 1, _PRICED[low], "=")
    if low in ("at", "below", "above", "over", "under", "before", "after", "on"):
        ops = {"at": "=", "on": "="}
        op = ops.get(low) or next(o for e, o in operators(chart, start) if e == start + 1)
        yield from (_dearer(edge) for edge in _amount_first(chart, start + 1, op))
        if low == "at":
            yield from _percent_first(chart, start + 1)


def _percent_first(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `at 100 % rollout`, `at 100% rollout`."""
    number = number_in(chart.low(start).rstrip("%"))
    after = start + 1 + (chart.low(start + 1) in ("%", "percent"))
    if number is None:
        return
    for edge in chart.edges("FIELD", after):
        yield Edge(edge.end, Test(edge.item.nodes, "=", (number,), edge.item.cost))


def _dearer(edge: Edge) -> Edge:
    return Edge(edge.end, replace(edge.item, cost=edge.item.cost + 1))


def _by_forms(chart: Chart, start: int, forms: Iterable[str], op: str) -> Iterator[Edge]:
    for form in forms:
        fields = tuple(chart.tree.by_form.get(form, ()))
        if fields:
            for end, found in operands(chart, start, fields):
                if fits(chart.tree, fields, op, found.texts):
                    after = end + (chart.low(end) in ("years", "dollars", "euros"))
                    yield Edge(after, Test(fields, op, found.texts, found.cost))
            return


def _names(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `named Bob Jones`: records by an identifying value."""
    tree = chart.tree
    for sense in chart.lexicon.senses(start):
        named = tuple(n for n in sense.fields if tree.identifies(n))
        if sense.sort is Sort.RECORD and named:
            records = tuple(sorted({tree.record_of(n) for n in named} - {0}))
            if records:
                yield Edge(sense.end, Among(records, True, sense.cost, sense.whole))
        if sense.sort is Sort.KEY and sense.whole:
            yield Edge(sense.end, Among(sense.nodes, True, sense.cost))


def _relative(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `that are done`, `who is not confirmed`, `which cost over 5`."""
    yield from being_or_having(chart, start)
    if chart.low(start) in _HOLDING:
        place = start + 1 + (chart.low(start + 1) in ("on", "in", "at"))
        yield from (_dearer(edge) for edge in chart.edges("STATE", place))
    yield from _find_costing(chart, start)
    yield from chart.edges("PREDICATE", start)


def being_or_having(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `are done`, `isn't confirmed`, `has no tags`."""
    low = chart.low(start)
    if low in _COPULAS:
        states = (*chart.edges("STATE", start + 1), *chart.edges("PP", start + 1))
        yield from states if _COPULAS[low] else deny(states)
    if low in ("have", "has", "had"):
        yield from chart.edges("PREDICATE", start + 1 + (chart.low(start + 1) in ("a", "an")))
        yield from chart.edges("STATE", start + 1)


def _find_costing(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `which cost over 5`."""
    if chart.low(start) in ("cost", "costs"):
        for end, op in [(start + 1, "="), *operators(chart, start + 1)]:
            yield from _by_forms(chart, end, ("price", "cost"), op)


def deny(edges: Iterable[Edge]) -> Iterator[Edge]:
    """Yield the opposite of each condition, if it has one."""
    for end, condition in ((edge.end, edge.item) for edge in edges):
        if isinstance(condition, Among | Exists | Itself):
            yield Edge(end, replace(condition, wanted=not condition.wanted))
        elif isinstance(condition, Test) and condition.op == "=":
            yield Edge(end, replace(condition, op="!="))


@rule("PP")
def _in_place(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `in zone b`, `from Berlin` as a condition."""
    if chart.low(start) not in ("in", "from", "on", "of"):
        return
    for edge in chart.edges("CORE", start + 1 + (chart.low(start + 1) == "the")):
        phrase: Phrase = edge.item
        if phrase.sort not in (Sort.RECORD, Sort.KEY, Sort.FLAG):
            continue
        # Nothing lies in a number or a text: `in stock` does not say that it does.
        if all(isinstance(chart.tree.values[node], dict | list) for node in phrase.nodes):
            known = _alike(chart.tree, phrase.nodes)
            yield Edge(edge.end, Among(phrase.nodes, True, phrase.cost, phrase.whole, known))


def _alike(tree: DocumentTree, nodes: Nodes) -> Nodes:
    """Return the places in one of which something must lie, for it to be said that it is not."""
    found: set[int] = set()
    for node in nodes:
        beside = tree.is_element(node) or tree.is_record(node)
        others = tree.children(tree.parents[node]) if beside else tree.by_key[str(tree.keys[node])]
        found.update(others)
    return tuple(sorted(found))


@rule("SIMPLE")
def _by_field(chart: Chart, start: int) -> Iterator[Edge]:
    """A field and its value behind a preposition: by the author "Shelley", for port 3389."""
    if chart.low(start) not in ("by", "for", "from", "of", "on", "in", "at"):
        return
    for edge in chart.edges("FIELD", start + 1):
        field = edge.item
        token = chart.tokens[edge.end] if edge.end < chart.size else None
        if token is None or not all(chart.tree.is_record(chart.tree.parents[n])
                                    for n in field.nodes[:50]):  # fmt: skip
            continue
        if token.kind == "quoted" or number_in(token.text) is not None:
            for end, found in operands(chart, edge.end, field.nodes):
                if found.cost == 0 and fits(chart.tree, field.nodes, "=", found.texts):
                    yield Edge(
                        end, Test(field.nodes, "=", found.texts, field.cost + 1, field.whole)
                    )


@rule("SIMPLE")
def _bare_field(chart: Chart, start: int) -> Iterator[Edge]:
    """A field without an introducing word: due before May 1."""
    low = chart.low(start)
    if low and not low.startswith("\0") and low not in PLAIN:
        for edge in chart.edges("FIELD", start):
            for end, op in operators(chart, edge.end):
                if op not in ("<", ">", "<=", ">="):
                    continue
                for last, found in operands(chart, end, edge.item.nodes):
                    if fits(chart.tree, edge.item.nodes, op, found.texts):
                        cost = edge.item.cost + found.cost + 1
                        yield Edge(last, Test(edge.item.nodes, op, found.texts, cost))


def state_of_subject(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `Alice is admin`, `they are liked`: a subject and its state or field."""
    if chart.low(start) in ("it", "they", "he", "she") and chart.low(start + 1) in _COPULAS:
        states = chart.edges("STATE", start + 2)
        yield from states if _COPULAS[chart.low(start + 1)] else deny(states)
    yield from map(_dearer, chart.edges("STATE", start))


@rule("SIMPLE")
def _own_size(chart: Chart, start: int) -> Iterator[Edge]:
    """A number by itself: every price below 70, all limits greater than 5."""
    is_relative = chart.low(start) in ("that", "which") and _COPULAS.get(chart.low(start + 1))
    begin = start + (2 if is_relative else 0)
    for end, op in operators(chart, begin):
        number = number_in(chart.low(end).lstrip("$€£"))
        if op in ("<", ">", "<=", ">=") and number is not None:
            yield Edge(end + 1, Sized(op, number, 1))
