"""Increase, decrease, scale, bump versions: exact decimal arithmetic."""

from __future__ import annotations

import re
from decimal import Decimal

from redline.instruct.effects.context import Context
from redline.instruct.effects.outcome import Outcome, Refusal
from redline.instruct.effects.typing import number_for, rounded
from redline.instruct.grammar.conditions import size_of
from redline.instruct.grammar.values import Span
from redline.instruct.language.words import number_in
from redline.instruct.model.values import Num, Value

_SEMVER = re.compile(r"(v?)(\d+)\.(\d+)\.(\d+)")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z%]+)")
_VERSION = re.compile(r"\d+(\.\d+)+")


def shift(context: Context) -> Outcome:
    """Change numbers by an amount, or to a goal that lies that way."""
    direction = -1 if context.clause.extra in ("down", "minus") else 1
    found = context.resolve(context.clause.role("target"))
    goal = context.clause.role("goal")
    if goal is not None:
        return _towards(context, found, goal, direction)
    amount = context.clause.role("value")
    if amount is None:
        if context.clause.extra not in ("one", "minus"):
            raise Refusal("value", "no amount is given", found.nodes)
        return context.each(found, lambda n: _plus(_number(context, n), Decimal(direction)))
    share = _share(context, amount)

    def changed(node: int) -> Value:
        value = _number(context, node)
        if share is not None:
            return rounded(value.decimal * (1 + direction * share / 100), value)
        tokens = context.chart.tokens[amount.start : amount.end]
        step = number_for(tokens, context.text(amount), value, context.key(node))
        assert isinstance(step, Num)
        return _plus(value, direction * step.decimal)

    return context.each(found, changed)


def _number(context: Context, node: int) -> Num:
    value = context.tree.values[node]
    if not isinstance(value, Num):
        raise Refusal("type", f"{context.key(node)} is not a number", (node,))
    return value


def _plus(value: Num, amount: Decimal) -> Num:
    return Num(f"{value.decimal + amount:f}")


def _share(context: Context, amount: Span) -> Decimal | None:
    """Return the percentage the words say, or None when they say an amount."""
    text = context.text(amount).lower().replace("percent", "%").replace("pct", "%").strip()
    if not text.endswith("%"):
        return None
    number = number_in(text.rstrip("% "))
    return Decimal(number) if number is not None else None


def _towards(context: Context, found: object, goal: Span, direction: int) -> Outcome:
    """Give places a value that is higher, or lower, than the one they have."""
    outcome = context.each(found, lambda node: context.typed(goal, node))  # type: ignore[arg-type]
    for operation in outcome.operations:
        old, new = _size(operation.old), _size(operation.value)
        if old is None or new is None or old[0] != new[0]:
            raise Refusal("type", "only a number can go up or down", outcome.found)
        if (new[1] > old[1]) - (new[1] < old[1]) != direction:
            way = "higher" if direction > 0 else "lower"
            raise Refusal("value", f"the new value is not {way} than the old one", outcome.found)
    return outcome


def _size(value: object) -> tuple[str, tuple[Decimal, ...]] | None:
    """Return a number, date, version or quantity as something that can be compared."""
    if isinstance(value, Num):
        return "", (value.decimal,)
    if not isinstance(value, str):
        return None
    if _VERSION.fullmatch(value):
        return "version", tuple(Decimal(part) for part in value.split("."))
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return "date", tuple(Decimal(part) for part in value.split("-"))
    match = _QUANTITY.fullmatch(value)
    return (match[2], (Decimal(match[1]),)) if match else None


def scale(context: Context) -> Outcome:
    """Multiply or divide numbers."""
    found = context.resolve(context.clause.role("target"))
    extra = context.clause.extra
    amount = context.clause.role("value")
    if amount is None:
        factor, divides = Decimal(2) if extra == "half" else Decimal(int(extra)), extra == "half"
    else:
        size = size_of(context.text(amount))
        if not isinstance(size, Decimal) or context.text(amount).endswith("%"):
            raise Refusal("value", "no factor is given", found.nodes)
        factor, divides = size, extra == "over"
    if divides and not factor:
        raise Refusal("value", "nothing can be divided by 0", found.nodes)

    def changed(node: int) -> Value:
        value = _number(context, node)
        if divides:
            return rounded(value.decimal / factor, value)
        return Num(f"{value.decimal * factor:f}")

    return context.each(found, changed)


def version(context: Context) -> Outcome:
    """Raise the major, minor or patch part of a version."""
    target = context.clause.role("target")
    nodes: tuple[int, ...]
    if target is None:
        nodes = tuple(context.tree.by_form.get("version", ()))
        if len(nodes) != 1:
            raise Refusal("several" if nodes else "target", "multiple version fields found", nodes)
    else:
        found = context.resolve(target)
        nodes = found.nodes
        if isinstance(context.tree.values[nodes[0]], dict):
            inner = context.tree.child(nodes[0], "version")
            nodes = () if inner is None or len(nodes) > 1 else (inner,)
    level = ("major", "minor", "patch").index(context.clause.extra)
    operations = []
    for node in nodes:
        value = context.tree.values[node]
        match = _SEMVER.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise Refusal("type", "it is not a version like 1.2.3", (node,))
        mark, *digits = match.groups()
        numbers = [int(d) for d in digits]
        numbers[level] += 1
        numbers[level + 1 :] = [0] * (2 - level)
        operations += context.replace(node, mark + ".".join(map(str, numbers)))
    if not operations:
        raise Refusal("target", "no version is meant")
    return context.outcome(operations, nodes)
