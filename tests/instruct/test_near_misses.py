"""Sentences that once led to a change that nobody asked for: each is done right, or asked about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse

PETS = [
    {"pet": "Momo", "visits": [{"reason": "checkup", "cost": 45}]},
    {
        "pet": "Bruno",
        "visits": [{"reason": "limping", "cost": 120}, {"reason": "checkup", "cost": 45}],
    },
]
FERRY = {"summer": {"sailings": [{"dep": "12:00"}, {"dep": "18:45"}]}, "winter": {"sailings": []}}
BOXES = {
    "boxes": [
        {"box": "1914/1", "title": "Letters", "digitised": False},
        {"box": "1972/1", "title": "Minutes", "digitised": False},
        {"box": "1933/9", "title": "Police files", "digitised": False},
    ]
}  # fmt: skip


def _effect(document: Any, instruction: str) -> Any:
    """Return the document after the instruction; None where it is asked about."""
    held = parse(json.dumps(document))
    proposal = propose(held, instruction)
    assert proposal.status != "no_changes"
    if proposal.status == "ambiguous":
        return None
    return json.loads(dumps(apply_operations(held, proposal.operations)))


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    ("document", "instruction"),
    [
        ({"slots": [{"at": 1, "target": 21}], "vacation": {"target": 12}}, "target 20"),
        ({"lines": [{"who": "kurt", "plan": "S"}]}, "kurt -> plan M w/ 20 GB"),
        ({"users": [{"name": "Karl", "pin": "1234"}]}, "Karl's PIN should be changed."),
        ({"room": {"seats": 6, "openDays": ["Tue", "Thu"]}}, "open fri too, 8 seats"),
        (FERRY, "The noon ferry in summer is cancelled, remove it."),
        ({"depot": "Ghent", "vans": 4}, "Our depot is in Bruges now."),
        ({"people": [{"name": "Ann", "team": "ops"}]}, "Ann is in the ops team."),
        ({"wifi_key": "abc", "rooms": 3}, "wipe wifi_key (delete the key)"),
        ({"server": {"debug": False}, "level": "info"}, "server debug"),
        ({"rules": {"dogs": False, "bikes": True}}, "dogs ok"),
        ({"users": [{"login": "ops", "shell": "/bin/sh"}]}, "Give ops the shell."),
        ({"ports": {"eth0": {"mtu": 1500}, "eth1": {"mtu": 1500}}}, "eth0 down to 5"),
        ({"syslog": {"host": "log.example", "level": "info"}}, "syslog: host gone"),
        ({"chef": "Rosa Conti", "shut": ["Monday"]}, "Rosa Conti is off on Friday, not Monday."),
        ({"private": True, "name": "toolbox"}, "public"),
        ({"reminders": {"sms": True, "email": False}}, "email reminders"),
        ({"firewall": {"default": "deny", "allow": [22]}}, "Allow port 8443 in the firewall."),
        ({"a": {"ttl": 1, "on": True}, "b": {"x": 1}}, 'Set ttl to 5 and add "c": 1.'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_it_is_asked_about(document: Any, instruction: str) -> None:
    assert _effect(document, instruction) is None


@pytest.mark.requirement("json-no-wrong-change")
def test_what_is_jotted_down_before_a_list_goes_and_comes() -> None:
    basket = {"basket": ["tea", "salt"], "owner": "Ann"}
    after = _effect(basket, "basket: tea gone, + oil")
    assert after == {"basket": ["salt", "oil"], "owner": "Ann"}


@pytest.mark.requirement("json-no-wrong-change")
def test_everywhere_reaches_a_record_that_is_alone_in_its_list() -> None:
    after = _effect(PETS, "checkup cost 45 -> 50 everywhere")
    assert after is None or [visit["cost"] for pet in after for visit in pet["visits"]] == [
        50,
        120,
        50,
    ]


@pytest.mark.requirement("json-no-wrong-change")
def test_a_code_names_a_record_and_is_no_value() -> None:
    after = _effect(BOXES, "digitised=true for 1914/1 and 1972/1")
    assert after is None or [box["digitised"] for box in after["boxes"]] == [True, True, False]


@pytest.mark.requirement("json-no-wrong-change")
def test_clearing_lists_empties_them() -> None:
    party = {
        "party": [{"name": "Ari", "conditions": ["poisoned"]}, {"name": "Bo", "conditions": []}]
    }
    after = _effect(party, "clear all conditions")
    assert after is None or [one["conditions"] for one in after["party"]] == [[], []]


@pytest.mark.requirement("json-no-wrong-change")
def test_a_sign_is_a_difference() -> None:
    members = {"members": [{"name": "Amir", "rating": 1500}, {"name": "Lea", "rating": 1600}]}
    after = _effect(members, "Amir +38 rating")
    assert after is None or after["members"][0]["rating"] == 1538


@pytest.mark.requirement("json-no-wrong-change")
def test_the_year_of_a_date_is_no_value_of_its_own() -> None:
    order = {"orders": [{"id": "A-1", "placed": "2024-04-02", "total": 90}]}
    after = _effect(order, "Order A-1 was actually placed on April 7, 2024.")
    assert after is None or after["orders"][0] == {
        "id": "A-1", "placed": "2024-04-07", "total": 90,
    }  # fmt: skip


@pytest.mark.requirement("json-no-wrong-change")
def test_a_dotted_new_key_is_a_path() -> None:
    alerts = {"escalation": {"policy": "sun"}}
    copy = "Duplicate the value of `escalation.policy` into a new field `escalation.fallback`."
    assert _effect(alerts, copy) == {"escalation": {"policy": "sun", "fallback": "sun"}}


@pytest.mark.requirement("json-no-wrong-change")
def test_a_removed_record_needs_no_removal_of_its_fields() -> None:
    alerts = {"alerts": [{"name": "A", "muted": True}, {"name": "B", "muted": False}]}
    after = _effect(alerts, 'Delete `muted` from all alerts, and delete the alert "B" entirely.')
    assert after == {"alerts": [{"name": "A"}]}


@pytest.mark.requirement("json-no-wrong-change")
def test_a_fact_about_what_is_not_there_is_asked_about() -> None:
    shop = {"returns": {"window_days": 14}, "name": "Shop"}
    assert (
        _effect(shop, "Customers now have three weeks to return things, that is 21 days.") is None
    )
