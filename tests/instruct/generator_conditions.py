"""Sentences with conditions, made at random; what they mean is worked out here, without a grammar.

A condition is about the document, about one named record or about each record. What it is joined
to, where in the sentence it comes and how it is worded vary apart from each other.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from tests.instruct.generator_documents import Made

_NAMES = ("Alice Marsh", "Bob Stone", "Carla Null", "Dev Empty", "Eve Archer")
_PLANS = ("basic", "gold", "trial")


def made_with_condition(seed: int) -> Made:
    """Return the document and sentence of a seed."""
    pick = random.Random(f"condition {seed}")
    return pick.choice(_RULES)(pick)


class _Check:
    """What is asked of an object, in words, and whether it is so."""

    def __init__(self, key: str, words: str, holds: Callable[[Any], bool]) -> None:
        self.words = f"{key} {words}"
        self.holds = holds


def _document(pick: random.Random) -> dict[str, Any]:
    records = [
        {
            "name": name,
            "plan": pick.choice(_PLANS),
            "seats": pick.randrange(1, 12),
            "verified": pick.random() < 0.5,
            "phone": pick.choice([None, "", "555-0101"]),
        }
        for name in _NAMES
    ]
    if pick.random() < 0.3:
        del records[pick.randrange(5)]["phone"]
    return {
        "title": "Accounts",
        "region": pick.choice(["north", "south"]),
        "maintenance": pick.random() < 0.5,
        "retries": pick.randrange(1, 9),
        "banner": pick.choice([None, "", "hello"]),
        "limits": {"burst": pick.randrange(10, 90), "policy": pick.choice(["soft", "hard"])},
        "accounts": records,
    }


def _check_on(pick: random.Random, held: dict[str, Any], keys: tuple[str, ...]) -> _Check:
    """Return something to ask of an object that has *keys*."""
    key = pick.choice(keys)
    value = held.get(key)
    if isinstance(value, bool):
        wanted = pick.random() < 0.5
        words = pick.choice([f"is {str(wanted).lower()}", f"is not {str(not wanted).lower()}"])
        return _Check(key, words, lambda at: at[key] is wanted)
    if isinstance(value, int):
        bound = pick.randrange(1, 12) if value < 12 else pick.randrange(10, 90)
        return pick.choice(
            [
                _Check(key, f"is over {bound}", lambda at: at[key] > bound),
                _Check(key, f"is at least {bound}", lambda at: at[key] >= bound),
                _Check(key, f"is less than {bound}", lambda at: at[key] < bound),
                _Check(key, f"is {bound}", lambda at: at[key] == bound),
            ]
        )
    if key in ("banner", "phone"):
        wanted_null = pick.random() < 0.5
        words = "is null" if wanted_null else "is not null"
        return _Check(key, words, lambda at: key in at and (at[key] is None) is wanted_null)
    other = {"region": "north", "policy": "soft", "plan": "gold"}[key]
    is_equal = pick.random() < 0.5
    words = f"is {other}" if is_equal else f"is not {other}"
    return _Check(key, words, lambda at: (at[key] == other) is is_equal)


def _joined(pick: random.Random, held: dict[str, Any], keys: tuple[str, ...]) -> _Check:
    """Return one question, or two that are joined."""
    first = _check_on(pick, held, keys)
    if pick.random() < 0.65:
        return first
    second = _check_on(pick, held, keys)
    word = pick.choice(["and", "or"])
    found = _Check("", "", lambda at: first.holds(at) and second.holds(at))
    if word == "or":
        found = _Check("", "", lambda at: first.holds(at) or second.holds(at))
    found.words = f"{first.words} {word} {second.words}"
    return found


def _ordered(pick: random.Random, words: str, change: str, *, is_negative: bool = False) -> str:
    """Put a condition before or behind what is asked for."""
    word = "unless" if is_negative else pick.choice(["if", "only if", "when", "if", "if"])
    if pick.random() < 0.5:
        return f"{change} {word} {words}"
    comma = pick.choice([",", ",", ", then"])
    return f"{word[0].upper()}{word[1:]} {words}{comma} {change[0].lower()}{change[1:]}"


def _about_document(pick: random.Random) -> Made:
    """The condition and the change are about different fields."""
    document = _document(pick)
    check = _joined(pick, document, ("region", "maintenance", "retries", "banner"))
    is_negative = " and " not in check.words and " or " not in check.words and pick.random() < 0.2
    value = pick.randrange(100, 999)
    change = pick.choice([f"Set burst to {value}", f"set limits.burst to {value}",
                          f"Change the burst limit to {value}"])  # fmt: skip
    after = copy.deepcopy(document)
    if check.holds(document) is not is_negative:
        after["limits"]["burst"] = value
    sentence = _ordered(pick, check.words, change, is_negative=is_negative)
    return Made("document", document, sentence, after)


def _about_one(pick: random.Random) -> Made:
    """The condition is about a record that is named; the change is about it or about another."""
    document = _document(pick)
    place, other = pick.randrange(5), pick.randrange(5)
    record = document["accounts"][place]
    check = _check_on(pick, record, ("plan", "seats", "verified"))
    words = f"{record['name']}'s {check.words}"
    value = pick.randrange(100, 999)
    target = document["accounts"][other]["name"]
    change = f"Set the seats of {target} to {value}"
    after = copy.deepcopy(document)
    if check.holds(record):
        after["accounts"][other]["seats"] = value
    return Made("one", document, _ordered(pick, words, change), after)


def _about_each(pick: random.Random) -> Made:
    """The condition is about each record of a list."""
    document = _document(pick)
    check = _joined(pick, document["accounts"][0], ("plan", "seats", "verified", "phone"))
    value = pick.randrange(100, 999)
    before = pick.choice(["all accounts whose", "accounts where", "every account if"])
    after = copy.deepcopy(document)
    for record in after["accounts"]:
        if check.holds(record):
            record["seats"] = value
    return Made("each", document, f"Set seats to {value} for {before} {check.words}", after)


def _removed(pick: random.Random) -> Made:
    """Records are removed for which the condition holds."""
    document = _document(pick)
    check = _joined(pick, document["accounts"][0], ("plan", "seats", "verified", "phone"))
    after = copy.deepcopy(document)
    after["accounts"] = [one for one in after["accounts"] if not check.holds(one)]
    verb = pick.choice(["Remove", "Delete"])
    return Made("removed", document, f"{verb} the accounts whose {check.words}", after)


def _said_of_them(pick: random.Random) -> list[tuple[str, Callable[[Any], bool]]]:
    """Return what accounts may be or have, in words of which they are the subject."""
    bound, plan = pick.randrange(1, 12), pick.choice(_PLANS)
    flags: list[tuple[str, Callable[[Any], bool]]] = [
        ("are verified", lambda one: one["verified"]),
        (pick.choice(["aren't verified", "are not verified"]), lambda one: not one["verified"]),
    ]
    amounts: list[tuple[str, Callable[[Any], bool]]] = [
        (f"have more than {bound} seats", lambda one: one["seats"] > bound),
        (f"have fewer than {bound} seats", lambda one: one["seats"] < bound),
    ]
    plans: list[tuple[str, Callable[[Any], bool]]] = [
        (pick.choice([f'have plan "{plan}"', f"are {plan}"]), lambda one: one["plan"] == plan),
        (pick.choice([f"aren't {plan}", f"are not {plan}"]), lambda one: one["plan"] != plan),
    ]
    said = [pick.choice(kind) for kind in (flags, amounts, plans)]
    pick.shuffle(said)
    return said


def _about_those_that(pick: random.Random) -> Made:
    """A relative clause says several things, each with a verb of its own."""
    document = _document(pick)
    said = _said_of_them(pick)[: pick.choice([1, 2, 2, 3])]
    word, holds = pick.choice([("and", all), ("or", any)])
    words = f"{pick.choice(['that', 'which'])} " + f" {word} ".join(text for text, _ in said)
    value = pick.randrange(100, 999)
    after = copy.deepcopy(document)
    chosen = [one for one in after["accounts"] if holds(check(one) for _, check in said)]
    if pick.random() < 0.4:
        after["accounts"] = [one for one in after["accounts"] if one not in chosen]
        return Made("those", document, f"Remove all accounts {words}", after)
    for record in chosen:
        record["seats"] = value
    return Made("those", document, f"Set seats to {value} for all accounts {words}", after)


_RULES = (
    *(_about_document, _about_document, _about_one, _about_each, _removed),
    *(_about_those_that, _about_those_that),
)
