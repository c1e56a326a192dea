"""Increase, decrease, scale, bump versions: exact decimal arithmetic."""

from __future__ import annotations

import re
from decimal import Decimal

from redline.instruct.effects.assign import PRICES, keep_holding
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied.words import is_never_negative
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.effects.values.dated import moments_of
from redline.instruct.effects.values.moments import shift_time
from redline.instruct.effects.values.typing import number_for, round_result, share_in
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import size_of
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import is_plural, key_form
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value

_MONEY = {
    "salary": (("salary", "pay", "wage"), 1),
    "discount": (("price", "cost", "unitprice"), -1),
}
_AMOUNTS = ("amount", "fee", "rate")
_COUNTS = ("count", "qty", "quantity", "stock", "amount")
_SEMVER = re.compile(r"(v?)(\d+)\.(\d+)\.(\d+)")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z%]+)")
_VERSION = re.compile(r"\d+(\.\d+)+")


def shift(context: EffectContext) -> EffectOutcome:
    """Change numbers by an amount, or to a goal that lies that way."""
    direction = _direction(context)
    _check_noun(context)
    found = _owned_numbers(context) or context.resolve(context.clause.role("target"))
    timed = context.clause.extra in ("later", "sooner")
    found = moments_of(context, found, direction) if timed else _amounts_of(context, found)
    goal = context.clause.role("goal")
    if goal is not None:
        old = context.clause.role("old")
        found = found if old is None else keep_holding(context, found, old)
        return _towards(context, found, goal, direction)
    source, amount = context.clause.role("source"), context.clause.role("value")
    if source is not None:
        step = _number_at(context, source)
        return context.each(found, lambda n: _plus(_number(context, n), direction * step))
    if amount is None and context.clause.extra in ("up", "down"):
        amount = _amount_before(context)  # "and add that amount to the savings"
    if amount is None:
        return context.each(found, lambda n: _plus(_number(context, n), Decimal(direction)))
    share = _share(context, amount)
    _check_spending(context, found)
    _doubt_difference(context, found, amount, share)

    def compute(node: int) -> Value:
        held = context.tree.values[node]
        if isinstance(held, str) and share is None:
            return shift_time(held, context.text(amount), direction)
        value = _number(context, node)
        if share is not None:
            return round_result(value.decimal * (1 + direction * share / 100), value)
        return _move_number(context, node, amount, direction)

    return context.each(found, compute)


def _move_number(context: EffectContext, node: int, amount: TokenSpan, direction: int) -> Num:
    """Return a number after an amount is added or taken away, in the unit of its field."""
    value = _number(context, node)
    tokens = context.chart.tokens[amount.start : amount.end]
    step = number_for(tokens, context.text(amount).lstrip("+"), value, context.key(node))
    assert isinstance(step, Num)
    moved = _plus(value, direction * abs(step.decimal))
    if moved.decimal < 0 <= value.decimal and is_never_negative(context.key(node)):
        raise Unclear("value", f"{context.key(node)} would be less than 0", (node,))
    return moved


def _check_spending(context: EffectContext, found: ResolvedNodes) -> None:
    """Doubt that what is spent lessens a budget where a field beside it says what was spent."""
    tree = context.tree
    for node in found.nodes if context.clause.extra == "spend" else ():
        keys = {key_form(str(tree.keys[c])) for c in tree.children(tree.parents[node])}
        if keys & {"spent", "used", "expense", "consumed"}:
            context.doubt = context.doubt or f"it may not be {context.key(node)} that changes"


def _amount_before(context: EffectContext) -> TokenSpan:
    """Return the amount of the clause before; Refusal for a share, which is of something else."""
    before = context.previous
    amount = before.role("value") if before is not None and before.effect == "shift" else None
    if not isinstance(amount, TokenSpan) or _share(context, amount) is not None:
        raise Unclear("value", "no amount is given")
    return amount


def _check_noun(context: EffectContext) -> None:
    """Refuse `Kara levels up to 13`, where the key in another number is rather a verb."""
    target = context.clause.role("target")
    if not context.is_statement or context.clause.role("goal") is None or target is None:
        return
    if any(isinstance(context.tree.values[n], dict) for n in target.nodes):
        raise Unclear("target", f"{context.text(target)!r} is no number", target.nodes)
    word = context.chart.low(target.end - 1)
    keys = {str(context.tree.keys[n]).lower() for n in target.nodes}
    if is_plural(word) and not any(is_plural(key) for key in keys):
        raise Unclear("target", f"{word!r} may not be a field", target.nodes)


def _doubt_difference(
    context: EffectContext, found: ResolvedNodes, amount: TokenSpan, share: Decimal | None
) -> None:
    """Put in doubt that `all prices +5` adds 5 to each of them."""
    each = context.chart.low(context.clause.end - 1) in ("each", "board", "all") or any(
        scope.phrase is not None and scope.phrase.quantified for scope in context.clause.scopes
    )
    if context.clause.extra == "signed" and share is None and len(found.nodes) > 1 and not each:
        context.doubt = context.doubt or f"{context.text(amount)!r} may be a percentage"


def _direction(context: EffectContext) -> int:
    """Return 1 to add and -1 to take away."""
    if context.clause.extra == "signed":
        return -1 if context.text(context.clause.role("value")).startswith("-") else 1
    return -1 if context.clause.extra in ("down", "minus", "lose", "sooner", "spend") else 1


def _amounts_of(context: EffectContext, found: ResolvedNodes) -> ResolvedNodes:
    """Return the price or the only number of records that are named instead of it."""
    tree = context.tree
    nodes: list[int] = []
    plain = context.clause.extra not in ("signed", "gain", "lose")
    for node in found.nodes:
        if not isinstance(tree.values[node], dict):
            return found
        if plain and not tree.is_record(node) and not _are_numbers(context, node, found):
            return found
        if _are_numbers(context, node, found):
            nodes += tree.children(node)
            continue
        numbers = [c for c in tree.children(node)
                   if isinstance(tree.values[c], Num) and not tree.identifies(c)]  # fmt: skip
        counted = context.clause.extra in ("gain", "lose")
        chosen = numbers
        for forms in (_COUNTS,) if counted else (PRICES, _AMOUNTS):
            named = [c for c in numbers if key_form(str(tree.keys[c])) in forms]
            if named:
                chosen = named
                break
        if len(chosen) != 1:
            raise Unclear("target", "it is not clear which amount is meant", (node,))
        nodes += chosen
    return ResolvedNodes(tuple(nodes), found.many, found.whole, found.cost, found.phrase)


def _are_numbers(context: EffectContext, node: int, found: ResolvedNodes) -> bool:
    """Return whether each of an object of numbers is meant: `fees +10 each`."""
    held, last = context.tree.values[node], context.chart.low(context.clause.end - 1)
    every = last in ("each", "board", "all") or (found.phrase and found.phrase.quantified)
    amount = context.clause.role("value")
    if found.phrase is not None and isinstance(amount, TokenSpan) and context.is_statement:
        # "fees go up by 5 percent"
        plural = is_plural(context.chart.low(found.phrase.end - 1))
        every = every or (plural and _share(context, amount) is not None)
    numbers = isinstance(held, dict) and held and all(isinstance(v, Num) for v in held.values())
    return bool(every and numbers)


def _number_at(context: EffectContext, source: Phrase) -> Decimal:
    """Return the number at the one place *source* names."""
    nodes = context.resolve(source, scoped=False).nodes
    if len(nodes) != 1:
        raise Unclear("several", f"{context.text(source)!r} is not one number", nodes)
    return _number(context, nodes[0]).decimal


def _owned_numbers(context: EffectContext) -> ResolvedNodes | None:
    """Return the field of an owner that is to change: `add 2 nights to Rome`."""
    owner, target = context.clause.role("owner"), context.clause.role("target")
    if owner is None:
        return None
    holders = context.resolve(owner)
    nodes = context.tree.directly_in(target.nodes, holders.nodes)
    if len(nodes) != len(holders.nodes):
        raise Unclear("target", f"{context.text(owner)!r} has no {context.text(target)!r}")
    return ResolvedNodes(nodes, holders.many, holders.whole)


def money(context: EffectContext) -> EffectOutcome:
    """Change what records are paid or cost: a raise, a discount."""
    forms, direction = _MONEY[context.clause.extra]
    holders = context.resolve(context.clause.role("owner"))
    nodes: list[int] = []
    for holder in holders.nodes:
        own = [
            c for c in context.tree.children(holder)
            if key_form(str(context.tree.keys[c])) in forms
            and isinstance(context.tree.values[c], Num)
        ]  # fmt: skip
        if len(own) != 1:
            raise Unclear("target", "it is not clear which amount is meant", (holder,))
        nodes += own
    amount = context.clause.role("value")
    share = _share(context, amount)

    def compute(node: int) -> Value:
        value = _number(context, node)
        if share is not None:
            return round_result(value.decimal * (1 + direction * share / 100), value)
        return _move_number(context, node, amount, direction)

    return context.each(ResolvedNodes(tuple(nodes), holders.many), compute)


def age(context: EffectContext) -> EffectOutcome:
    """Set the age of a person: `Paul turned 37`."""
    holders = context.resolve(context.clause.role("owner"))
    nodes = [context.tree.child(n, "age") for n in holders.nodes]
    if len(nodes) != 1 or nodes[0] is None:
        raise Unclear("target", "it has no age", holders.nodes)
    value = context.clause.role("value")
    return context.each(ResolvedNodes((nodes[0],)), lambda node: context.type_value(value, node))


def _number(context: EffectContext, node: int) -> Num:
    value = context.tree.values[node]
    if not isinstance(value, Num):
        raise Unclear("type", f"{context.key(node)} is not a number", (node,))
    return value


def _plus(value: Num, amount: Decimal) -> Num:
    return Num(f"{value.decimal + amount:f}")


def _share(context: EffectContext, amount: TokenSpan) -> Decimal | None:
    """Return the percentage the words say, or None when they say an amount."""
    return share_in(context.text(amount))


def _towards(
    context: EffectContext, found: object, goal: TokenSpan, direction: int
) -> EffectOutcome:
    """Give places a value that is higher, or lower, than the one they have."""
    outcome = context.each(found, lambda node: context.type_value(goal, node))  # type: ignore[arg-type]
    for operation in outcome.operations:
        old, new = _size(operation.old), _size(operation.value)
        if old is None or new is None or old[0] != new[0]:
            if _is_text(context, operation, goal):
                continue
            raise Unclear("type", "only a number can go up or down", outcome.found)
        if (new[1] > old[1]) - (new[1] < old[1]) != direction:
            way = "higher" if direction > 0 else "lower"
            raise Unclear("value", f"the new value is not {way} than the old one", outcome.found)
    return outcome


def _is_text(context: EffectContext, operation: DocumentOperation, goal: TokenSpan) -> bool:
    """Return whether a text in quotes, or one that peers have, takes the place of a text."""
    if not isinstance(operation.old, str) or not isinstance(operation.value, str):
        return False
    node = context.tree.node_at(operation.path)
    known = node is not None and operation.value in context.tree.peers(node)
    return known or context.chart.tokens[goal.start].kind in ("quoted", "code")


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


def scale(context: EffectContext) -> EffectOutcome:
    """Multiply or divide numbers."""
    found = context.resolve(context.clause.role("target"))
    extra = context.clause.extra
    amount = context.clause.role("value")
    if amount is None:
        factor, divides = Decimal(2) if extra == "half" else Decimal(int(extra)), extra == "half"
    else:
        size = size_of(context.text(amount).strip("x×*"))
        if not isinstance(size, Decimal) or context.text(amount).endswith("%"):
            raise Unclear("value", "no factor is given", found.nodes)
        factor, divides = size, extra == "over"
    if divides and not factor:
        raise Unclear("value", "nothing can be divided by 0", found.nodes)

    def compute(node: int) -> Value:
        value = _number(context, node)
        if divides:
            return round_result(value.decimal / factor, value)
        return Num(f"{value.decimal * factor:f}")

    return context.each(found, compute)


def version(context: EffectContext) -> EffectOutcome:
    """Raise the major, minor or patch part of a version."""
    target = context.clause.role("target")
    nodes: tuple[int, ...]
    if target is None:
        nodes = tuple(context.tree.by_form.get("version", ()))
        if len(nodes) != 1:
            raise Unclear("several" if nodes else "target", "multiple version fields found", nodes)
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
            raise Unclear("type", "it is not a version like 1.2.3", (node,))
        mark, *digits = match.groups()
        numbers = [int(d) for d in digits]
        numbers[level] += 1
        numbers[level + 1 :] = [0] * (2 - level)
        operations += context.replace(node, mark + ".".join(map(str, numbers)))
    if not operations:
        raise Unclear("target", "no version is meant")
    return context.outcome(operations, nodes)
