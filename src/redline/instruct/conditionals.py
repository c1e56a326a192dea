"""`If debug is true, ...` and `... if debug is true`: done or not, by what the document says."""

from __future__ import annotations

from redline.instruct.conditions import Test, parse_condition
from redline.instruct.filters import Filters
from redline.instruct.outcome import Unclear
from redline.instruct.reader import Reader
from redline.instruct.tokens import Token, Tokens

_DENIED = ("unless",)


def taken_apart(tokens: Tokens) -> tuple[Tokens, Tokens] | None:
    """The condition, without its `if`, and the instruction it governs."""
    if tokens and tokens[0].low in ("if", "unless"):
        cut = next((i for i, t in enumerate(tokens) if t.low in (",", "then")), None)
        rest = () if cut is None else tokens[cut + 1 :]
        rest = rest[1:] if rest and rest[0].low == "then" else rest
        return (tokens[:cut], rest) if rest and cut and cut > 1 else None
    place = _trailing(tokens)
    if place is None or tokens[place + 1].low in ("it", "they"):
        return None
    head = tokens[:place]
    if head[-1].low == ",":
        head = head[:-1]
    if head[-1].low == "only":
        head = head[:-1]
    return tokens[place:], head


def _trailing(tokens: Tokens) -> int | None:
    """Where an `if` with something before and behind it stands."""
    place = next((i for i, t in enumerate(tokens) if i and t.low == "if"), None)
    return None if place is None or place > len(tokens) - 3 else place


def about_itself(tokens: Tokens) -> Tokens:
    """`... if it is null` speaks of what is changed, as `where it is null` does; so does a `where`
    that comes first."""
    comma = next((i for i, t in enumerate(tokens) if t.low == ","), None)
    if tokens and tokens[0].low == "where" and comma and comma < len(tokens) - 1:
        return (*tokens[comma + 1 :], *tokens[:comma])
    place = _trailing(tokens)
    if place is None or tokens[place + 1].low not in ("it", "they"):
        return tokens
    start = place - 1 if tokens[place - 1].low in ("only", ",") else place
    where = Token("word", "where", tokens[place].start, tokens[place].end)
    return (*tokens[:start], where, *tokens[place + 1 :])


def holds(reader: Reader, condition: Tokens) -> bool:
    """Whether the document fulfils *condition*, which is about one place; Unclear if unsure.

    What it is about is what a pronoun in the instruction then means.
    """
    denied = condition[0].low in _DENIED
    test = _one_test(condition[1:])
    if test is None or not test.field:
        raise Unclear("clause", f"{reader.text(condition)!r} is not understood")
    found = reader.targets(test.field)
    if len(found.nodes) != 1:
        raise Unclear("several", f"{reader.text(test.field)!r} is not one place", found.nodes)
    node = found.nodes[0]
    passing = _passing(reader.resolver.filters, test, node)
    if passing is None:
        raise Unclear("value", f"whether {reader.text(condition[1:])!r} cannot be told", (node,))
    reader.memory.found = (node,)
    return passing != denied


def _one_test(tokens: Tokens) -> Test | None:
    where = Token("word", "where", tokens[0].start, tokens[0].start) if tokens else None
    for condition in parse_condition((where, *tokens)) if where else ():
        if len(condition.alternatives) == 1 and len(condition.alternatives[0]) == 1:
            return condition.alternatives[0][0]
    return None


def _passing(filters: Filters, test: Test, node: int) -> bool | None:
    """The answer for one node: its own value compared, or for an object its state."""
    value = filters.index.values[node]
    described = isinstance(value, dict | list | bool) and test.op in ("==", "!=")
    if described and not _is_literal(test):
        return _state(filters, test, node)
    kept = filters.passing(Test((), test.op, test.value), [node])
    return None if kept is None else bool(kept)


def _is_literal(test: Test) -> bool:
    return len(test.value) == 1 and test.value[0].low in ("true", "false", "on", "off", "null")


def _state(filters: Filters, test: Test, node: int) -> bool | None:
    value = filters.index.values[node]
    if isinstance(value, bool):
        word = test.value[0].low if len(test.value) == 1 else ""
        said = {"enabled": True, "disabled": False, "active": True, "inactive": False}.get(word)
        return None if said is None else (value == said) == (test.op == "==")
    described = filters.described(test.value, [node])
    return None if described is None else bool(described) == (test.op == "==")
