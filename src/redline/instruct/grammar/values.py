"""Spans that are not looked up in the document: new values, new keys, amounts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.language.words import (
    ARTICLES,
    CURRENCIES,
    number_in,
    singular,
    spoken_measure,
    unit_of,
)

MAX_BARE = 30
_JOINERS = {"and": 3, "or": 3, "to": 3, ",": 3, "then": 4, "&": 1, ":": 3, "=": 4, "->": 4,
            "=>": 4, "/": 4, "plus": 2, "but": 4, "so": 4, "because": 5, "is": 2,
            "are": 2}  # fmt: skip
_PREPOSITIONS = frozenset(
    "in on at for of by with from as under within inside into after before where whose if unless "
    "when across except".split()
)
NOT_FIRST = frozenset(
    "to as into by from with is are be of for whose where should now currently actually "
    "at 's have has had".split()
)
# What begins a condition rather than a text, unless it is written as a title is.
_CONDITIONAL = frozenset("if unless whenever because".split())
NOT_KEYS = frozenset(
    "the a an to of in for on with and or as by from is are be value values set called named it "
    "key field new all every each word string phrase at before after between".split()
)
_NUMERIC = frozenset("number integer float boolean bool".split())
_TYPES = _NUMERIC | frozenset(
    "string text word phrase literal json object array list date timestamp url".split()
)
_HOLDERS = frozenset("value values entry element item record object".split())
# What the value of a new member may be called.
_CONTENTS = frozenset(
    "version command level text content message url path amount price label description code "
    "script pattern range limit rate address translation definition constraint grade cost weight "
    "score count number size title name caption wording expression format mode type unit target "
    "destination source host port duration date time requirement default setting".split()
)
_OPENERS = phrase_table(
    tuple(text.split())
    for text in (
        "with|set to|holding|of|=|:|equal to|being|containing|and value|and the value|"
        "with value|having|with the value|as|whose value is|whose value should be|that holds|"
        "that contains|, with|with content|with a value of|with the default|, set to|"
        "initialised to|initialized to|defaulting to|, containing|, value|mapped to|mapping to|"
        "pointing to|pointing at|priced at|costing|that costs|worth|which is|which maps to|"
        "that maps to|that points to|resolving to|reading|saying|that runs|which runs|running|"
        "that reads|that says|stating"
    ).split("|")
)


_BOUNDS = (">=", "<=", ">", "<", "=")


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """Tokens taken as they are."""

    start: int
    end: int
    cost: int = 0
    extra: str = ""

    @property
    def meaning(self) -> Hashable:
        return (self.start, self.end, self.extra)


@rule("VAL")
def _value(chart: Chart, start: int) -> Iterator[Edge]:
    """A quoted or literal value, or bare words up to any point of the sentence."""
    first = chart.tokens[start] if start < chart.size else None
    if first is None or first.low in NOT_FIRST or first.text in _CONDITIONAL:
        return
    yield from _describe_literal(chart, start)
    if first.kind in ("quoted", "json", "code"):
        yield Edge(start + 1, TokenSpan(start, start + 1))
        return
    if first.text in _BOUNDS:
        yield from _bound(chart, start)
    elif first.kind == "word" or first.text in ("-", "~"):
        yield from _bare_value(chart, start)


def _bound(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield a bound of versions written without a blank: >=20."""
    version = chart.tokens[start + 1] if start + 1 < chart.size else None
    close = version is not None and version.start == chart.tokens[start].end
    if version is not None and close and version.text[:1].isdigit():
        yield Edge(start + 2, TokenSpan(start, start + 2))


def _bare_value(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield words up to any point of the sentence; those that may not belong to it cost more."""
    cost = _first_cost(chart, start)
    for place in range(start, min(start + MAX_BARE, chart.size)):
        token = chart.tokens[place]
        if token.kind not in ("word", "sign", "poss"):
            return
        cost += _JOINERS.get(token.low, 2 if token.low in _PREPOSITIONS else 0)
        alone = place == start and token.low in ARTICLES and _names_on(chart, place + 1)
        if (token.kind == "word" and not alone) or token.text in ("%", "*"):
            yield Edge(
                place + 1, TokenSpan(start, place + 1, cost if place > start else min(cost, 1))
            )


def _names_on(chart: Chart, place: int) -> bool:
    """Return whether a name follows an article, which then is no value by itself."""
    return bool(chart.lexicon.senses(place)) and chart.low(place) not in _PREPOSITIONS


def _describe_literal(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield a literal behind words that say what it is: the string "a", the object {...}."""
    place = start + (chart.low(start) in ("the", "a", "an"))
    kinds: set[str] = set()
    while chart.low(place) in _TYPES | _HOLDERS and len(kinds) < 3:
        kinds.add(chart.low(place))
        place += 1
    if not kinds:
        return
    place += chart.low(place) in (":", "of")
    if place < chart.size and chart.tokens[place].kind in ("quoted", "json", "code"):
        yield Edge(place + 1, TokenSpan(place, place + 1))
    elif kinds & (_NUMERIC | {"value"}) and _is_plain(chart.low(place)):
        extra = "literal" if kinds & _NUMERIC else ""
        yield Edge(place + 1, TokenSpan(place, place + 1, 0, extra))


def _is_plain(low: str) -> bool:
    return low in ("true", "false", "null") or (low[:1] in "-0123456789" and bool(number_in(low)))


@rule("LIT")
def _literal(chart: Chart, start: int) -> Iterator[Edge]:
    """A value that shows where it ends: quoted, JSON, a number, true, false or null."""
    for edge in chart.edges("VAL", start):
        span = edge.item
        if span.end - span.start > 1 or span.cost:
            continue
        if chart.tokens[span.start].kind in ("quoted", "json") or _is_plain(chart.low(span.start)):
            yield edge


@rule("GIVEN")
def _given_value(chart: Chart, start: int) -> Iterator[Edge]:
    """A value with the words that introduce it: with the value 5, set to "a", = true."""
    begin = start + (chart.low(start) == ",")
    if chart.low(start) == "(":
        yield from _in_brackets(chart, start + 1)
    yield from _given_empty(chart, begin)
    for place in chart.phrases(begin, _OPENERS):
        yield from _behind_opener(chart, place)
        for edge in chart.edges("LIT", place + (chart.low(place) in ("a", "the", "an"))):
            if chart.low(edge.end) == "value":
                yield Edge(edge.end + 1, edge.item)  # with null value
        after = place + (chart.low(place) in ("a", "an", "the", "its", "initial"))
        after += chart.low(after) in ("initial", "default", "string", "new")
        if chart.low(after) in ("value", "values"):
            after += 1
            after += chart.low(after) in ("of", ":", "=")
            yield from chart.edges("VAL", after)
        elif chart.low(place - 1) == "with" and _names_content(chart, after):
            # "with the version 1.2": what the values beside it are
            for edge in chart.edges("LIT", after + 1):
                yield Edge(edge.end, replace(edge.item, cost=1, extra="noun"))


def _behind_opener(chart: Chart, place: int) -> Iterator[Edge]:
    """Yield values; of bare words such as `with grade 5` a part may only say what they are."""
    for edge in chart.edges("VAL", place):
        span = edge.item
        bare = span.start == place and span.end - place > 1 and not span.extra
        wordy = bare and chart.low(place - 1) == "with"
        yield Edge(edge.end, replace(span, cost=span.cost + 2)) if wordy else edge


def _names_content(chart: Chart, place: int) -> bool:
    """Return whether a noun says what the value of a new member is, and names no field itself."""
    low = chart.low(place)
    if low in _CONTENTS:
        return True
    tree = chart.tree
    named = tree.by_form.get(singular(low), ())
    return bool(named) and all(isinstance(tree.values[n], dict | list) for n in named)


def _in_brackets(chart: Chart, place: int) -> Iterator[Edge]:
    """Yield a value in brackets behind the key that gets it: (true), (value null)."""
    place += chart.low(place) in ("with", "default", "initial", "initially")
    place += chart.low(place) in ("value", "=", ":")
    place += chart.low(place) in ("=", ":", "of")
    for edge in chart.edges("LIT", place):
        if chart.low(edge.end) == ")":
            yield Edge(edge.end + 1, edge.item)


def _given_empty(chart: Chart, place: int) -> Iterator[Edge]:
    """Yield `with an empty object as its value`."""
    if chart.low(place) not in ("with", "holding", "as", "being", "set", "=", "containing"):
        return
    after = place + 1 + (chart.low(place + 1) == "to")
    after += chart.low(after) in ("a", "an")
    kind = EMPTY_VALUES.get(chart.low(after + 1))
    if chart.low(after) != "empty" or kind is None:
        return
    end = after + 2
    end += 3 * (chart.low(end) == "as" and chart.low(end + 2) == "value")
    yield Edge(end, TokenSpan(place + 1, end, 0, kind))


# How an empty value is written that is called so.
EMPTY_VALUES = {"array": "[]", "list": "[]", "object": "{}", "string": '""', "text": '""',
                "map": "{}"}  # fmt: skip


def _first_cost(chart: Chart, start: int) -> int:
    """Return what it costs that a value begins so: words that speak of it are dear."""
    low = chart.low(start)
    if low in ("the", "a", "an"):
        return 4 if chart.low(start + 1) in ("value", "values", "string", "word") else 1
    if low in _TYPES and next(_describe_literal(chart, start), None) is not None:
        return 4
    return 4 if low in ("value", "values", "named", "called") else 0


@rule("VALS")
def _values(chart: Chart, start: int) -> Iterator[Edge]:
    """Several values: a, b and c; each of them is one token, or all are quoted."""
    places, end = [], start
    while end < chart.size and chart.tokens[end].kind in ("word", "quoted", "code", "json"):
        if chart.low(end) in NOT_KEYS:
            break
        places.append(end)
        end += 1
        quoted = all(chart.tokens[p].kind == "quoted" for p in places)
        if len(places) > 1 and (quoted or chart.low(places[-1] - 1) in ("and", "&")):
            yield Edge(end, TokenSpan(start, end, 0, ",".join(map(str, places))))
        if chart.low(end) == "," and chart.low(end + 1) in ("and", "&"):
            end += 1
        if chart.low(end) not in (",", "and", "&"):
            return
        end += 1


@rule("KEYNAME")
def _key(chart: Chart, start: int) -> Iterator[Edge]:
    """The name of a key that is to be: one word, quoted or not; several bare words cost more."""
    if start >= chart.size:
        return
    token = chart.tokens[start]
    if token.kind in ("quoted", "code"):
        yield Edge(start + 1, TokenSpan(start, start + 1))
        return
    for end in range(start + 1, min(start + 4, chart.size + 1)):
        last = chart.tokens[end - 1]
        if last.kind != "word" or last.low in NOT_KEYS or last.text.startswith("/"):
            return
        if end > start + 1 and last.text[:1] in "^~<>=*":
            return  # a range of versions is no part of a name
        yield Edge(end, TokenSpan(start, end, 0 if end == start + 1 else 2))


@rule("AMT")
def _amount(chart: Chart, start: int) -> Iterator[Edge]:
    """A number with what may surround it: a currency sign, a unit, a percent sign."""
    if start >= chart.size or chart.tokens[start].kind not in ("word", "code"):
        return
    place = start + (chart.low(start) in ("a", "an", "another", "about", "exactly"))
    text = chart.tokens[place].text if place < chart.size else ""
    digits = text.lstrip("$€£").rstrip("%")
    for length in (2, 3, 5):  # an hour, half an hour, a quarter of an hour
        said = chart.text(start, start + length) if start + length <= chart.size else ""
        if said and spoken_measure(said) != said:
            yield Edge(start + length, TokenSpan(start, start + length))
    if number_in(digits) is None:
        if _is_suffixed(text):
            yield Edge(place + 1, TokenSpan(start, place + 1))
        return
    yield Edge(place + 1, TokenSpan(place, place + 1))
    after = chart.low(place + 1)
    if after in ("%", "percent", "pct") or singular(after) in CURRENCIES or unit_of(after):
        yield Edge(place + 2, TokenSpan(place, place + 2))
    elif singular(after) in ("year", "point", "unit", "time", "step", "percentage"):
        skip = 2 if singular(after) == "percentage" else 1
        yield Edge(place + 1 + skip, TokenSpan(place, place + 1))


@rule("SIGNED")
def _signed_amount(chart: Chart, start: int) -> Iterator[Edge]:
    """An amount that a sign says to add or to take away: +10%, -3, +2 days."""
    if chart.low(start)[:1] in ("+", "-") and len(chart.low(start)) > 1:
        yield from chart.edges("AMT", start)


@rule("FACTOR")
def _factor(chart: Chart, start: int) -> Iterator[Edge]:
    """A factor as it is jotted down: x2, *1.5, ×3."""
    if start < chart.size and chart.tokens[start].kind == "word":
        if _FACTOR.fullmatch(chart.low(start)):
            yield Edge(start + 1, TokenSpan(start, start + 1))
        elif chart.low(start) in ("x", "×", "*") and number_in(chart.low(start + 1)) is not None:
            yield Edge(start + 2, TokenSpan(start + 1, start + 2))


_FACTOR = re.compile(r"[x×*]\d+(?:\.\d+)?|\d+(?:\.\d+)?[x×]")


@rule("STATED")
def _statement(chart: Chart, start: int) -> Iterator[Edge]:
    """A value alone, behind the name of a section: `oven: on, 180 degrees`."""
    if ":" not in chart.lows[:start] or chart.low(start - 1) not in (":", ","):
        return
    for edge in chart.edges("VAL", start):
        if edge.end == chart.size or chart.low(edge.end) in (",", ";", ".", "and", "\n"):
            yield edge


def _is_suffixed(text: str) -> bool:
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return digits != text and number_in(digits.lstrip("$€£")) is not None
