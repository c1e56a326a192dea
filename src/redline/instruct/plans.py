"""What each kind of change does to values: set, switch, calculate, clear, convert, replace, sort.

A plan takes the slots of a wording and yields the outcome of each reading of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from typing import NamedTuple

from redline.instruct import filters
from redline.instruct.forms import Slots, Span
from redline.instruct.literals import Given, Misfit, amount, fit, values
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value, dumps, render
from redline.instruct.sentence import LACKING, SEVERAL, Env, Pick, Sentence
from redline.instruct.targets import collections, key_nodes, opposite, phrase, simple
from redline.instruct.tokens import Token
from redline.instruct.words import (
    ARTICLES,
    FALSE_WORDS,
    ORDINALS,
    TRUE_WORDS,
    is_plural,
    key_form,
    number_in,
    singular,
)

_RAISING = frozenset("increase raise bump upgrade extend up".split())
_LOWERING = frozenset("lower decrease reduce downgrade cut drop".split())
ABSENT_NOTE = "nothing fits"
DONE_NOTE = "already as asked"


class ClauseOutcome(NamedTuple):
    """What a clause does: its operations, what `it` means behind it, why there are none.

    `guarded` are nodes that the sentence says must stay as they are; `scoped` says that a scope
    stands behind a clause that goes on with the verb of the one before.
    """

    operations: tuple[DocumentOperation, ...] = ()
    it: Pick | None = None
    note: str = ""
    guarded: tuple[int, ...] = ()
    scoped: bool = False


def usable(
    s: Sentence, span: Span, env: Env, *, partly: bool = False, absent: bool = False
) -> Iterator[Pick]:
    """Yield the readings of a target that speak of exactly the places they fit.

    *partly*: some of the holders may lack it. *absent*: one thing that is named may be missing.
    """
    picks = phrase(s, *span, env)
    words = s.source(*span)
    if not picks:
        s.fail(10, f"nothing in the document is called {_shorten(words)}")
    for pick in picks:
        if pick.several:
            s.fail(SEVERAL, f"multiple {_shorten(words)} fields found", pick.nodes, span)
        elif not pick.nodes and not pick.many and not absent:
            s.fail(22, f"there is no {_shorten(words)}")
        elif pick.lacking and not partly:
            message = f"{len(pick.lacking)} of them have no {_shorten(words)}"
            s.fail(LACKING, message, pick.nodes + pick.lacking, span)
        else:
            yield pick


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return f'"{text}"' if len(text) <= 40 else f'"{text[:37]}..."'


def replace_nodes(s: Sentence, pick: Pick, new: Callable[[int], Value]) -> ClauseOutcome:
    """Return the outcome of giving each node a new value; Misfit when one does not fit."""
    operations = []
    for node in pick.nodes:
        s.tree.spend()
        old, value = s.tree.values[node], new(node)
        if not _is_same(old, value):
            operations.append(DocumentOperation("replace", s.tree.path(node), old, value))
    note = "" if operations else DONE_NOTE if pick.nodes else ABSENT_NOTE
    return ClauseOutcome(tuple(operations), pick, note)


def _is_same(old: Value, new: Value) -> bool:
    """Return whether two values are written alike; of lists, only up to the first difference."""
    if not isinstance(old, list) or not isinstance(new, list):
        return old is new or dumps(old) == dumps(new)
    pairs = zip(old, new, strict=False)
    return len(old) == len(new) and all(a is b or dumps(a) == dumps(b) for a, b in pairs)


def _key(s: Sentence, node: int) -> str:
    """Return the key of a node; that of its list for an element."""
    key = s.tree.keys[node]
    return key if isinstance(key, str) else str(s.tree.keys[s.tree.parents[node]])


# -- set


def set_value(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give the targets a value; `O` is the value that they must have before."""
    for pick in usable(s, slots["T"], env):
        if 0 in pick.nodes or _may_rename(s, slots, pick):
            continue
        inner = env._replace(it=pick)
        for given in values(s, *slots["V"], inner):
            part = _replace_part(s, pick, slots, given)
            if part is not None:
                yield part
                continue
            chosen = _with_old(s, pick, slots, inner)
            unclear = _is_arrow_to_name(s, slots["V"], given) or _may_be_copied(s, pick, given)
            unclear = unclear or _may_be_numbering(s, pick, slots["V"], given)
            if chosen is None or unclear:
                continue
            try:
                outcome = replace_nodes(s, chosen, _giver(s, given))
            except Misfit as error:
                s.fail(28, str(error), pick.nodes)
                continue
            if _is_contrary(s.tokens[slots["T"][0] - 1].low, outcome.operations):
                s.fail(28, f"{_shorten(s.source(*slots['V']))} is the other way", pick.nodes)
                continue
            yield outcome


def _may_rename(s: Sentence, slots: Slots, pick: Pick) -> bool:
    """Return whether `change the key a to b` may mean another name for the key."""
    start, (i, j) = slots["T"][0], slots["V"]
    noun = start + (s.tokens[start].low in ARTICLES)
    plain = j - i == 1 and number_in(s.tokens[i].text) is None and s.tokens[i].is_name
    is_change = start > 0 and s.tokens[start - 1].low in ("change", "update", "modify", "alter")
    if not is_change or s.tokens[noun].low != "key" or not plain:
        return False
    s.fail(
        29, "it does not say whether the key or its value changes: say rename or set", pick.nodes
    )
    return True


def _may_be_copied(s: Sentence, pick: Pick, given: Given) -> bool:
    """Return whether a bare word may mean the text that stands beside under that key."""
    if given.style != "word" or not isinstance(given.value, str):
        return False
    for node in pick.nodes:
        beside = s.tree.values[s.tree.parents[node]]
        twin = beside.get(given.value) if isinstance(beside, dict) else None
        if isinstance(twin, str) and isinstance(s.tree.values[node], str):
            s.fail(29, f"say the value of {given.value}, or put the text in quotes", pick.nodes)
            return True
    return False


def _may_be_numbering(s: Sentence, pick: Pick, span: Span, given: Given) -> bool:
    """Return whether a number for a text may begin a text of its own: 1. do this."""
    j = span[1]
    texts = any(isinstance(s.tree.values[n], str) for n in pick.nodes)
    goes_on = j + 1 < len(s.tokens) and s.tokens[j].low == "."
    return given.style == "number" and texts and goes_on


def _is_arrow_to_name(s: Sentence, span: Span, given: Given) -> bool:
    """Return whether `key -> word` may mean another name for the key."""
    low = s.tokens[span[0]].low
    is_name = given.style == "word" and low.isidentifier()
    if s.tokens[span[0] - 1].text != "->" or not is_name or low in TRUE_WORDS | FALSE_WORDS:
        return False
    s.fail(29, f'-> renames a key; set a text with = "{given.value}"')
    return True


def _replace_part(s: Sentence, pick: Pick, slots: Slots, given: Given) -> ClauseOutcome | None:
    """Return the change of a text of which the old value is a part: from /v1 to /v2."""
    if "O" not in slots or not isinstance(given.value, str | Num):
        return None
    texts = [s.tree.values[n] for n in pick.nodes]
    for old in values(s, *slots["O"], Env()):
        part = render(old.value) if isinstance(old.value, str | Num) else ""
        before = r"(?<![\w.])" if part[:1].isalnum() else ""
        found = re.compile(rf"{before}{re.escape(part)}(?![\w.])")
        if (
            part
            and texts
            and all(
                isinstance(t, str) and t.lower() != part.lower() and len(found.findall(t)) == 1
                for t in texts
            )
        ):
            return replace_nodes(s, pick, partial(_substitute, s, found, render(given.value)))
    return None


def _substitute(s: Sentence, part: re.Pattern[str], put: str, node: int) -> Value:
    return part.sub(lambda _: put, str(s.tree.values[node]))


def set_matching(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give a field that selects records a new value: all R whose K is O to V."""
    start, end = slots["S"][0], slots["O"][1]
    for pick in usable(s, (start, end), env):
        if not all(isinstance(s.tree.values[n], dict) for n in pick.nodes):
            continue
        if "K" in slots:
            for field in simple(s, *slots["K"], Env(pick)):
                yield from _set_old(s, field, slots)
            continue
        text = s.source(*slots["O"]).lower()
        held = [c for n in pick.nodes for c in s.tree.children(n)]
        nodes = [c for c in held if isinstance(v := s.tree.values[c], str) and v.lower() == text]
        if len(nodes) == len(pick.nodes):
            yield from _set_old(s, Pick(tuple(nodes), pick.many), slots)


def set_named(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give the one key with a value another: change the path /api/users to /api/accounts."""
    i, j = slots["P"]
    i += s.tokens[i].low in ARTICLES
    nodes: list[int] = []
    for k in range(i + 1, j):
        text = s.source(k, j).lower()
        inside = env.scope.members if env.scope is not None else (0,)
        nodes += [
            n for n in key_nodes(s, i, k)
            if isinstance(v := s.tree.values[n], str | Num)
            and render(v).lower() == text and s.tree.lies_in(n, inside)
        ]  # fmt: skip
    if len(nodes) > 1:
        s.fail(SEVERAL, f"multiple {_shorten(s.source(i, j))} fields found", tuple(nodes))
    elif nodes:
        yield from _set_old(s, Pick(tuple(nodes)), slots)


def _set_old(s: Sentence, pick: Pick, slots: Slots) -> Iterator[ClauseOutcome]:
    for given in values(s, *slots["V"], Env(it=pick)) if not pick.several else ():
        if given.style == "text" and not given.unit:
            continue  # several bare words may be a place: move all items in the cart to the shelf
        try:
            yield replace_nodes(s, pick, _giver(s, given))
        except Misfit as error:
            s.fail(28, str(error), pick.nodes)


def _is_contrary(verb: str, operations: tuple[DocumentOperation, ...]) -> bool:
    """Return whether a verb such as `increase` comes with a number on the other side."""
    sign = (verb in _RAISING) - (verb in _LOWERING)
    pairs = ((o.old, o.value) for o in operations if sign)
    return any(
        isinstance(old, Num) and isinstance(new, Num) and (new.decimal - old.decimal) * sign < 0
        for old, new in pairs
    )


def _giver(s: Sentence, given: Given) -> Callable[[int], Value]:
    def give(node: int) -> Value:
        if given.copied is not None:
            copied, old = s.tree.values[given.copied.nodes[0]], s.tree.values[node]
            if given.style == "place" and type(copied) is not type(old):
                raise Misfit("the value there is of another type")
            return copied
        return fit(given, s.tree.values[node], _key(s, node), _peers(s, node))

    return give


def _peers(s: Sentence, node: int) -> list[Value]:
    """Return what records beside hold under the same key, for a null."""
    record = s.tree.record_of(node)
    if s.tree.values[node] is not None or record is None:
        return []
    rest = s.tree.path(node)[len(s.tree.path(record)) :]
    found = []
    for beside in list(s.tree.children(s.tree.parents[record]))[:200]:
        other = s.tree.node_at(rest, beside)
        if other is not None and s.tree.values[other] is not None:
            found.append(s.tree.values[other])
    return found


def _with_old(s: Sentence, pick: Pick, slots: Slots, env: Env) -> Pick | None:
    """Return the nodes that have the value named as the old one; None when a single one has not."""
    if "O" not in slots:
        return pick
    for given in values(s, *slots["O"], env):
        kept = tuple(n for n in pick.nodes if _is_value(s, n, given))
        if len(kept) == len(pick.nodes) or (pick.many and kept):
            return Pick(kept, pick.many)
        held = render(s.tree.values[pick.nodes[0]]) if pick.nodes else ""
        s.fail(
            29,
            f"the value there is {_shorten(held)}, not {_shorten(s.source(*slots['O']))}",
            pick.nodes,
        )
    return None


def _is_value(s: Sentence, node: int, given: Given) -> bool:
    old = s.tree.values[node]
    if given.copied is not None:
        return False
    try:
        value = fit(given, old, _key(s, node)) if old is not None else given.value
    except Misfit:
        return False
    if given.style != "quoted" and isinstance(old, str) and isinstance(value, str):
        return old.lower() == value.lower()
    return dumps(old) == dumps(value)


def _always(value: Value, _node: int) -> Value:
    return value


def set_plainly(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give the targets a value that is quoted, a number, JSON, or true and false."""
    i, j = slots["V"]
    if j - i == 1 and is_plain(s.tokens[i]):
        yield from set_value(s, slots, env)


def is_plain(token: Token) -> bool:
    """Return whether a token can only be a value."""
    if token.kind in ("quoted", "json"):
        return True
    return number_in(token.text) is not None or token.low in ("true", "false", "null")


def set_same(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give the targets the value of another place."""
    for pick in usable(s, slots["T"], env):
        for source in usable(s, slots["C"], env._replace(it=pick)):
            value = s.tree.values[source.nodes[0]] if len(source.nodes) == 1 else None
            alike = all(type(s.tree.values[n]) is type(value) for n in pick.nodes)
            if isinstance(value, str | Num | bool) and alike:
                yield replace_nodes(s, pick, partial(_always, value))


def set_each_in(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give a field one value in one place and another in another."""
    for left in usable(s, slots["S"], env):
        for right in usable(s, slots["R"], env):
            first = set_value(s, {"T": slots["T"], "V": slots["V"]}, Env(left, left))
            second = list(set_value(s, {"T": slots["T"], "V": slots["W"]}, Env(right, right)))
            for one in first:
                for other in second:
                    operations = one.operations + other.operations
                    yield ClauseOutcome(operations, right, "" if operations else DONE_NOTE)


def set_everywhere(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give every field of a name a value, in the whole document or in a part of it."""
    parts = usable(s, slots["C"], env) if "C" in slots else iter([env.scope or Pick((0,))])
    for part in parts:
        nodes = [n for n in key_nodes(s, *slots["T"]) if s.tree.lies_in(n, part.members)]
        for given in values(s, *slots["V"], env) if nodes else ():
            chosen = _with_old(s, Pick(tuple(nodes), True), slots, env)
            if chosen is None or given.copied is not None:
                continue
            try:
                yield replace_nodes(s, chosen, _giver(s, given))
            except Misfit as error:
                s.fail(28, str(error), chosen.nodes)


def set_respectively(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give several places that are named one by one a value each, in that order."""
    parts = [
        [g for g in values(s, *span, env) if g.copied is None and g.style != "text"]
        for span in split_list(s, *slots["G"])
    ]
    if len(parts) < 2 or any(len(part) != 1 for part in parts) or "," in s.words(*slots["G"])[-1:]:
        return
    joined = {"and", ","} & set(s.words(*slots["T"]))
    for pick in usable(s, slots["T"], env) if joined else ():
        if len(pick.nodes) != len(parts) or any(
            w in s.words(*slots["T"]) for w in ("all", "every")
        ):
            continue
        givers = [_giver(s, part[0]) for part in parts]
        try:
            new = {n: give(n) for n, give in zip(pick.nodes, givers, strict=True)}
            yield replace_nodes(s, pick, new.__getitem__)
        except Misfit as error:
            s.fail(28, str(error), pick.nodes)


def split_list(s: Sentence, i: int, j: int) -> list[Span]:
    """Return the parts between commas and `and`; nothing when one of them is empty."""
    parts: list[Span] = []
    start = i
    for k in range(i, j + 1):
        if k < j and s.tokens[k].low not in ("and", ","):
            continue
        if start < k:
            parts.append((start, k))
        elif k == j or s.tokens[k].low == ",":
            return []
        start = k + 1
    return parts


def set_same_field(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give records the value that another one has in the same field."""
    for pick in usable(s, slots["S"], env):
        for source in usable(s, slots["C"], env):
            if len(source.nodes) != 1:
                continue
            theirs, own = (simple(s, *slots["K"], Env(side)) for side in (source, pick))
            if len(theirs) == len(own) == 1 and len(theirs[0].nodes) == 1 and not own[0].several:
                yield replace_nodes(s, own[0], partial(_always, s.tree.values[theirs[0].nodes[0]]))


def merge(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give an object the members of a JSON object, new ones behind those that it has."""
    i, j = slots["J"]
    given = s.tokens[i].value
    if j - i != 1 or s.tokens[i].kind != "json" or not isinstance(given, dict):
        return
    for pick in usable(s, slots["S"], env):
        operations: list[DocumentOperation] = []
        for node in pick.nodes:
            held = s.tree.values[node]
            if not isinstance(held, dict) or any(_cannot_merge(held, k, given[k]) for k in given):
                s.fail(26, "only plain values merge into an object; name the inner paths", (node,))
                return
            path = s.tree.path(node)
            for key, value in given.items():
                if key not in held:
                    operations.append(DocumentOperation("add", (*path, key), value=value))
                elif dumps(held[key]) != dumps(value):
                    operations.append(DocumentOperation("replace", (*path, key), held[key], value))
        yield ClauseOutcome(tuple(operations), pick, "" if operations else DONE_NOTE)


def _cannot_merge(held: dict[str, Value], key: str, value: Value) -> bool:
    """Return whether a merge has to ask: null may mean removal, objects may merge or replace."""
    return value is None or (key in held and isinstance(held[key], dict | list))


_BETWEEN_FIELDS = frozenset((",", "and", ";", "\n", "with", "-", "*"))
_OF_A_FIELD = (
    ("should", "be", "set", "to"), ("must", "be", "set", "to"), ("set", "to"), ("should", "be"),
    ("must", "be"), ("is",), ("are",), ("becomes",), ("become",), ("to",), ("=",), ("->",),
    ("=>",), ("→",), (":",), ("of",), ("at",), ("as",),
)  # fmt: skip


def set_fields(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give fields of the named records their values: `state "done", points 3 and owner is "a"`."""
    for pick in usable(s, slots["S"], env):
        if not pick.nodes or not all(isinstance(s.tree.values[n], dict) for n in pick.nodes):
            continue
        for outcomes in _each_field(s, *slots["G"], Env(pick, pick)):
            operations = tuple(o for outcome in outcomes for o in outcome.operations)
            yield ClauseOutcome(operations, pick, "" if operations else DONE_NOTE)


def _each_field(s: Sentence, i: int, j: int, env: Env) -> Iterator[tuple[ClauseOutcome, ...]]:
    """Yield the outcomes of a list of fields with their values, each reading of it."""
    s.tree.spend(5)
    ends = [k for k in range(i + 2, j) if s.tokens[k].low in _BETWEEN_FIELDS] + [j]
    for end in ends:
        start = end
        while start < j and s.tokens[start].low in _BETWEEN_FIELDS:
            start += 1
        if start >= j and end < j:
            continue
        for outcome in _one_field(s, i, end, env):
            if end == j:
                yield (outcome,)
            else:
                yield from ((outcome, *rest) for rest in _each_field(s, start, j, env))


def _one_field(s: Sentence, i: int, j: int, env: Env) -> Iterator[ClauseOutcome]:
    """Yield the readings of one field with its value; a bare word needs a joint before it."""
    for k in range(i + 1, min(j, i + 6)):
        joint = next((w for w in _OF_A_FIELD if tuple(s.words(k, k + len(w))) == w), ())
        if joint and k + len(joint) < j:
            yield from set_value(s, {"T": (i, k), "V": (k + len(joint), j)}, env)
        elif not joint:
            yield from set_plainly(s, {"T": (i, k), "V": (k, j)}, env)


# -- switch


def switch(on: bool | None) -> Callable[[Sentence, Slots, Env], Iterator[ClauseOutcome]]:
    """Return the plan that turns flags on, off, or over."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        verb = s.tokens[slots["T"][0] - 1].low
        for pick in usable(s, slots["T"], env):
            flags = _flags(s, pick, verb)
            if flags is None and s.words(*slots["T"]) == ["it"] and env.scope is not None:
                flags = _flags(s, env.scope, verb)  # in the webhook, change the url and enable it
            if flags is None:
                s.fail(27, f"{_shorten(s.source(*slots['T']))} is not true or false", pick.nodes)
                continue
            nodes, inverted = flags
            outcome = replace_nodes(s, nodes, _switcher(s, on, inverted))
            yield outcome._replace(it=pick)

    return plan


def _switcher(s: Sentence, on: bool | None, inverted: bool) -> Callable[[int], Value]:
    def turn(node: int) -> Value:
        old = s.tree.values[node]
        wanted = (not old) if on is None else on is not inverted
        if isinstance(old, str):
            words = TRUE_WORDS if wanted else FALSE_WORDS
            beside = {"true": "false", "on": "off", "yes": "no", "enabled": "disabled"}
            pairs = beside | {v: k for k, v in beside.items()}
            return old if old.lower() in words else pairs[old.lower()]
        return wanted

    return turn


def _flags(s: Sentence, pick: Pick, verb: str) -> tuple[Pick, bool] | None:
    """Return the booleans that are meant: the nodes, or what the verb names in the objects."""
    nodes: list[int] = []
    inverted = False
    for node in pick.nodes:
        value = s.tree.values[node]
        if isinstance(value, bool) or (
            isinstance(value, str) and value.lower() in TRUE_WORDS | FALSE_WORDS
        ):
            nodes.append(node)
            continue
        flag = _own_flag(s, node, verb)
        if flag is None:
            return None
        inverted = key_form(str(s.tree.keys[flag])) in ("disabled", "inactive")
        nodes.append(flag)
    return Pick(tuple(nodes), pick.many), inverted


def _own_flag(s: Sentence, node: int, verb: str) -> int | None:
    names = ("active", "enabled") if "activate" in verb else ("enabled", "on", "active", "disabled")
    held = [s.tree.child(node, name) for name in names]
    flags = [n for n in held if n is not None and isinstance(s.tree.values[n], bool)]
    return flags[0] if len(flags) == 1 else None


def mark(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """`mark S as K`: the flag K of each S becomes true; `not K` false."""
    i, j = slots["K"]
    wanted = s.tokens[i].low not in ("not", "un")
    i += not wanted
    if i >= j:
        return
    for pick in usable(s, slots["S"], env):
        flags = [p for p in simple(s, i, j, Env(pick)) if not p.several and not p.lacking]
        if not flags and wanted and s.tokens[slots["S"][0] - 1].low == "mark" and j - i == 1:
            yield from _mark_value(s, i, pick)
        denied = [] if flags else _denied_flags(s, i, j, pick)
        for flag in flags or denied:
            if all(isinstance(s.tree.values[n], bool) for n in flag.nodes):
                on = wanted is not bool(denied)
                yield replace_nodes(s, flag, partial(_always, on))._replace(it=pick)


def _mark_value(s: Sentence, i: int, pick: Pick) -> Iterator[ClauseOutcome]:
    """Yield the status that records beside have in the only field of theirs that holds it."""
    text = s.tokens[i].text
    lists = {s.tree.parents[n] for n in pick.nodes if s.tree.is_record(n)}
    beside = [c for n in lists for record in s.tree.children(n) for c in s.tree.children(record)]
    s.tree.spend(len(beside))
    keys = {str(s.tree.keys[c]) for c in beside if s.tree.values[c] == text}
    held = [s.tree.child(n, key) for n in pick.nodes for key in keys]
    nodes = tuple(n for n in held if n is not None and isinstance(s.tree.values[n], str))
    is_status = all(key_form(key).endswith(("status", "state")) for key in keys)
    if len(keys) == 1 and is_status and len(nodes) == len(pick.nodes):
        yield replace_nodes(s, Pick(nodes, pick.many), partial(_always, text))._replace(it=pick)


def _denied_flags(s: Sentence, i: int, j: int, pick: Pick) -> list[Pick]:
    """Return the flag of each record of which a word says the opposite: inactive."""
    form = opposite(s.tokens[i].low) if j - i == 1 else ""
    held = [s.tree.below(s.tree.by_form.get(form, []), n) for n in pick.nodes]
    nodes = tuple(inside[0] for inside in held if len(inside) == 1)
    return [Pick(nodes, pick.many)] if nodes and len(nodes) == len(held) else []


# -- numbers


def shift(sign: int) -> Callable[[Sentence, Slots, Env], Iterator[ClauseOutcome]]:
    """Return the plan that adds an amount or a share; without one, adds 1."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        for pick in usable(s, slots["T"], env):
            if not _all_numbers(s, pick, slots["T"]):
                continue
            key = _key(s, pick.nodes[0]) if pick.nodes else ""
            by = amount(s, *slots["N"], key, env._replace(it=pick)) if "N" in slots else None
            if by is None and "N" in slots:
                s.fail(26, f"{_shorten(s.source(*slots['N']))} is not an amount")
                continue
            number = Decimal(1) if by is None else by.number

            def change(node: int, by: object = by, number: Decimal = number) -> Value:
                old = s.tree.values[node]
                assert isinstance(old, Num)
                if by is not None and by.percent:  # type: ignore[attr-defined]
                    return round_product(old.decimal * (1 + sign * number / 100), old)
                return exact(old.decimal + sign * number, old)

            yield replace_nodes(s, pick, change)

    return plan


def shift_field(sign: int) -> Callable[[Sentence, Slots, Env], Iterator[ClauseOutcome]]:
    """Return the plan that adds an amount to a field of a record: add 2 beds to ward 3."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        i, j = slots["N"]
        if j - i != 1 or number_in(s.tokens[i].text) is None:
            return
        several = is_plural(s.tokens[slots["K"][1] - 1].low)
        for pick in usable(s, slots["S"], env):
            if all(isinstance(s.tree.values[n], dict) for n in pick.nodes):
                inner = {"T": slots["K"], "N": slots["N"]}
                for outcome in shift(sign)(s, inner, Env(pick, pick)):
                    keys = {str(o.path[-1]).lower() for o in outcome.operations}
                    if several and not all(map(is_plural, keys)):
                        continue  # 3 ports are no higher port
                    yield outcome._replace(it=pick)

    return plan


def scale(factor: str = "") -> Callable[[Sentence, Slots, Env], Iterator[ClauseOutcome]]:
    """Return the plan that multiplies by *factor* or by the number in the slot `N` or `D`."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        for pick in usable(s, slots["T"], env):
            if not _all_numbers(s, pick, slots["T"]):
                continue
            by = Decimal(factor) if factor else Decimal(0)
            if not factor:
                said = amount(s, *slots["D" if "D" in slots else "N"], "", env)
                if said is None or said.percent or ("D" in slots and not said.number):
                    s.fail(26, "the factor is not a plain number")
                    continue
                by = said.number
            divides = "D" in slots

            def change(node: int, by: Decimal = by, divides: bool = divides) -> Value:
                old = s.tree.values[node]
                assert isinstance(old, Num)
                made = old.decimal / by if divides else old.decimal * by
                return round_product(made, old, places=12 if not divides else 6)

            yield replace_nodes(s, pick, change)

    return plan


def _all_numbers(s: Sentence, pick: Pick, span: Span) -> bool:
    if all(isinstance(s.tree.values[n], Num) for n in pick.nodes):
        return True
    s.fail(27, f"{_shorten(s.source(*span))} is not a number", pick.nodes)
    return False


def exact(number: Decimal, old: Num) -> Num:
    """Return a sum without loss, with the decimals of the old number at least."""
    decimals = max(-_exponent(number), -_exponent(old.decimal), 0)
    return Num(f"{number:.{decimals}f}")


def round_product(number: Decimal, old: Num, places: int = 2) -> Num:
    """Return a product, rounded half up to the old number's decimals or *places*."""
    decimals = max(places, -_exponent(old.decimal))
    made = number.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    text = f"{made:f}"
    keep = max(-_exponent(old.decimal), 0)
    whole, dot, part = text.partition(".")
    part = part.rstrip("0").ljust(keep, "0") if dot else ""
    return Num(f"{whole}.{part}" if part else whole)


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


# -- clear and convert


def clear(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Empty lists, objects and texts."""
    for pick in usable(s, slots["T"], env):
        if "flag" in s.words(*slots["T"]) and all(
            isinstance(s.tree.values[n], bool) for n in pick.nodes
        ):
            yield replace_nodes(s, pick, lambda _: False)
        elif all(isinstance(s.tree.values[n], str | list | dict) for n in pick.nodes) and not any(
            n == 0 or s.tree.is_record(n) for n in pick.nodes
        ):
            yield replace_nodes(s, pick, lambda n: _empty_like(s.tree.values[n]))
        else:
            s.fail(26, "only lists, objects and texts can be emptied", pick.nodes)


def _empty_like(value: Value) -> Value:
    if isinstance(value, dict):
        return {}
    return [] if isinstance(value, list) else ""


_CONVERSIONS = {
    "string": "string", "text": "string", "number": "number", "integer": "number",
    "boolean": "boolean", "bool": "boolean", "uppercase": "upper", "lowercase": "lower",
    "upper": "upper", "lower": "lower", "list": "list", "array": "list",
}  # fmt: skip


def convert(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Turn values into another type or case."""
    words = [w for w in s.words(*slots["Y"]) if w not in ("a", "an", "the", "case", "-")]
    wanted = _CONVERSIONS.get(singular("".join(words).replace("-", "")))
    if wanted is None:
        return
    for pick in usable(s, slots["T"], env):
        nodes = pick
        if wanted != "list" and any(s.tree.is_container(n) for n in pick.nodes):
            inner = tuple(c for n in pick.nodes for c in s.tree.children(n))
            nodes = Pick(inner, True)
        try:
            outcome = replace_nodes(s, nodes, partial(_convert_node, s, wanted))
            yield outcome._replace(it=pick)
        except Misfit as error:
            s.fail(26, str(error), pick.nodes)


def _convert_node(s: Sentence, wanted: str, node: int) -> Value:
    value = s.tree.values[node]
    return _as_list(value) if wanted == "list" else _convert_value(value, wanted)


def _convert_value(value: Value, wanted: str) -> Value:
    if wanted in ("upper", "lower"):
        if not isinstance(value, str):
            raise Misfit("only texts have upper and lower case")
        return value.upper() if wanted == "upper" else value.lower()
    if wanted == "string" and not isinstance(value, dict | list | str) and value is not None:
        return render(value)
    if wanted == "number" and isinstance(value, str):
        number = number_in(value)
        if number is not None:
            return Num(number)
    if wanted == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    names = {"string": str, "number": Num, "boolean": bool}
    if isinstance(value, names[wanted]):
        return value
    raise Misfit(f"{render(value)[:40]!r} cannot become a {wanted}")


def _as_list(value: Value) -> Value:
    if isinstance(value, dict) or (isinstance(value, str) and "," in value):
        raise Misfit("it does not say what the elements are; give the list as JSON")
    return value if isinstance(value, list) else [value]


# -- replace text


def replace_text(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Put one text in the place of another, in texts and as elements of lists."""
    old, new = _text_of(s, slots["A"], env), _text_of(s, slots["B"], env)
    if old is None or new is None or old.value == "":
        return
    everywhere = "T" not in slots
    if everywhere and env.scope is None and "of" not in s.words(slots["A"][0] - 1, slots["A"][0]):
        return
    yield from _replace_texts(s, slots, env, old, new)


def replace_everywhere(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Put one text in the place of another in the whole document, or in the scope."""
    old, new = _text_of(s, slots["A"], env), _text_of(s, slots["B"], env)
    if old is not None and new is not None and old.value != "":
        yield from _replace_texts(s, slots, env, old, new)


def append_text(where: str = "last") -> Callable[[Sentence, Slots, Env], Iterator[ClauseOutcome]]:
    """Return the plan that puts a quoted text behind texts, or in front of them."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        i, j = slots["E"]
        if j - i != 1 or s.tokens[i].kind != "quoted":
            return
        before, behind = ("", s.tokens[i].text) if where == "last" else (s.tokens[i].text, "")
        for pick in usable(s, slots["T"], env):
            if pick.nodes and all(isinstance(s.tree.values[n], str) for n in pick.nodes):
                yield replace_nodes(s, pick, lambda n: f"{before}{s.tree.values[n]}{behind}")

    return plan


def replace_literal(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Put a text that cannot be a noun in the place of another wherever it stands."""
    i, j = slots["A"]
    if j - i == 1 and _is_literal(s, i) and not phrase(s, i, j, env):
        yield from replace_everywhere(s, slots, env)


def _is_literal(s: Sentence, i: int) -> bool:
    """Return whether a token can only be a text of the document: quoted, or no plain word."""
    return s.tokens[i].kind == "quoted" or not s.tokens[i].text.isalpha()


def remove_part(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Take a word out of texts, with the blank before it."""
    i, j = slots["A"]
    i += s.tokens[i].low in ARTICLES and j - i > 1
    if j - i != 1 or s.tokens[i].kind == "json":
        return
    word = re.compile(rf"\s+{re.escape(s.tokens[i].text)}(?!\S)|^{re.escape(s.tokens[i].text)}\s+")
    for pick in usable(s, slots["T"], env):
        texts = [s.tree.values[n] for n in pick.nodes]
        if texts and all(isinstance(t, str) and len(word.findall(t)) == 1 for t in texts):
            yield replace_nodes(s, pick, partial(_substitute, s, word, ""))


def _replace_texts(
    s: Sentence, slots: Slots, env: Env, old: Given, new: Given
) -> Iterator[ClauseOutcome]:
    everywhere = "T" not in slots
    picks = [Pick((0,))] if everywhere and env.scope is None else []
    if everywhere and env.scope is not None:
        picks = [env.scope]
    for pick in picks or usable(s, slots["T"], env):
        operations: list[DocumentOperation] = []
        for node in pick.nodes:
            for inner in range(node, s.tree.end[node]):
                s.tree.spend()
                made = _replace_in(s.tree.values[inner], old, new)
                if made is not None:
                    path = s.tree.path(inner)
                    operations.append(
                        DocumentOperation("replace", path, s.tree.values[inner], made)
                    )
        yield ClauseOutcome(tuple(operations), pick, "" if operations else ABSENT_NOTE)


_LITERAL_NOUNS = frozenset("the word string text value element entry item".split())


def _text_of(s: Sentence, span: Span, env: Env) -> Given | None:
    i, j = span
    while i < j - 1 and s.tokens[i].low in _LITERAL_NOUNS:
        i += 1
    nouns = all(
        t.kind == "word" and t.text.isalpha() and not s.tree.by_form.get(key_form(t.text))
        for t in s.tokens[i : j - 1]
    )
    if nouns and j - i in (2, 3) and s.tokens[i - 1].low == "the" and _is_literal(s, j - 1):
        i = j - 1  # what kind of text it is: the IP address 10.0.0.1
    found = [g for g in values(s, i, j, env) if g.copied is None]
    if len(found) != 1 or found[0].style == "text":
        return None
    return found[0]


def _replace_in(value: Value, old: Given, new: Given) -> Value | None:
    """Return a scalar with the old text or value replaced; None where it does not occur."""
    if isinstance(value, dict | list) or value is None or isinstance(value, bool):
        return None
    if isinstance(value, Num):
        if isinstance(old.value, Num) and isinstance(new.value, Num) and value == old.value:
            return new.value
        return None
    find, put = render(old.value), render(new.value)
    if value == find:
        return put
    if old.style != "quoted":
        made = re.sub(rf"(?<!\w){re.escape(find)}(?!\w)", lambda _: put, value)
        return made if made != value else None
    return value.replace(find, put) if find in value else None


# -- order


_DESCENDING = (
    ("descending",), ("reverse",), ("highest", "to", "lowest"), ("newest", "first"),
    ("largest", "first"), ("highest", "first"), ("latest", "first"), ("largest", "to", "smallest"),
    ("desc",), ("reversed",), ("high", "to", "low"), ("reverse", "alphabetical"), ("z", "to", "a"),
    ("descending", "alphabetical"), ("biggest", "first"),
    ("newest", "to", "oldest"),
)  # fmt: skip
_ASCENDING = (
    ("ascending",), ("alphabetically",), ("low", "to", "high"), ("ascending", "alphabetical"),
    ("numerically",), ("alphabetical",), ("lowest", "to", "highest"),
    ("oldest", "first"), ("smallest", "first"), ("lowest", "first"), ("earliest", "first"),
    ("smallest", "to", "largest"), ("asc",), ("a", "to", "z"), ("cheapest", "first"),
    ("oldest", "to", "newest"),
)  # fmt: skip


_AGES = frozenset("newest latest oldest earliest".split())


def sort_by(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Put the elements of a list in order by several fields: by a descending, then by b."""
    keys: list[tuple[Span, bool]] = []
    i, j = slots["K"]
    for k in range(i, j + 1):
        if k < j and s.tokens[k].low not in ("then", "and", ","):
            continue
        i += s.words(i, i + 1) == ["by"]
        last = next((p for p in range(i + 1, k) if _order(s, (p, k)) is not None), k)
        if i < k:
            keys.append(((i, last), last < k and bool(_order(s, (last, k)))))
        i = k + 1
    for pick in _lists_meant(s, slots["T"], env) if len(keys) > 1 else ():
        if all(isinstance(s.tree.values[n], list) for n in pick.nodes):
            try:
                yield replace_nodes(s, pick, partial(_sort_by, s, keys))
            except Misfit as error:
                s.fail(26, str(error), pick.nodes)


def _sort_by(s: Sentence, keys: list[tuple[Span, bool]], node: int) -> Value:
    elements = tuple(s.tree.children(node))
    for key, descending in reversed(keys):
        elements = _ranked(s, elements, key, descending, dated=False)
    return [s.tree.values[element] for element in elements]


def sort(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Put the elements of a list in order, by a field of theirs or by themselves."""
    order = _order(s, slots["R"]) if "R" in slots else False
    if order is None:
        return
    for pick in _lists_meant(s, slots["T"], env):
        if not all(isinstance(s.tree.values[n], list) for n in pick.nodes):
            s.fail(26, "only lists can be sorted", pick.nodes)
            continue
        dated = "R" in slots and bool(_AGES & set(s.words(*slots["R"])))
        try:
            sorter = partial(_sort_list, s, slots.get("K"), bool(order), dated)
            yield replace_nodes(s, pick, sorter)
        except Misfit as error:
            s.fail(26, str(error), pick.nodes)


def _lists_meant(s: Sentence, span: Span, env: Env) -> Iterator[Pick]:
    """Yield the lists that are named, or the one whose elements are: the items of a list."""
    for pick in phrase(s, *span, env):
        holders = {s.tree.parents[n] for n in pick.nodes}
        holder = holders.pop() if len(holders) == 1 else -1
        is_list = pick.several and holder >= 0 and isinstance(s.tree.values[holder], list)
        if is_list and pick.nodes == tuple(s.tree.children(holder)):
            yield Pick((holder,))
            return
    yield from usable(s, span, env)


def _order(s: Sentence, span: Span) -> bool | None:
    """Return whether the words say the descending order; None when they say none."""
    words = tuple(
        w for w in s.words(*span)
        if w not in ("in", "order", "from", ",", "the", "(", ")", "numerical")
    )  # fmt: skip
    if words in _DESCENDING:
        return True
    return False if words in _ASCENDING else None


def _sort_list(s: Sentence, key: Span | None, descending: bool, dated: bool, node: int) -> Value:
    ranked = _ranked(s, tuple(s.tree.children(node)), key, descending, dated=dated)
    return [s.tree.values[element] for element in ranked]


def _ranked(
    s: Sentence, elements: tuple[int, ...], key: Span | None, descending: bool, *, dated: bool
) -> tuple[int, ...]:
    """Return elements in order; Misfit when they have no values to sort by."""
    field = filters.field_of(s, *key, elements) if key is not None else None
    if key is not None and field is None:
        raise Misfit("not every element has a value to sort by")
    ranked: list[tuple[object, int]] = []
    for element in elements:
        s.tree.spend()
        value = s.tree.values[element] if field is None else field(element)
        if not isinstance(value, str | Num | bool):
            raise Misfit("not every element has a value to sort by")
        ranked.append((value.decimal if isinstance(value, Num) else value, element))
    if dated and not all(re.match(r"[12]\d{3}(?!\d)", str(r)) for r, _ in ranked):
        raise Misfit("only dates are newer or older; say ascending or descending")
    if len({type(rank) for rank, _ in ranked}) > 1:
        raise Misfit("the values to sort by have different types")
    ranked.sort(key=lambda pair: pair[0], reverse=descending)  # type: ignore[arg-type,return-value]
    return tuple(element for _, element in ranked)


def reverse(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Put the elements of a list in the opposite order."""
    for pick in _lists_meant(s, slots["T"], env):
        if all(isinstance(s.tree.values[n], list) for n in pick.nodes):
            yield replace_nodes(s, pick, lambda n: list(reversed(s.tree.values[n])))  # type: ignore[arg-type]


def dedupe(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Keep the first of equal elements."""
    for pick in usable(s, slots["T"], env):
        if all(isinstance(s.tree.values[n], list) for n in pick.nodes):
            yield replace_nodes(s, pick, lambda n: _unique(s.tree.values[n]))


def _unique(value: Value) -> Value:
    assert isinstance(value, list)
    return list({dumps(item): item for item in value}.values())


def swap(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give two places each other's value."""
    for left in usable(s, slots["A"], env):
        for right in usable(s, slots["B"], env._replace(it=left)):
            if len(left.nodes) == len(right.nodes) == 1:
                yield from _swap_nodes(s, left.nodes[0], right.nodes[0])


def swap_places(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give two elements of a list each other's place."""
    for left in usable(s, slots["A"], env):
        for right in usable(s, slots["B"], env._replace(it=left)):
            nodes = (*left.nodes, *right.nodes)
            lists = {s.tree.parents[n] for n in nodes if isinstance(s.tree.keys[n], int)}
            if len(nodes) == 2 and len(lists) == 1 and nodes[0] != nodes[1]:
                yield _exchange(s, *nodes)


def swap_ordinals(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give two elements of a list, named by their ordinals, each other's place."""
    first, second = (ORDINALS.get(s.source(*slots[k]).lower()) for k in ("A", "B"))
    if None in (first, second):
        return
    called = [n for n in collections(s, *slots["T"], env) if isinstance(s.tree.values[n], list)]
    alone = env.scope is None and len(called) == 1
    for pick in [Pick((called[0],))] if alone else _lists_meant(s, slots["T"], env):
        held = list(s.tree.children(pick.nodes[0])) if len(pick.nodes) == 1 else []
        places = [p + len(held) * (p < 0) for p in (first, second) if p is not None]
        if called and not pick.members & set(called):
            s.fail(SEVERAL, f"multiple {_shorten(s.source(*slots['T']))} lists found", (*called,))
        elif len(set(places)) == 2 and all(0 <= p < len(held) for p in places):
            yield _exchange(s, *(held[p] for p in places))


def swap_field(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give two records each other's value of a field: the rooms of A and B."""
    for left in usable(s, slots["A"], env):
        for right in usable(s, slots["B"], env):
            sides = [phrase(s, *slots["K"], Env(side)) for side in (left, right)]
            if all(len(side) == 1 and len(side[0].nodes) == 1 for side in sides):
                yield from _swap_nodes(s, sides[0][0].nodes[0], sides[1][0].nodes[0])


def _swap_nodes(s: Sentence, a: int, b: int) -> Iterator[ClauseOutcome]:
    old, new = s.tree.values[a], s.tree.values[b]
    records = s.tree.is_record(a) or s.tree.is_record(b)
    if a == b or s.tree.lies_in(a, (b,)) or s.tree.lies_in(b, (a,)):
        return
    if type(old) is not type(new) or records:
        s.fail(26, "only values of one type can be swapped", (a, b))
        return
    yield _exchange(s, a, b)


def _exchange(s: Sentence, a: int, b: int) -> ClauseOutcome:
    old, new = s.tree.values[a], s.tree.values[b]
    places = ((a, old, new), (b, new, old))
    operations = tuple(DocumentOperation("replace", s.tree.path(n), o, v) for n, o, v in places)
    same = dumps(old) == dumps(new)
    return ClauseOutcome(() if same else operations, Pick((a, b), True), DONE_NOTE if same else "")
