"""Values: what the words behind `to` say, and what they become in the place they are for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from redline.instruct.model.operations import NoValue
from redline.instruct.model.values import Num, Value, dumps, type_name
from redline.instruct.paths import looks_like_path
from redline.instruct.sentence import Env, Pick, Sentence
from redline.instruct.targets import PREPOSITIONS, phrase
from redline.instruct.words import FALSE_WORDS, TRUE_WORDS, key_words, number_in, singular

# Words that a bare value of several words must not hold: they may belong to the sentence.
_FUNCTION_WORDS = PREPOSITIONS | frozenset(
    "and or but then if unless where whose with without except instead only all every each both "
    "not to as into onto so because since while until also rather than that which who is are be "
    "should must its it them there before after between".split()
)
_DETERMINERS = frozenset("the a an its their his her this that these those".split())
_JOINTS = frozenset((",", ";", ".", "\n", "!", "and", "then", "but", "also", "plus", "or", "&"))
_SHAPES = (
    re.compile(r"\d{4}-\d\d-\d\d"),
    re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)?"),
    re.compile(r"\d\d:\d\d(:\d\d)?"),
    re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    re.compile(r"https?://\S+"),
    re.compile(r"#[0-9a-fA-F]{3,8}"),
    re.compile(r"[a-z]{2}(?:[-_][A-Z]{2})?"),
)
_TYPES = {
    "string": "string",
    "text": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "value": "",
    "literal": "",
    "word": "string",
    "flag": "boolean",
}
_EMPTY: dict[str, Value] = {
    "string": "",
    "text": "",
    "list": [],
    "array": [],
    "object": {},
    "map": {},
}
# Bare words behind these are the value to the end of the line.
_TO_THE_END = (":", "=")
_SWITCHES = (TRUE_WORDS | FALSE_WORDS | {"none", "nil", "nothing", "empty"}) - {"true", "false"}
_MEASURE = re.compile(r"(-?\d+(?:\.\d+)?)(%|[A-Za-z]+)")


class Given(NamedTuple):
    """A value as the instruction gives it.

    `style` is quoted, json, number, word, text (of several words), line (all that stands behind
    `=`) or place; `wanted` the type that the words ask for;
    `unit` a unit of measure behind a number; `copied` where it is to be copied from.
    """

    value: Value = None
    style: str = "json"
    wanted: str = ""
    unit: str = ""
    copied: Pick | None = None


def values(s: Sentence, i: int, j: int, env: Env) -> list[Given]:
    """Return the readings of the tokens i .. j - 1 as a value."""
    key = ("value", i, j, env)
    known: list[Given] | None = s.memo.get(key)
    if known is None:
        known = s.memo[key] = list(_values(s, i, j, env)) if i < j else []
    return known


def _values(s: Sentence, i: int, j: int, env: Env) -> Iterator[Given]:
    low = s.words(i, j)
    if low[0] in ("be", "equal") and len(low) > 1:
        yield from _values(s, i + 1, j, env)
        return
    copies = list(_copy_of(s, i, j, env))
    if copies:
        yield from copies
        return
    yield from _place_of(s, i, j, env)
    if low[0] in ("the", "a", "an") and len(low) > 1 and low[1] in (*_TYPES, "empty", "new"):
        i, low = i + 1, low[1:]
        if len(low) == 1:
            return  # a noun for a value, without one
    if low[0] == "empty" and len(low) == 2 and singular(low[1]) in _EMPTY:
        yield Given(_EMPTY[singular(low[1])])
        return
    wanted = ""
    i, low = (i + 1, low[1:]) if low[0] == "literal" and len(low) > 2 else (i, low)
    if low[0] in _TYPES and len(low) > 1 and s.tokens[i].kind == "word":
        wanted = _TYPES[low[0]]
        i, low = i + 1, low[1:]
        if low[0] == "of" and len(low) > 1:
            i, low = i + 1, low[1:]
    yield from _literal(s, i, j, wanted)


def _literal(s: Sentence, i: int, j: int, wanted: str) -> Iterator[Given]:
    if j - i == 1:
        yield from _single(s, i, wanted)
        return
    if any(t.kind != "word" for t in s.tokens[i:j]):
        return
    if i and s.tokens[i - 1].low in _TO_THE_END and not _is_line_end(s, j):
        return
    number = number_in(s.tokens[i].text)
    if number is not None and j - i == 2:
        yield Given(s.source(i, j), "text", wanted, s.tokens[j - 1].text)
    elif number is not None and s.words(i + 1, j) == ["percentage", "points"]:
        yield Given(Num(number), "number", wanted)
    elif any(t.low in _FUNCTION_WORDS for t in s.tokens[i:j]) or not _is_end(s, j):
        s.fail(20, f'the value is not delimited: put it in quotes: "{s.source(i, j)}"')
    else:
        yield Given(s.source(i, j), "text", wanted)


def _single(s: Sentence, i: int, wanted: str) -> Iterator[Given]:
    """Yield the readings of one token as a value."""
    token = s.tokens[i]
    if token.kind in ("quoted", "code"):
        yield Given(token.text, "quoted" if token.kind == "quoted" else "word", wanted)
    elif token.kind == "json":
        yield Given(token.value, "json", wanted)
    elif token.kind == "word":
        to_the_end = i > 0 and s.tokens[i - 1].low in _TO_THE_END
        for given in _word(token.text, wanted):
            plain = given.style in ("number", "json") or token.low in ("true", "false")
            if plain or not to_the_end or _is_line_end(s, i + 1):
                yield given


def _is_end(s: Sentence, j: int) -> bool:
    """Return whether no further clause follows, which bare words could belong to."""
    if j >= len(s.tokens) or s.tokens[j].low not in _JOINTS:
        return True
    return s.tokens[j].low in (".", "!", "\n") and j + 1 == len(s.tokens)


def _is_line_end(s: Sentence, j: int) -> bool:
    """Return whether the line ends at token *j*, or with a mark there."""
    last = j + (j < len(s.tokens) and s.tokens[j].low in (".", "!"))
    return last >= len(s.tokens) or s.tokens[last].low == "\n"


def _word(text: str, wanted: str) -> Iterator[Given]:
    low = text.lower()
    number = number_in(text)
    measure = _MEASURE.fullmatch(text)
    if number is not None:
        yield Given(Num(number), "number" if text[-1:].isdigit() else "word", wanted or "")
    elif low == "null":
        yield Given(None, "json", wanted)
    elif measure:
        yield Given(text, "text", wanted, measure[2])
    else:
        yield Given(text, "word", wanted)


_COPIES = (
    ("the", "value", "of"), ("value", "of"), ("the", "same", "value", "as"),
    ("same", "value", "as"),
    ("the", "same", "as"), ("same", "as"), ("that", "of"), ("the", "value", "at"),
    ("the", "value", "in"), ("the", "same", "value", "that"), ("to", "the", "value", "of"),
)  # fmt: skip


def _copy_of(s: Sentence, i: int, j: int, env: Env) -> Iterator[Given]:
    for lead in _COPIES:
        end = i + len(lead)
        if tuple(s.words(i, end)) == lead and end < j:
            for pick in phrase(s, end, j, env._replace(scope=None)):
                if not pick.several and not pick.many:
                    yield Given(copied=pick)
            return


def _place_of(s: Sentence, i: int, j: int, env: Env) -> Iterator[Given]:
    """Yield what a path, `Bob's email` or `the server port` names: a scalar, but for an owner's.

    Such words are no bare value, but for a path, which has both readings.
    """
    tokens = s.tokens[i:j]
    named = (
        any(t.kind == "poss" for t in tokens)
        or (j - i > 1 and tokens[0].low == "the" and all(t.is_name for t in tokens))
        or (j - i == 1 and tokens[0].kind == "word" and looks_like_path(tokens[0].text))
    )
    if not named or (s.tokens[i - 1].low in _TO_THE_END and not _is_line_end(s, j)):
        return
    for pick in phrase(s, i, j, env._replace(scope=None, it=None)):
        owned = any(t.kind == "poss" for t in tokens)
        scalar = owned or not any(s.tree.is_container(n) for n in pick.nodes)
        if len(pick.nodes) == 1 and scalar and not pick.several and not pick.many:
            yield Given(style="place", copied=pick)


# -- fitting


class Misfit(Exception):
    """A value that does not go where it is to go; the message says why."""


def fit(given: Given, old: Value | NoValue, key: str, peers: Sequence[Value] = ()) -> Value:
    """Return the value for a place that holds *old*; Misfit when it does not fit there."""
    if isinstance(old, NoValue) or old is None:
        return _fit_new(given, key, peers)
    value = given.value
    if given.wanted:
        return _as_type(given, given.wanted)
    if isinstance(old, dict | list) and not isinstance(value, dict | list) and value is not None:
        raise Misfit(f"{key!r} is an {type_name(old)}; give the new one as JSON")
    if given.style in ("quoted", "json"):
        return value
    if given.unit:
        return _fit_measure(given, old, key)
    if given.style == "text" and isinstance(old, str) and not _is_alike(old, str(value)):
        raise Misfit(f"the value is not delimited: put it in quotes: {dumps(value)}")
    return _fit_bare(value, old, key)


def _is_alike(old: str, text: str) -> bool:
    """Return whether bare words can be meant where *old* is: texts of several words, no noun."""
    return " " in old.strip() and text.partition(" ")[0].lower() not in _DETERMINERS


def _fit_bare(value: Value, old: Value, key: str) -> Value:
    """Return a number or bare words in the type of the old value."""
    if isinstance(old, bool):
        return _boolean(value)
    if isinstance(old, Num) and not isinstance(value, Num):
        raise Misfit(f"{key!r} is a number; quote the value to make it a text")
    if isinstance(old, str):
        text = value.text if isinstance(value, Num) else str(value)
        _check_shape(old, text)
        return text
    return value


def _check_shape(old: str, text: str) -> None:
    for shape in _SHAPES:
        if shape.fullmatch(old) and not any(other.fullmatch(text) for other in _SHAPES):
            raise Misfit(f"{text!r} does not look like {old!r}; put it in quotes if it is meant")


def _boolean(value: Value) -> bool:
    low = value.lower() if isinstance(value, str) else ""
    if low in TRUE_WORDS:
        return True
    if low in FALSE_WORDS:
        return False
    raise Misfit("the value there is true or false")


def _as_type(given: Given, wanted: str) -> Value:
    value = given.value
    if wanted == "string":
        return value.text if isinstance(value, Num) else value
    if wanted == "number":
        text = value.text if isinstance(value, Num) else number_in(str(value))
        if text is None:
            raise Misfit(f"{value!r} is not a number")
        return Num(text)
    return _boolean(value) if not isinstance(value, bool) else value


def _fit_measure(given: Given, old: Value, key: str) -> Value:
    """Return a number with a unit that the key says, or a text that is written as the old one."""
    text = str(given.value)
    digits = re.match(r"-?[\d.,]+", text)
    unit = singular(given.unit.lower())
    said = {singular(word) for word in key_words(key)}
    units = {unit, {"%": "percent"}.get(unit, unit), {"percent": "pct", "%": "pct"}.get(unit, unit),
             {"minute": "min", "second": "sec", "millisecond": "ms"}.get(unit, unit)}  # fmt: skip
    if isinstance(old, Num):
        number = number_in(digits[0]) if digits else None
        if number is not None and units & said:
            return Num(number)
        raise Misfit(f"the unit {given.unit!r} is not in the key {key!r}; give the number alone")
    if isinstance(old, str):
        return text
    raise Misfit(f"{text!r} does not fit {key!r}")


def _fit_new(given: Given, key: str, peers: Sequence[Value]) -> Value:
    """Return the value for a new key or a null: as its peers are, else as JSON reads it."""
    if given.wanted:
        return _as_type(given, given.wanted)
    if given.style in ("quoted", "json"):
        return given.value
    kinds = {type_name(peer) for peer in peers if peer is not None}
    if isinstance(given.value, str) and given.value.lower() in _SWITCHES and kinds != {"string"}:
        raise Misfit(f"say true, false, null or {dumps(given.value)} in quotes")
    if kinds == {"string"}:
        return given.value.text if isinstance(given.value, Num) else given.value
    if given.unit:
        return _fit_measure(given, Num("0") if kinds == {"number"} else "", key)
    if isinstance(given.value, str) and given.value.lower() in ("true", "false"):
        return given.value.lower() == "true"
    return given.value


# -- amounts


class Amount(NamedTuple):
    """By how much a number changes: a quantity, or a share in percent."""

    number: Decimal
    percent: bool = False


def amount(s: Sentence, i: int, j: int, key: str, env: Env) -> Amount | None:
    """Return the amount that the words say, None when they say none for a field of that key."""
    if i >= j:
        return None
    token, low = s.tokens[i], s.words(i, j)
    text = token.text.removesuffix("%")
    if token.kind != "word":
        return None
    number = number_in(text)
    if low == ["half"]:
        return Amount(Decimal(50), True)
    if number is None:
        for given in _copy_of(s, i, j, env):
            node = given.copied.nodes[0] if given.copied else 0
            value = s.tree.values[node]
            return Amount(value.decimal) if isinstance(value, Num) else None
        return None
    rest = low[1:]
    if text != token.text or rest in (["percent"], ["%"]):
        return Amount(Decimal(number), True) if not rest or text == token.text else None
    if rest in (["percentage", "points"], ["points"]) or not rest:
        return Amount(Decimal(number))
    said = {singular(word) for word in key_words(key)}
    return Amount(Decimal(number)) if len(rest) == 1 and singular(rest[0]) in said else None
