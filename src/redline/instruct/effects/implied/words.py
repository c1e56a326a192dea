"""The words that speak of a field, and the values that can be meant for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.values.shapes import has_shape, same_shape
from redline.instruct.grammar.adjuncts.predicates import Predicate, word_stem
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import (
    CURRENCIES,
    key_form,
    key_words,
    number_in,
    singular,
    unit_of,
)
from redline.instruct.lexicon.senses import Sort
from redline.instruct.model.values import Num, Value

# Words that speak of a field, and the words its key may have instead.
_RELATED = {
    word: frozenset(words.split())
    for group, words in {
        "cost charge price": "price rate fee amount cost",
        "fee rate bill": "price rate fee amount",
        "old": "age year",
        "until till end finish close": "to end until till close finish checkout",
        "start begin open": "from start begin open",
        "long last take took": "minute duration length second hour",
        "call": "name title displayname",
        "email mail": "email mail",
        "number phone": "phone",
        "max most": "maximum max limit",
        "min least": "minimum min",
        "address": "email mail url address addr street",
        "team department group": "department team dept group",
        "image version tag": "image version tag",
        "weigh": "weight",
        "hold seat fit": "capacity seats places",
        "star": "rating stars score",
        "promot": "title role position rank level",
        "report": "manager supervisor boss",
        "belong own": "owner team group namespace",
        "held meet venue": "room venue location place hall",
        "live relocat base": "city town location address",
        "teach taught instruct": "instructor teacher lecturer trainer",
        "led lead": "lead leader manager head",
        "organ": "organizer organiser host",
        "driv": "driver",
        "rat": "rating stars score",
        "log login": "login lastlogin seen",
        "warn": "alert warn threshold",
        "consum": "consumer consumers",
        "subscrib": "subscriber",
        "coach train": "coach trainer instructor",
        "captain": "captain",
        "author writ": "author writer",
        "ship deliver": "countries zones shipping delivery",
        "send sent": "from sender to recipient send",
        "wait": "timeout wait delay",
        "keep kept store": "retention keep days backups",
        "allow": "allow allowed max limit",
        "run": "image command schedule replicas",
        "copy copi": "replica copies count",
        "people person guest": "guests party capacity attendees people persons",
        "languag": "language locale lang",
        "font typefac": "font family typeface",
        "background": "background bg",
        "colour": "color colour",
        "rise": "price salary pay wage",
        "earn": "salary pay wage income",
        "contact": "contact phone email",
        "birthday born": "birthdate birthday dob",
        "size": "size",
        "speed": "speed rate",
        "hour": "hours opening open",
    }.items()
    for word in group.split()
}
_SURE = frozenset("cost charg price old weigh hold seat star held report".split())
_PRICED = frozenset("price cost fee rate rent fare".split())
_NEVER_NEGATIVE = frozenset("price cost unitprice amount fee rate count qty quantity stock".split())
_DAYS = re.compile(r"(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?", re.IGNORECASE)


def names(context: EffectContext, holder: int, node: int) -> tuple[set[str], set[str]]:
    """Return the stems of a field's own key, and those of the keys that lead to it as well."""
    path = context.tree.path(node)[len(context.tree.path(holder)) :]
    own = {word_stem(word) for word in key_words(path[-1])}
    return own, own | {word_stem(word) for part in path for word in key_words(part)}


def speaks_of(word: str, stems: set[str]) -> bool:
    stem = word_stem(word)
    return stem in stems or bool(
        {word_stem(other) for other in _RELATED.get(stem, _RELATED.get(word, ()))} & stems
    )


def is_sure(context: EffectContext, holder: int, node: int, predicate: Predicate) -> bool:
    """Return whether all words about a field are of its key, or say what only such a field is."""
    _, stems = names(context, holder, node)
    return all(
        (stem := word_stem(context.chart.low(place))) in stems or stem in _SURE
        for place in predicate.words
        if speaks_of(context.chart.low(place), stems)
    )


def measures(key: str, text: str) -> bool:
    """Return whether a key names a measure of the kind the text has: 45 min, 21 degrees."""
    family = unit_family(text)
    last = singular(text.lower().split()[-1]) if text.split() else ""
    if (last in CURRENCIES or text[:1] in "$€£") and _PRICED & set(key_words(key)):
        return True
    warm = family == "degree" and bool({"temp", "temperature"} & set(key_words(key)))
    return bool(family) and (warm or family == unit_family(key))


def is_never_negative(key: str) -> bool:
    """Return whether a key names a price or a count, of which none is less than 0."""
    return bool({key_form(key), *key_words(key)[-1:]} & _NEVER_NEGATIVE)


def unit_family(text: str) -> str:
    """Return what the unit that ends a name measures, or an empty text."""
    words = key_words(text)
    unit = unit_of(words[-1]) if words else None
    return unit[0] if unit else ""


def same_look(held: str, text: str) -> bool:
    """Return whether both texts are dates, addresses, days of the week and the like."""
    if _DAYS.fullmatch(held) and _DAYS.fullmatch(text):
        return len(held) > 4 or len(text) <= 4
    return same_shape(held, text) and has_shape(text)


def is_like_peers(peers: Sequence[Value], value: Value) -> bool:
    """Return whether others hold dates, addresses and the like as the new value is one."""
    others = [peer for peer in peers if peer is not None]
    return bool(others) and isinstance(value, str) and all(
        isinstance(peer, str) and same_look(peer, value) for peer in others
    )  # fmt: skip


def is_plain(text: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_-]*", text) is not None


def is_terse(context: EffectContext, span: TokenSpan, predicate: Predicate) -> bool:
    """Return whether nothing but a colon or an arrow is between a record and its value."""
    between = context.chart.lows[predicate.start : span.start]
    return predicate.old is not None or all(low in (":", "->", "=>", "→", "=") for low in between)


def is_named(context: EffectContext, span: TokenSpan) -> bool:
    """Return whether the words are written as names are, and do not merely begin the sentence."""
    if span.start == context.clause.start:
        return False
    return all(t.text[:1].isupper() for t in context.chart.tokens[span.start : span.end])


def holds_names(context: EffectContext, node: int) -> bool:
    """Return whether a field that does not tell its record from others holds names."""
    tree = context.tree
    held = [tree.values[node], *tree.peers(node)]
    texts = [value for value in held if isinstance(value, str)]
    return bool(texts) and all(t[:1].isupper() and not has_shape(t) for t in texts)


def is_only_number(context: EffectContext, node: int) -> bool:
    return _numbers_beside(context, node) == [node]


def _numbers_beside(context: EffectContext, node: int) -> list[int]:
    tree = context.tree
    return [c for c in tree.children(tree.parents[node])
            if isinstance(tree.values[c], Num) and not tree.identifies(c)]  # fmt: skip


def is_number_like(context: EffectContext, node: int, text: str) -> bool:
    """Return whether a number can only be meant for this one of the numbers beside it."""
    number = number_in(text.lstrip("$€£"))
    if number is None:
        return False
    numbers = _numbers_beside(context, node)
    if numbers == [node]:
        return True
    if Decimal(number) % 1 == 0:
        return False
    values = context.tree.values
    broken = [c for c in numbers if isinstance(v := values[c], Num) and v.decimal % 1]
    return broken == [node]


def is_telling(context: EffectContext, place: int) -> bool:
    """Return whether a token shows that it is a value: a number, a name, an address."""
    token = context.chart.tokens[place]
    text = token.text
    if place == context.clause.start and not any(map(str.isdigit, text)):
        return False
    if token.kind in ("quoted", "json") or number_in(text.lstrip("$€£")) is not None:
        return True
    return text[:1].isupper() or has_shape(text) or any(map(str.isdigit, text)) or bool(
        unit_of(text)
    )  # fmt: skip


def is_field(context: EffectContext, start: int, end: int) -> bool:
    return any(
        sense.end == end and sense.sort is Sort.KEY and sense.whole
        for sense in context.chart.lexicon.senses(start)
    )


def tells_apart(context: EffectContext, node: int) -> bool:
    """Return whether a code such as 1914/1 tells records apart: each has another one."""
    value = context.tree.values[node]
    if not isinstance(value, str) or has_shape(value) or not any(map(str.isdigit, value)):
        return False
    peers = [peer for peer in context.tree.peers(node) if isinstance(peer, str)]
    return len(peers) > 1 and len(set(peers)) == len(peers)
