"""What is said not to be so, alone and joined with something else, against a judge of its own."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, from_plain
from tests.support import LONG

Said = tuple[str, Callable[[dict[str, Any]], bool]]

PEOPLE: list[dict[str, Any]] = [
    {"name": "Ann", "age": 25, "city": "Berlin", "active": True, "score": 10, "team": "red",
     "tags": ["x"], "due": "2025-05-01"},
    {"name": "Bob", "age": 35, "city": "Paris", "active": False, "score": 50, "team": "blue",
     "tags": [], "due": "2025-07-01"},
    {"name": "Cy", "age": 45, "city": "Berlin", "active": True, "score": 90, "team": "blue",
     "tags": ["y"], "due": None},
    {"name": "Dee", "age": 55, "city": "Rome", "active": False, "score": 70, "team": "red",
     "tags": ["x", "y"], "due": "2025-09-01"},
]  # fmt: skip
SAID: list[Said] = [
    ("is active", lambda one: one["active"]),
    ("isn't active", lambda one: not one["active"]),
    ("is not active", lambda one: not one["active"]),
    ("wasn't active", lambda one: not one["active"]),
    ("isn't inactive", lambda one: one["active"]),
    ("is in Berlin", lambda one: one["city"] == "Berlin"),
    ("isn't in Berlin", lambda one: one["city"] != "Berlin"),
    ("lives in Berlin", lambda one: one["city"] == "Berlin"),
    ("does not live in Berlin", lambda one: one["city"] != "Berlin"),
    ("is on the blue team", lambda one: one["team"] == "blue"),
    ("isn't on the blue team", lambda one: one["team"] != "blue"),
    ("has team red", lambda one: one["team"] == "red"),
    ("doesn't have team red", lambda one: one["team"] != "red"),
    ("isn't red", lambda one: one["team"] != "red"),
    ("is over 40", lambda one: one["age"] > 40),
    ("isn't over 40", lambda one: one["age"] <= 40),
    ("has no tags", lambda one: not one["tags"]),
    ("doesn't have tags", lambda one: not one["tags"]),
    ("has no due date", lambda one: one["due"] is None),
    ("has a score below 60", lambda one: one["score"] < 60),
    ("doesn't have a score below 60", lambda one: one["score"] >= 60),
    ("isn't Bob", lambda one: one["name"] != "Bob"),
    ("isn't called Bob", lambda one: one["name"] != "Bob"),
]


def _sentences() -> list[Said]:
    found = [(f"who {words}", holds) for words, holds in SAID]
    for first, is_first in SAID:
        for second, is_second in SAID:
            found += [
                (f"who {first} and {second}", _both(is_first, is_second)),
                (f"who {first} but {second}", _both(is_first, is_second)),
                (f"who {first} or {second}", _either(is_first, is_second)),
            ]
    return found if LONG else random.Random("denials").sample(found, 250)


def _both(first: Any, second: Any) -> Callable[[dict[str, Any]], bool]:
    return lambda one: bool(first(one) and second(one))


def _either(first: Any, second: Any) -> Callable[[dict[str, Any]], bool]:
    return lambda one: bool(first(one) or second(one))


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize("is_removal", [True, False])
def test_what_is_not_so_is_never_taken_for_what_is(is_removal: bool) -> None:
    wrong, right = [], 0
    for words, holds in _sentences():
        wanted = copy.deepcopy(PEOPLE)
        if is_removal:
            wanted = [one for one in wanted if not holds(one)]
        for one in wanted:
            one["score"] = 5 if holds(one) else one["score"]
        asked = "Remove every person" if is_removal else "Set score to 5 for every person"
        found = propose(from_plain({"people": PEOPLE}), f"{asked} {words}")
        if found.status == "ambiguous":
            continue
        after = apply_operations(from_plain({"people": PEOPLE}), found.operations)
        if dumps(after) == dumps(from_plain({"people": wanted})):
            right += 1
        else:
            wrong.append(f"{asked} {words} -> {found.status}")
    assert not wrong, "\n".join(wrong)
    assert right > 30


PRODUCTS: list[dict[str, Any]] = [
    {"name": "Desk", "price": 120, "stock": 4, "color": "white", "tags": ["office"],
     "supplier": {"city": "Oslo"}},
    {"name": "Lamp", "price": 40, "stock": 0, "color": "black", "tags": [],
     "supplier": {"city": "Rome"}},
    {"name": "Shelf", "price": 60, "stock": 7, "color": "red", "tags": ["wood"],
     "supplier": {"city": "Bonn"}},
]  # fmt: skip


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "Delete every product that is in stock",
        "Set stock to 9 for every product that isn't in stock",
        "Increase the stock by 10 for the products with no stock",
        "Set stock to 9 for every product that is not white or red",
        "Set stock to 9 for every product with the tag office and not from Oslo",
    ],
)
def test_what_may_deny_something_else_is_asked(instruction: str) -> None:
    found = propose(from_plain({"products": PRODUCTS}), instruction)
    assert found.status == "ambiguous", [operation.path for operation in found.operations]


@pytest.mark.requirement("json-no-wrong-change")
def test_a_second_relative_clause_is_no_wish() -> None:
    instruction = "Set stock to 9 for all products that cost 60 and that cost 40"
    assert not propose(from_plain({"products": PRODUCTS}), instruction).operations


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    ("instruction", "changed"),
    [
        ("Double every price that is below 70", ["x"]),
        ("Double every price that isn't below 70", []),
        ("Double every price that aren't over 70", []),
    ],
)
def test_a_size_that_is_denied_is_asked_about(instruction: str, changed: list[str]) -> None:
    items = [{"n": "x", "price": 50}, {"n": "y", "price": 90}]
    found = propose(from_plain({"items": items}), instruction)
    assert [items[int(o.path[1])]["n"] for o in found.operations] == changed
    assert found.status == ("success" if changed else "ambiguous")


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "take junk.example out of blocked, put ads.example in",
        "remove junk.example from blocked and put ads.example in",
    ],
)
def test_a_request_is_not_taken_for_a_text_of_the_one_before(instruction: str) -> None:
    document = from_plain({"blocked": ["spam.example", "junk.example"], "open": ["a.example"]})
    assert propose(document, instruction).status == "ambiguous"
