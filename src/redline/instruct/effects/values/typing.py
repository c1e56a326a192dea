"""The words of a value as a JSON value of the type its place asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from redline.instruct.effects.outcome import Unclear
from redline.instruct.effects.values.bare import bare_doubt, list_doubt
from redline.instruct.effects.values.shapes import SHAPES
from redline.instruct.language.dates import clock_in, date_in
from redline.instruct.language.tokens import Tokens, text_of
from redline.instruct.language.words import (
    ARTICLES,
    CURRENCIES,
    FALSE_WORDS,
    TRUE_WORDS,
    key_words,
    money_in,
    number_in,
    singular,
    spoken_measure,
    spoken_number,
    unit_of,
)
from redline.instruct.model.operations import ABSENT, NoValue
from redline.instruct.model.values import Num, Value, type_name

_VAGUE = frozenset(
    "something anything whatever another different its their his her it be not either random "
    "whichever someone somebody same more less higher lower bigger smaller better say read "
    "today tomorrow yesterday tonight next current".split()
)
# Words that say that something changes, not what it becomes.
_ASKED_FOR = frozenset(
    "changed updated modified adjusted fixed corrected edited replaced renamed altered".split()
)
# Words that cannot end a value: something would have to follow.
_DANGLING = ARTICLES | frozenset(
    "to into in of for on with from and or by at as is are be than under within its".split()
)
_COMPUTED = re.compile(
    r"(the )?(sum|total|average|mean|median|count|number|product|difference|maximum|minimum|max|"
    r"min|highest|lowest|largest|smallest|combined|total number) (of|between|value|number)\b",
    re.IGNORECASE,
)
# Keys whose short values are codes rather than words.
_CODED = frozenset("language lang locale country currency".split())
_CODE = re.compile(r"[A-Za-z]{2,3}([-_]\w+)?")
_RATED = frozenset("price cost fee rate wage rent tariff".split())
_WARMTH = frozenset("temp temperature target degree degrees heat oven".split())
_ORDINAL = re.compile(r"(?:the )?(\d{1,2})(st|nd|rd|th)")
_SUFFIXED = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+)")


def doubt_of(
    tokens: Tokens, current: Value | NoValue, peers: Sequence[Value] = (), key: str = ""
) -> str:
    """Return why bare *tokens* may be more than the value, or an empty text."""
    if len(tokens) < 2:
        return ""
    model = _model(current, peers)
    if isinstance(model, str | NoValue):
        known = model if isinstance(model, str) else "a phrase" if not peers else ""
        return bare_doubt(tokens, known, peers, key)
    return list_doubt(split_list(tokens)) if isinstance(model, list) else ""


def type_value(
    tokens: Tokens,
    source: str,
    current: Value | NoValue,
    peers: Sequence[Value] = (),
    key: str = "",
) -> Value:
    """Return the value *tokens* say for a place that holds *current*; Refusal when none.

    *peers* are the values other records hold under the same key, *key* is that key.
    """
    if not tokens:
        raise Unclear("value", "no value is given")
    if len(tokens) == 1 and tokens[0].kind == "quoted":
        return tokens[0].text
    if len(tokens) == 1 and tokens[0].kind == "json":
        return tokens[0].value
    text = text_of(tokens, source)
    if len(tokens) == 1 and tokens[0].kind == "code":
        text = tokens[0].text
    if text.lower() in ("null", "nil"):
        return None
    if len(tokens) > 2 and _COMPUTED.match(text):
        raise Unclear("value", f"values are not computed from others, so say what {text!r} is",
                      value=text)  # fmt: skip
    return _fit(tokens, source, text, _model(current, peers), peers, key)


def _fit(
    tokens: Tokens,
    source: str,
    text: str,
    model: Value | NoValue,
    peers: Sequence[Value],
    key: str,
) -> Value:
    """The value in the type of *model*."""
    if isinstance(model, NoValue):
        return _guess_value(tokens, text)
    if isinstance(model, bool):
        return _boolean(text)
    if isinstance(model, Num):
        return number_for(tokens, text, model, key)
    if isinstance(model, str):
        return _string(tokens, text, model, peers, key)
    if isinstance(model, list):
        return _list(tokens, source, text, model)
    if text.lower() in ("empty", "an empty object"):
        return {}
    raise Unclear("type", f"an {type_name(model)} cannot become {text!r}", value=text)


def _model(current: Value | NoValue, peers: Sequence[Value]) -> Value | NoValue:
    """The value whose type decides: the current one, else the one type all others have."""
    if not isinstance(current, NoValue) and current is not None:
        return current
    others = [peer for peer in peers if peer is not None]
    return others[0] if others and len({type(peer) for peer in others}) == 1 else ABSENT


def _guess_value(tokens: Tokens, text: str) -> Value:
    low = text.lower()
    if low in ("true", "false"):
        return low == "true"
    if low in ("an empty list", "an empty array", "empty list", "empty array"):
        return []
    if low in ("an empty object", "empty object"):
        return {}
    if low in ("empty", "blank", "an empty string", "empty string"):
        return ""
    if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", text):
        return Num(text)
    if number_in(text) is not None or text[0] in "$€£+-" or text.endswith("%"):
        raise Unclear("type", f"it is not clear whether {text} is a number or a text", value=text)
    _check_plain(tokens, text)
    if len(tokens) > 1 and (
        tokens[0].low in ("true", "false", "null") or number_in(tokens[0].text)
    ):
        raise Unclear("type", f"it is not clear how much of {text!r} is the value", value=text)
    return text


def _boolean(text: str) -> bool:
    low = text.lower()
    if low in TRUE_WORDS or low in FALSE_WORDS:
        return low in TRUE_WORDS
    raise Unclear("type", f"expected true or false, not {text!r}", value=text)


def number_for(tokens: Tokens, text: str, current: Num, key: str) -> Value:
    """The number *tokens* say, converted to the unit the key is written in."""
    plain = spoken_measure(text.strip())
    if plain.startswith("+"):
        raise Unclear("value", f"{text!r} may be a difference", value=text)
    signed = plain[:1] in "$€£"
    plain = plain[signed:]
    number = number_in(plain) or spoken_number(plain)
    if number is not None:
        spoken = signed or number_in(plain) is None
        return Num(_in_coins(number, "euro", current, key, text) if spoken else number)
    if plain.endswith("%") or (len(tokens) == 2 and tokens[1].low == "percent"):
        return _percentage(plain.rstrip("%").removesuffix("percent").strip(), current, text)
    ordinal = _ORDINAL.fullmatch(plain)
    if ordinal and key_words(key)[-1:] in (("day",), ("date",)):
        return Num(ordinal[1])
    pieces = _SUFFIXED.fullmatch(plain)
    words = list(pieces.groups()) if pieces else plain.split()
    amount = number_in(words[0]) if len(words) == 2 else None
    if amount is not None and singular(words[1].lower()) in CURRENCIES:
        return Num(_in_coins(amount, words[1].lower(), current, key, text))
    return _number_in_words(words, key, text)


def _in_coins(number: str, coin: str, current: Num, key: str, text: str) -> str:
    amount = money_in(number, coin, key, broken="." in current.text)
    if amount is None:
        raise Unclear("value", f"{text!r} may be in another unit than {key}", value=text)
    return amount


def _number_in_words(words: list[str], key: str, text: str) -> Value:
    """A number with its unit, or with what a price is counted by: 2.10 per kg."""
    if len(words) == 2:
        return _with_unit(words[0], words[1], key, text)
    counted = len(words) == 3 and words[1] in ("per", "a", "an") and _RATED & set(key_words(key))
    rate = number_in(words[0].lstrip("$€£")) if counted else None
    if rate is None:
        raise Unclear("type", f"expected a number, not {text!r}", value=text)
    return Num(rate)


def _percentage(digits: str, current: Num, text: str) -> Value:
    number = number_in(digits)
    if number is None:
        raise Unclear("type", f"expected a number, not {text!r}", value=text)
    size = abs(current.decimal)
    if 0 < size < 1:
        share = (Decimal(number) / 100).normalize()
        return Num(f"{share:f}")
    if 1 < size <= 100:
        return Num(number)
    raise Unclear("type", f"it is not clear how {text} is written here", value=text)


def share_in(text: str) -> Decimal | None:
    """Return the percentage that a text says, or None when it says an amount."""
    said = text.lower().replace("percent", "%").replace("pct", "%").strip()
    number = number_in(said.rstrip("% ")) if said.endswith("%") else None
    return abs(Decimal(number)) if number is not None else None


def _with_unit(digits: str, unit: str, key: str, text: str) -> Value:
    number = number_in(digits)
    if number is None:
        raise Unclear("type", f"expected a number, not {text!r}", value=text)
    if unit.lower() == "k" and key_words(key)[-1:] != ("k",):
        return Num(f"{Decimal(number) * 1000:f}")
    if unit.lower() == "years" and key == "age":
        return Num(number)
    words = key_words(key)
    if words and singular(unit.lower()) == singular(words[-1]):
        return Num(number)
    named = words and (len(words) > 1 or len(words[-1]) > 3)
    said, written = unit_of(unit), unit_of(words[-1]) if named else None
    if said is not None and said[0] == "degree" and _WARMTH & set(words):
        return Num(number)
    if said is None or written is None or said[0] != written[0]:
        raise Unclear("type", f"the unit of {key} is not known, so {text!r} is unclear", value=text)
    exact = (Decimal(number) * said[1] / written[1]).normalize()
    return Num(f"{exact:f}")


def _string(
    tokens: Tokens, text: str, current: str, peers: Sequence[Value], key: str = ""
) -> Value:
    low = text.lower()
    if low in ("empty", "blank", "an empty string", "empty string", "nothing"):
        return ""
    if low in ("true", "false") and current.lower() not in ("true", "false"):
        raise Unclear("type", f"it is not clear whether {text} is meant as a text", value=text)
    if low in ("none", "undefined") and not any(peer == text for peer in peers):
        raise Unclear("type", f"it is not clear whether {text} is meant as a text", value=text)
    if low in _ASKED_FOR and not any(peer == text for peer in peers):
        raise Unclear("value", f"{text!r} does not name a value", value=text)
    _check_plain(tokens, text)
    coded = _CODED & {singular(w) for w in key_words(key)} and _CODE.fullmatch(current)
    if coded and not _CODE.fullmatch(text):
        raise Unclear("type", f"expected a code like {current!r}, not {text!r}", value=text)
    shaped = _keep_shape(text, current)
    known = {peer for peer in peers if isinstance(peer, str)} | {current}
    if shaped not in known and shaped.lower() in {peer.lower() for peer in known}:
        other = next(peer for peer in sorted(known) if peer.lower() == shaped.lower())
        if other != current:
            raise Unclear("type", f"{shaped!r} is written {other!r} elsewhere", value=text)
    return shaped


def _check_plain(tokens: Tokens, text: str) -> None:
    """Refuse words that only refer to a value."""
    words = [t.low for t in tokens]
    if words[0] in _VAGUE or any(t.kind in ("json", "poss") for t in tokens):
        raise Unclear("value", f"{text!r} does not name a value", value=text)
    if len(words) > 1 and words[-1] in _DANGLING:
        raise Unclear("value", f"{text!r} is not a whole value", value=text)
    if "or" in words and len(words) <= 5:
        raise Unclear("value", f"{text!r} names more than one value", value=text)
    if any(t.kind in ("quoted", "code") for t in tokens) and len(tokens) > 1:
        raise Unclear("value", f"quotes and bare words are mixed in {text!r}", value=text)
    bound = tokens[0].text in (">=", "<=", ">", "<") and len(tokens) == 2
    signs = any(t.kind == "sign" and t.text not in (",", ":") for t in tokens)
    if signs and len(tokens) > 1 and not bound:
        raise Unclear("value", f"{text!r} does not name a value", value=text)


def _keep_shape(text: str, current: str) -> str:
    """*text*, in the shape an e-mail address, date, URL or colour must have."""
    for name, shape in SHAPES:
        if not shape.fullmatch(current):
            continue
        if shape.fullmatch(text):
            return text
        if name == "a date" and (date := date_in(text) or date_in(f"{text} {current[:4]}")):
            return date
        if name == "a time of day" and (time := clock_in(text, current)):
            return time
        if name == "a version" and re.match(r"[v^~<>=*]*\s?\d|\*$", text):
            return text
        if name == "a quantity with a unit" and not number_in(text) and " " not in text:
            return text
        raise Unclear("type", f"expected {name} like {current!r}, not {text!r}", value=text)
    return text


def _list(tokens: Tokens, source: str, text: str, current: list[Value]) -> Value:
    if text.lower() in ("empty", "an empty list", "an empty array", "empty list", "nothing"):
        return []
    parts = split_list(tokens)
    if len(parts) < 2 or not all(isinstance(item, str) for item in current) or not current:
        raise Unclear("type", f"expected a JSON array, not {text!r}", value=text)
    return [type_value(part, source, "") for part in parts]


def split_list(tokens: Tokens) -> list[Tokens]:
    """`a, b and c` taken apart."""
    parts: list[Tokens] = [()]
    for token in tokens:
        if token.low in (",", "and", "&", "plus"):
            parts.append(())
        else:
            parts[-1] = (*parts[-1], token)
    return [part for part in parts if part]


def round_result(value: Decimal, current: Num) -> Num:
    """A computed number with at most max(2, decimals of the old value) decimals."""
    _, _, fraction = current.text.partition(".")
    places = max(2, len(fraction.split("e")[0].split("E")[0]))
    exact = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    if exact == value:
        exact = value
    plain = f"{exact:f}"
    if "." in plain:
        keep = len(fraction) if fraction.isdigit() else 0
        head, tail = plain.split(".")
        tail = tail.rstrip("0").ljust(keep, "0")
        plain = f"{head}.{tail}" if tail else head
    return Num("0" if Decimal(plain) == 0 and not fraction else plain)
