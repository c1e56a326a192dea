"""Increase, decrease, multiply, divide: exact decimal arithmetic on numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader
from redline.instruct.resolve import Found
from redline.instruct.tokens import Tokens
from redline.instruct.typed import number_for, rounded
from redline.instruct.values import Num, Value
from redline.instruct.words import SCOPING, number_in

_FACTORS = {"double": Decimal(2), "triple": Decimal(3), "quadruple": Decimal(4)}
_SEMVER = re.compile(r"(v?)(\d+)\.(\d+)\.(\d+)")


def adjust(reader: Reader, tokens: Tokens, direction: int, *, unit_step: bool) -> list[Outcome]:
    """`TARGET by AMOUNT`; without an amount only increment and decrement mean one."""
    place = _by(tokens)
    if place is None:
        if direction > 0 and not unit_step:
            bumped = _bump(reader, tokens)
            if bumped is not None:
                return [bumped]
        return [_step(reader, tokens, direction, unit_step)]
    target, amount = tokens[:place], tokens[place + 1 :]
    scope: Tokens = ()
    cut = next((i for i, t in enumerate(amount) if i and t.low in SCOPING | {"where"}), None)
    if cut is not None:
        amount, scope = amount[:cut], amount[cut:]
    found = reader.targets((*target, *scope))
    return [reader.each(found, _adjusted(reader, amount, direction))]


def _by(tokens: Tokens) -> int | None:
    places = [i for i, t in enumerate(tokens) if t.low == "by" and 0 < i < len(tokens) - 1]
    return places[-1] if places else None


def _step(reader: Reader, tokens: Tokens, direction: int, unit_step: bool) -> Outcome:
    found = reader.targets(tokens)
    if not unit_step:
        raise Unclear("value", "no amount is given", found.nodes)
    one = Decimal(direction)
    return reader.each(found, lambda node: _plus(_number(reader, node), one))


def _number(reader: Reader, node: int) -> Num:
    value = reader.value(node)
    if not isinstance(value, Num):
        shown = "/".join(reader.index.path(node))
        raise Unclear("type", f"{shown} is not a number", (node,))
    return value


def _plus(value: Num, amount: Decimal) -> Num:
    return Num(f"{value.decimal + amount:f}")


def _adjusted(reader: Reader, amount: Tokens, direction: int) -> Callable[[int], Value]:
    text = reader.text(amount)
    share = _share(amount, text)

    def change(node: int) -> Value:
        value = _number(reader, node)
        if share is not None:
            return rounded(value.decimal * (1 + direction * share / 100), value)
        step = number_for(amount, text, value, str(reader.index.keys[node]))
        if not isinstance(step, Num):
            raise Unclear("value", f"{text!r} is not an amount", (node,))
        return _plus(value, direction * step.decimal)

    return change


def _share(tokens: Tokens, text: str) -> Decimal | None:
    """The percentage the words say, or None when they say an amount."""
    digits = text.strip()
    if digits.endswith("%"):
        digits = digits[:-1].strip()
    elif len(tokens) == 2 and tokens[1].low in ("percent", "pct"):
        digits = tokens[0].text
    else:
        return None
    number = number_in(digits)
    if number is None:
        raise Unclear("value", f"{text!r} is not a percentage")
    return Decimal(number)


def add_amount(reader: Reader, amount: Tokens, target: Found, direction: int) -> Outcome:
    """`add 5 to the score`, `subtract 5 from the score`."""
    return reader.each(target, _adjusted(reader, amount, direction))


def scale(reader: Reader, tokens: Tokens, verb: str) -> list[Outcome]:
    """Double, halve, multiply by, divide by."""
    if verb == "halve" or verb in _FACTORS:
        factor = Decimal(2) if verb == "halve" else _FACTORS[verb]
        target, divides = tokens, verb == "halve"
    else:
        place = _by(tokens)
        number = number_in(reader.text(tokens[place + 1 :])) if place is not None else None
        if place is None or number is None:
            raise Unclear("value", "no factor is given", reader.targets(tokens[:place]).nodes)
        factor, target, divides = Decimal(number), tokens[:place], verb == "divide"
    if divides and not factor:
        raise Unclear("value", "nothing can be divided by 0")
    found = reader.targets(target)

    def change(node: int) -> Value:
        value = _number(reader, node)
        if divides:
            return rounded(value.decimal / factor, value)
        return Num(f"{value.decimal * factor:f}")

    return [reader.each(found, change)]


def _bump(reader: Reader, tokens: Tokens) -> Outcome | None:
    """`bump the minor version`: the parts of a semantic version."""
    words = [t.low for t in tokens if t.low not in ("the", "a")]
    parts = [p for p in ("major", "minor", "patch") if p in words]
    if len(parts) != 1:
        return None
    rest = tuple(t for t in tokens if t.low != parts[0])
    if not rest or all(t.low in ("the", "a") for t in rest):
        return None
    found = reader.targets(rest)

    def bumped(node: int) -> Value:
        value = reader.value(node)
        match = _SEMVER.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise Unclear("type", "it is not a version like 1.2.3", (node,))
        mark, *digits = match.groups()
        level = ("major", "minor", "patch").index(parts[0])
        numbers = [int(d) for d in digits]
        numbers[level] += 1
        numbers[level + 1 :] = [0] * (2 - level)
        return mark + ".".join(map(str, numbers))

    return reader.each(found, bumped)


def _size(value: object) -> tuple[str, tuple[Decimal, ...]] | None:
    """A number, a version or a quantity with its unit, as something that can be compared."""
    if isinstance(value, Num):
        return "", (value.decimal,)
    if not isinstance(value, str):
        return None
    if re.fullmatch(r"\d+(\.\d+)+", value):
        return "version", tuple(Decimal(part) for part in value.split("."))
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return "date", tuple(Decimal(part) for part in value.split("-"))
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z%]+)", value)
    return (match[2], (Decimal(match[1]),)) if match else None


def towards(outcomes: list[Outcome], direction: int, *, elided: bool) -> list[Outcome]:
    """`raise X to 5` must go up, `lower X to 5` down; a verb not said again only sets texts."""
    for outcome in outcomes:
        for operation in outcome.operations:
            old, new = _size(operation.old), _size(operation.value)
            if elided and old is None and new is None:
                continue
            if old is None or new is None or old[0] != new[0]:
                raise Unclear("type", "only a number can go up or down")
            if (new[1] > old[1]) - (new[1] < old[1]) != direction:
                way = "higher" if direction > 0 else "lower"
                raise Unclear("value", f"the new value is not {way} than the old one")
    return outcomes
