"""Conditions are evaluated wherever they are said, and a bare name is of one thing or asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.values import dumps, parse
from tests.instruct.generated import run
from tests.instruct.generator_conditions import made_with_condition
from tests.support import LONG

PROJECT: dict[str, Any] = {
    "private": True,
    "version": "1.10.0",
    "stages": ["build", "deploy"],
    "scripts": {"start": "vite"},
    "files": ["dist", "start"],
    "limits": {"max": 10, "mode": "soft"},
    "jobs": [
        {"name": "deploy", "retry": 1, "room": "Room A", "tools": ["rope"], "phone": None},
        {"name": "Noah Null", "retry": 2, "room": "Room B", "tools": ["rope"], "phone": ""},
    ],
    "notes": ["Top with deploy."],
}


def _read(instruction: str) -> Proposal:
    return propose(parse(json.dumps(PROJECT)), instruction)


def _changes(instruction: str) -> list[tuple[str, str]]:
    found = _read(instruction)
    assert found.status == "success", found.message
    return [("/".join(map(str, o.path)), dumps(o.value)) for o in found.operations]


@pytest.mark.requirement("json-no-wrong-change")
def test_generated_conditions_are_evaluated_or_asked_about() -> None:
    tally = run(range(30_000 if LONG else 300), made_with_condition)
    assert not tally.wrong, "\n".join(tally.wrong[:40])
    assert all(tally.right[rule] / count > 0.85 for rule, count in tally.total.items()), tally.right


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "If private is false, set version to 2.0.0",
        "Only if private is false, set version to 2.0.0.",
        "set max to 5 unless private is true",
        "If mode is hard, set max to 5",
        "If max is over 50, set version to 3.0.0",
        "set max to 5 if the retry of deploy is 2",
        "If Noah Null's retry is 1, set max to 5",
        "set max to 12 if private is true and version is 2.0.0",
    ],
)
def test_nothing_changes_where_a_condition_does_not_hold(instruction: str) -> None:
    found = _read(instruction)
    assert found.status == "no_changes"
    assert "the condition does not hold" in found.message


@pytest.mark.requirement("json-no-wrong-change")
def test_what_a_condition_allows_is_changed() -> None:
    assert _changes("If private is true, set max to 5") == [("limits/max", "5")]
    assert _changes("set max to 5 unless mode is hard") == [("limits/max", "5")]
    assert _changes("If Noah Null's retry is 2, set max to 5") == [("limits/max", "5")]
    assert _changes('replace "deploy" with "ship" everywhere') == [
        ("stages/1", '"ship"'),
        ("jobs/0/name", '"ship"'),
        ("notes/0", '"Top with ship."'),
    ]
    assert _changes('Set phone to "x" for jobs whose phone is null') == [("jobs/0/phone", '"x"')]


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "If max is 11 set max to 12, otherwise set it to 13",
        "Should we set max to 12?",
        "Remove deploy.",
        "Remove start.",
        "Remove the rope from the tools.",
        "Remove the rope from the tool list",
        'Set phone to "x" for jobs with null phone',
        "Both jobs should be in Room B",
        "Please add qa to the stages as well, to deploy too",
    ],
)
def test_what_may_be_meant_otherwise_is_asked(instruction: str) -> None:
    assert _read(instruction).status == "ambiguous"


@pytest.mark.requirement("json-no-wrong-change")
def test_a_filter_of_records_is_about_them_and_an_exception_takes_all_that_are_listed() -> None:
    document = {
        "devices": [
            {"id": "a", "battery": 15, "online": True},
            {"id": "b", "battery": 80, "online": True},
            {"id": "c", "battery": 90, "online": True},
        ],
        "alerts": {"battery_below": 20},
    }

    def paths(instruction: str) -> list[str]:
        found = propose(parse(json.dumps(document)), instruction)
        assert found.status == "success", found.message
        return ["/".join(o.path) for o in found.operations]

    said = "Set online to false for every device"
    assert paths(f"{said} with a battery below 20") == ["devices/0/online"]
    assert paths(f'{said} except "a" and "b"') == ["devices/2/online"]


ZONE = {
    "records": [
        {"name": "api", "type": "A", "ttl": 300, "owner": "Hall"},
        {"name": "www", "type": "CNAME", "ttl": 300, "owner": "Singh"},
        {"name": "mail", "type": "A", "ttl": 600, "owner": "Hall", "state": "closed"},
    ],
    "owners": [{"name": "Hall", "points": 5, "won": 1}, {"name": "Singh", "points": 7, "won": 2}],
    "classes": [{"name": "1a", "room": "101"}, {"name": "1b", "room": "102"}, {"name": "2a"}],
    "fines": {"exempt": True},
}


@pytest.mark.requirement("json-no-wrong-change")
def test_a_condition_that_holds_does_not_widen_what_is_replaced() -> None:
    users = [{"name": "Ann", "role": "lead"}, {"name": "Bob", "role": "user"}]
    document = {"users": users, "x": {"m": "red"}, "y": {"m": "red"}}
    found = propose(parse(json.dumps(document)), 'If Ann is lead, replace "red" with "blue"')
    assert found.operations == ()


@pytest.mark.requirement("json-no-wrong-change")
def test_a_capital_letter_is_no_article() -> None:
    found = propose(parse(json.dumps(ZONE)), "Set the ttl of all A records except mail to 120")
    assert ["/".join(o.path) for o in found.operations] == ["records/0/ttl"]


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "Put the ttl of www back, please.",
        "Change the room of class 2 to 203",
        "Fines are exempt, aren't they?",
        "For Hall, add one to points and one to won",
        "Delete all closed records with owner Singh",
    ],
)
def test_nothing_is_changed_by_less_than_what_is_said(instruction: str) -> None:
    assert propose(parse(json.dumps(ZONE)), instruction).operations == ()


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "Make the living room warmer",
        "Make the living room one degree warmer",
        "make the title shorter",
        "Change the title again",
        "Set the title properly",
        "update the theme soon",
        "Change the linux row in axes to 3.11",
        "Add one more tag for device 1",
    ],
)
def test_how_something_is_to_become_is_no_value(instruction: str) -> None:
    document = {
        "title": "Team page",
        "theme": "dark",
        "devices": [{"id": 1, "room": "living room"}],
    }
    assert propose(parse(json.dumps(document)), instruction).status == "ambiguous"


@pytest.mark.requirement("json-no-wrong-change")
def test_a_bare_value_that_looks_like_what_is_there_is_taken() -> None:
    found = propose(parse('{"theme": "dark"}'), "make the theme light")
    assert [o.value for o in found.operations] == ["light"]
