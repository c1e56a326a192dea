"""Comparisons: operators, operands, and a field held against them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import EMPTY, FALSE, TRUE, Against, Test, size_of
from redline.instruct.language.dates import date_in
from redline.instruct.language.words import (
    CURRENCIES,
    key_words,
    money_in,
    number_in,
    singular,
    unit_of,
)
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import DocumentTree, Nodes
from redline.instruct.model.values import Num

_OPERATORS: dict[str, str] = {
    "=": "= == is equals equal equal-to "
    "is-equal-to of at : being set-to is-set-to is-currently are was "
    "is-exactly were matches reads is-still has-value has-the-value",
    "!=": "is-not isn't isnt are-not aren't not != differs-from not-equal-to was-not "
    "is-anything-but is-not-equal-to other-than is-other-than does-not-equal doesn't-equal "
    "is-different-from",
    ">": "> is-greater-than greater-than is-more-than more-than is-over over is-above above "
    "exceeds exceeding exceed higher-than is-higher-than bigger-than larger-than is-larger-than "
    "after is-after later-than is-later-than past is-bigger-than are-over are-above longer-than",
    "<": "< is-less-than less-than is-under under is-below below fewer-than is-fewer-than "
    "lower-than is-lower-than smaller-than is-smaller-than before is-before earlier-than "
    "is-earlier-than are-below are-under is-beneath shorter-than",
    ">=": ">= greater-than-or-equal-to is-greater-than-or-equal-to more-than-or-equal-to "
    "is-more-than-or-equal-to is-at-least at-least no-less-than is-no-less-than not-less-than",
    "<=": "<= less-than-or-equal-to is-less-than-or-equal-to fewer-than-or-equal-to "
    "is-fewer-than-or-equal-to lower-than-or-equal-to is-at-most at-most no-more-than "
    "is-no-more-than not-more-than up-to is-up-to",
    "has": "contains contain include includes including containing has have mentions",
    "lacks": "does-not-contain doesn't-contain do-not-contain does-not-include doesn't-include "
    "don't-include lacks lack doesn't-have does-not-have",
}  # fmt: skip
SPOKEN_OPERATORS = {
    tuple(text.split("-")) if len(text) > 2 and "-" in text else (text,): op
    for op, texts in _OPERATORS.items()
    for text in texts.split()
}
_PHRASES = phrase_table(SPOKEN_OPERATORS)
_JOINED = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]{1,4})")


@rule("FIELD")
def _field(chart: Chart, start: int) -> Iterator[Edge]:
    """The key a condition speaks of."""
    place = start + (chart.low(start) in ("the", "a", "an", "its", "their", "his", "her"))
    for edge in chart.edges("CORE", place):
        if edge.item.sort in (Sort.KEY, Sort.PATH) and not edge.item.weak:
            yield edge


@dataclass(frozen=True, slots=True)
class Operands:
    """Texts a field is compared with."""

    texts: tuple[str, ...]
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        return self.texts


def operands(chart: Chart, start: int, fields: Nodes) -> Iterator[tuple[int, Operands]]:
    """Yield one or more operands joined by `or`."""
    for end, text, cost in _operand(chart, start, fields):
        yield end, Operands((text,), cost)
        texts, total, place = [text], cost, end
        while chart.low(place) in ("or", ",") and len(texts) < 6:
            after = place + 1 + (chart.low(place) == "," and chart.low(place + 1) == "or")
            more = next(iter(_operand(chart, after, fields)), None)
            if more is None or (more[2] and not text[:1].isdigit()):
                break
            if _lacks_unit(chart, end, more[0]):
                break
            place, texts, total = more[0], [*texts, more[1]], total + more[2]
            if chart.low(place) not in ("or", ","):
                yield place, Operands(tuple(texts), total)


def _operand(chart: Chart, start: int, fields: Nodes) -> Iterator[tuple[int, str, int]]:
    """Yield the ends, texts and costs of what a field may be compared with."""
    place = start + (chart.low(start) in ("the", "a", "an", "exactly", "currently"))
    token = chart.tokens[place] if place < chart.size else None
    if token is None or token.kind in ("sign", "end", "poss", "json"):
        return
    if token.kind in ("quoted", "code"):
        yield place + 1, token.text, 0
        return
    number = number_in(token.text.lstrip("$€£#").rstrip("%"))
    if number is not None and _are_switches(chart.tree, fields):
        return  # "the vegan one" is one that is vegan, not one whose flag is 1
    end, size = _read_measure(chart, place, fields, number)
    if size is not None:
        yield end, size, 0
    if end > place:
        return
    if number is not None and not any(isinstance(chart.tree.values[n], str) for n in fields[:50]):
        yield place + 1, number, 0
        return
    yield from _words(chart, place, fields)


def _read_measure(
    chart: Chart, place: int, fields: Nodes, number: str | None
) -> tuple[int, str | None]:
    """Return where a number with a unit ends and what it is for *fields*: 4 minutes, 240s."""
    joined = _JOINED.fullmatch(chart.tokens[place].text)
    if joined and unit_of(joined[2]) is not None:
        size = measure(chart.tree, fields, joined[1], joined[2])
        return (place if size is None else place + 1), size
    unit = chart.low(place + 1)
    if number is None or not _is_unit(unit):
        return place, None
    return place + 2, measure(chart.tree, fields, number, unit)


def _amount(tree: DocumentTree, fields: Nodes, number: str, coin: str) -> str | None:
    """Return an amount of money in the unit that *fields* are in; None where it is not known."""
    held = (tree.values[n] for n in fields)
    broken = any(isinstance(v, Num) and "." in v.text for v in held)
    keys = {str(tree.keys[n]) for n in fields}
    found = {money_in(number, coin, key, broken=broken) for key in keys}
    return found.pop() if len(found) == 1 else None


def measure(tree: DocumentTree, fields: Nodes, number: str, unit: str) -> str | None:
    """Return a number in the unit that the keys of *fields* name; None where they name none."""
    said = unit_of(unit)
    if singular(unit) in CURRENCIES and "e" not in number.lower():
        return _amount(tree, fields, number, unit)
    if said is None:
        return number
    if "e" in number.lower():  # it may have any number of digits
        return None
    found = set()
    for key in {str(tree.keys[n]) for n in fields}:
        words = key_words(key)
        named = words and (len(words) > 1 or len(words[-1]) > 3)
        written = unit_of(words[-1]) if named else None
        if written is None or written[0] != said[0]:
            return None
        found.add(f"{(Decimal(number) * said[1] / written[1]).normalize():f}")
    return found.pop() if len(found) == 1 else None


def _lacks_unit(chart: Chart, end: int, last: int) -> bool:
    """Return whether of two operands only the second is measured: between 3 and 4 minutes."""
    first, second = (
        unit_of(low) is not None or _JOINED.fullmatch(low) is not None
        for low in (chart.low(end - 1), chart.low(last - 1))
    )
    return second and not first


def _are_switches(tree: DocumentTree, fields: Nodes) -> bool:
    return bool(fields) and all(isinstance(tree.values[n], bool) for n in fields)


def _is_unit(word: str) -> bool:
    return word in ("%", "percent") or singular(word) in CURRENCIES or unit_of(word) is not None


def _words(chart: Chart, place: int, fields: Nodes) -> Iterator[tuple[int, str, int]]:
    """Yield the longest text that a field has, else one word."""
    token = chart.tokens[place]
    known = _known_texts(chart.tree, fields)
    for end in range(min(place + 5, chart.size), place, -1):
        if any(t.kind not in ("word", "poss") for t in chart.tokens[place:end]):
            continue
        text = chart.text(place, end)
        if " ".join(text.lower().split()) in known or (end > place + 1 and date_in(text)):
            yield end, text, 0
            return
    if token.low in TRUE | FALSE | EMPTY or date_in(token.text):
        yield place + 1, token.text, 0
    elif token.kind == "word" and token.low not in PLAIN:
        yield place + 1, token.text, 1


PLAIN = frozenset(
    "and or the a an to is are in of for with whose where that which who not by on at as be it "
    "than over under above below before after greater more less fewer any all every each isn't "
    "aren't wasn't weren't doesn't don't didn't hasn't haven't but unless".split()
)


def _known_texts(tree: DocumentTree, fields: Nodes) -> set[str]:
    tree.spend(len(fields) // 4)
    found: set[str] = set()
    for node in fields:
        value = tree.values[node]
        if isinstance(value, list):
            found |= {" ".join(i.lower().split()) for i in value if isinstance(i, str)}
        elif isinstance(value, str):
            found.add(" ".join(value.lower().split()))
    return found


def operators(chart: Chart, start: int) -> Iterator[tuple[int, str]]:
    """Yield the comparisons that begin at *start*, the longest first."""
    for end in chart.phrases(start, _PHRASES):
        yield end, SPOKEN_OPERATORS[tuple(chart.lows[start:end])]


def comparison(chart: Chart, start: int, phrase: Phrase) -> Iterator[Edge]:
    """Yield what may follow a field: an operator and operands, or operands alone."""
    fields, whole = naming_fields(chart.tree, phrase.nodes), phrase.whole
    phrase = phrase if fields == phrase.nodes else replace(phrase, nodes=fields)
    yield from _between(chart, start + (chart.low(start) in ("is", "are")), phrase)
    spoken = (e for e in operators(chart, start) if not _is_tense(chart, start, e[0], fields))
    for end, op in spoken:
        if _is_place(chart, end, fields):
            yield from _against(chart, end, op, phrase)
            continue
        for last, found in operands(chart, end, fields):
            if fits(chart.tree, fields, op, found.texts):
                yield Edge(last, Test(fields, op, found.texts, phrase.cost + found.cost, whole))
                yield from _or_more(chart, last, op, found, phrase)
    for last, found in operands(chart, start, fields):
        if found.cost == 0 and fits(chart.tree, fields, "=", found.texts):
            yield Edge(last, Test(fields, "=", found.texts, phrase.cost, whole))
    if any(isinstance(chart.tree.values[n], list) for n in fields):
        yield from _membership(chart, start, phrase)


def _is_tense(chart: Chart, start: int, end: int, fields: Nodes) -> bool:
    """Return whether `has` rather begins a verb: `whose card has expired`."""
    word = end < chart.size and chart.tokens[end].kind == "word"
    texts = not any(isinstance(chart.tree.values[n], list) for n in fields)
    return chart.low(start) in ("has", "have") and end == start + 1 and word and texts


def naming_fields(tree: DocumentTree, nodes: Nodes) -> Nodes:
    """Return the names of what is compared where that is objects: whose supplier is Harbor."""
    if not nodes or not all(isinstance(tree.values[n], dict) for n in nodes):
        return nodes
    names = [tree.child(n, "name") for n in nodes]
    found = tuple(n for n in names if n is not None)
    return found if len(found) == len(nodes) else nodes


def _against(chart: Chart, start: int, op: str, phrase: Phrase) -> Iterator[Edge]:
    for other in chart.edges("FIELD", start):
        cost = phrase.cost + other.item.cost
        yield Edge(other.end, Against(phrase.nodes, op, other.item.nodes, cost, phrase.whole))


def _is_place(chart: Chart, place: int, fields: Nodes) -> bool:
    """Return whether a field is compared with another one: `used` equals `max`."""
    if place >= chart.size:
        return False
    if chart.tokens[place].kind == "word" and number_in(chart.low(place)) is None:
        return _compares_numbers(chart, place, fields)
    if chart.tokens[place].kind != "code":
        return False
    known = chart.tokens[place].text.lower() in _known_texts(chart.tree, fields)
    return not known and bool(chart.edges("FIELD", place))


def _compares_numbers(chart: Chart, place: int, fields: Nodes) -> bool:
    """Return whether bare words name a field of numbers, and numbers are held against them."""

    def numeric(nodes: Nodes) -> bool:
        return bool(nodes) and all(isinstance(chart.tree.values[n], Num) for n in nodes)

    return numeric(fields) and any(
        edge.item.whole and numeric(edge.item.nodes) for edge in chart.edges("FIELD", place)
    )


def _between(chart: Chart, start: int, phrase: Phrase) -> Iterator[Edge]:
    if chart.low(start) != "between":
        return
    for end, low, _ in _operand(chart, start + 1, phrase.nodes):
        if chart.low(end) == "and":
            for last, high, _ in _operand(chart, end + 1, phrase.nodes):
                if _lacks_unit(chart, end, last):
                    continue
                test = Test(phrase.nodes, "between", (low, high), phrase.cost, phrase.whole)
                yield Edge(last, test)


def _membership(chart: Chart, start: int, phrase: Phrase) -> Iterator[Edge]:
    for end, op in operators(chart, start):
        if op in ("has", "lacks"):
            for last, found in operands(chart, end, phrase.nodes):
                yield Edge(last, Test(phrase.nodes, op, found.texts, phrase.cost, phrase.whole))


def _or_more(chart: Chart, last: int, op: str, found: Operands, phrase: Phrase) -> Iterator[Edge]:
    if chart.low(last) != "or" or op != "=":
        return
    word = chart.low(last + 1)
    wider = {"more": ">=", "higher": ">=", "above": ">=", "older": ">=", "greater": ">=",
             "less": "<=", "lower": "<=", "below": "<=", "fewer": "<=",
             "younger": "<="}  # fmt: skip
    if word in wider:
        yield Edge(last + 2, Test(phrase.nodes, wider[word], found.texts, phrase.cost))


def fits(tree: DocumentTree, fields: Nodes, op: str, texts: tuple[str, ...]) -> bool:
    """Return whether the field can be compared so: an order needs numbers or dates."""
    numbers = bool(fields) and all(isinstance(tree.values[n], Num) for n in fields[:20])
    if (
        op == "="
        and numbers
        and not any(size_of(t) is not None or t.lower() in EMPTY for t in texts)
    ):
        return False  # no number is a word
    if op in ("=", "!=", "has", "lacks"):
        return op in ("has", "lacks") or not all(
            isinstance(tree.values[n], dict) for n in fields[:20]
        )
    sizes = [size_of(tree.values[n]) for n in fields[:200]]
    wanted = [size_of(text) for text in texts]
    return None not in wanted and any(type(size) is type(wanted[0]) for size in sizes)
