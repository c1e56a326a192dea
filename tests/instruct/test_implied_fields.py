"""What is said of a record gives the one field it can be about a value, or is asked back."""

from __future__ import annotations

import json

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse

DOCUMENT = {
    "name": "Acme",
    "mode": "fast",
    "servers": [
        {"name": "web", "port": 80, "active": True, "region": "eu", "tags": ["a"],
         "startsAt": "09:00", "price": 12.5},
        {"name": "db", "port": 5432, "active": False, "region": "us", "tags": ["b"],
         "startsAt": "10:00", "price": 20},
    ],
    "limits": {"maxUsers": 10, "timeoutSeconds": 30, "strict": False},
    "owner": {"name": "Ruth", "phone": "555-0101", "age": 40},
    "stock": {"apples": 5, "pears": 7},
}  # fmt: skip
ACTED_ON = {
    "web: port 81": {"/servers/0/port": 81},
    "web region us, port 81, inactive": {
        "/servers/0/region": "us", "/servers/0/port": 81, "/servers/0/active": False,
    },
    "limits: strict on, timeout 40": {"/limits/strict": True, "/limits/timeoutSeconds": 40},
    "web isn't active any more": {"/servers/0/active": False},
    "all servers active": {"/servers/1/active": True},
    "every server costs 10": {"/servers/0/price": 10, "/servers/1/price": 10},
    "web costs two euros fifty": {"/servers/0/price": 2.5},
    "web starts at half past ten": {"/servers/0/startsAt": "10:30"},
    "db starts at noon": {"/servers/1/startsAt": "12:00"},
    "the timeout is 5 seconds longer": {"/limits/timeoutSeconds": 35},
    "we have two more apples and one more pear": {"/stock/apples": 7, "/stock/pears": 8},
    "I sold two apples": {"/stock/apples": 3},
    "web port 80 -> 81": {"/servers/0/port": 81},
    "web goes to us": {"/servers/0/region": "us"},
    "Great news, db is active": {"/servers/1/active": True},
}  # fmt: skip
ASKED_BACK = [
    "web port 90 -> 81",
    "web port 8080 only on weekends",
    "web should be in the us and eu",
    "web is not in the eu",
    "web may be active",
    "web was active yesterday",
    "web will be active tomorrow",
    "Is db active?",
    "db costs 20 more than web",
    "db starts at 11:00 unless Ruth objects",
    "Ruth is on 5550",
    "web lost 3 ports",
    "web keeps port 81",
    "web without region",
    "web has no port",
    "web has 5 problems",
    "web, db: active",
    "web isn't active but db is",
    "kill web",
    "max users 5 or so",
    "all servers +5",
    "After lunch, set web port to 81",
    "Never mind web, set db port to 81",
    "The db is fine, set web port to 81",
    "The owner called, remove web",
    "Paint the mode",
]


def _changes(before: object, after: object, path: str = "") -> dict[str, object]:
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = [(key, before.get(key), after.get(key)) for key in (before | after)]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [(str(place), *both) for place, both in enumerate(zip(before, after, strict=True))]
    else:
        return {} if before == after else {path: after}
    return {
        name: value
        for key, old, new in pairs
        for name, value in _changes(old, new, f"{path}/{key}").items()
    }


@pytest.mark.parametrize("instruction", ACTED_ON)
def test_the_one_field_that_fits_gets_the_value(instruction: str) -> None:
    document = parse(json.dumps(DOCUMENT))
    proposal = propose(document, instruction)
    after = json.loads(dumps(apply_operations(document, proposal.operations)))
    assert _changes(DOCUMENT, after) == ACTED_ON[instruction], proposal.message


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize("instruction", ASKED_BACK)
def test_what_may_mean_something_else_is_asked_back(instruction: str) -> None:
    proposal = propose(parse(json.dumps(DOCUMENT)), instruction)
    assert proposal.status == "ambiguous", proposal.operations


def test_words_that_nothing_explains_are_named_with_the_candidate() -> None:
    proposal = propose(parse(json.dumps(DOCUMENT)), "Ruth called and web runs on port 81 happily")
    assert proposal.status == "ambiguous"
    assert all(candidate.unexplained for candidate in proposal.candidates)
