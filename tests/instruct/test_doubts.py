"""Changes that follow from the words and yet may not be meant: the caller is asked."""

from __future__ import annotations

import json

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.values import parse

CLUB = {"club": "Riverside", "players": [{"name": "Joe Tanner"}, {"name": "Sam Okoro"}]}
INVOICE = {"customer": {"name": "Northwind", "address": {"street": "14 Mill Lane", "city": "Bath"}}}
TICKET = {"ticket": "HD-20418", "priority": "low", "assignee": None}
OWNED = {"ticket": "HD-20418", "priority": "low", "owner": None}
BAKERY = {"rolls": {"Plain roll": 0.45, "Pretzel": 0.9}}
PENNIES = {"rolls": {"Plain roll": 45, "Pretzel": 90}}
STAFF = {"staff": [{"name": "Greta", "position": "Manager"}, {"name": "Tariq", "position": "Help"}]}
SURVEY = {"questions": [{"id": "q1", "max": 5}], "reminderDays": [3, 7]}
HALLS = {"rooms": [{"hall": "East", "seats": 40}, {"hall": "West", "seats": 25}]}
WORDS = {"en": {"ok": "OK"}, "de": {"ok": "Gut"}, "fallback": "en"}
SERVICES = {"api": {"env": {"NATS_URL": "nats://bus"}}, "bus": {"image": "nats:2"}}
BILL = {"client": {"company": "Ash Ltd"}, "status": "draft"}
CHOICES = {"questions": [{"id": "days", "options": ["Sat", "Sun"]}]}
CLASS = {"monday": [{"period": 1, "subject": "Maths"}, {"period": 2, "subject": "English"}]}


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    ("document", "instruction"),
    [
        (CLUB, "Please take Joe Tanner off the list, he has left the club."),
        (INVOICE, "The customer has moved to 3 Canal Street in Bath."),
        (OWNED, 'Assign the ticket to "jens" and set the priority to "high".'),
        (PENNIES, "A pretzel is 95 cents now."),
        (STAFF, "Tariq has been promoted to Deputy manager, gets 17 euros and his own keys."),
        (SURVEY, "Change q1 so that `max` is 10, and append a reminder at noon to `reminderDays`."),
        (CLASS, "On Monday, swap the subjects and rooms of period 1 and period 2."),
        (HALLS, "every East room: seats -5"),
        (WORDS, 'add a "later" string: Later / Nachher'),
        (SERVICES, 'pin the nats image to "nats:2.10"'),
        (BILL, 'They paid us, so mark it paid please. And the company is now called "Elm Ltd".'),
        (CHOICES, 'add "Fri" as first option to days'),
    ],
    ids=[
        *("why", "name", "assignee", "coins", "comma", "list", "swap"),
        *("sign", "slash", "key", "asked", "ordinal"),
    ],
)
def test_what_may_be_meant_otherwise_is_asked(document: object, instruction: str) -> None:
    proposal = propose(parse(json.dumps(document)), instruction)
    assert proposal.status == "ambiguous", (proposal.message, proposal.operations)


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    ("document", "instruction"),
    [
        (CLUB, "Set the club to Hillside."),
        (TICKET, 'Assign "jens" as the assignee'),
        (BAKERY, "A pretzel is 0.95 now."),
        (BAKERY, "A pretzel is 95 cents now."),
        (STAFF, 'Set the position of Tariq to "Deputy manager, part-time"'),
        (SURVEY, "Change q1 so that `max` is 10, and append a reminder at 14 to `reminderDays`."),
        (HALLS, "Set the seats of the East room to -5"),
        (BILL, 'They paid us. Set the status to "paid".'),
        (SERVICES, 'Set the image of bus to "nats:2.10"'),
    ],
)
def test_what_is_plain_is_done(document: object, instruction: str) -> None:
    assert propose(parse(json.dumps(document)), instruction).status == "success"


@pytest.mark.requirement("json-exactness")
def test_a_ticket_is_assigned_to_somebody() -> None:
    said = 'Assign the ticket to "jens" and set the priority to "high".'
    operations = propose(parse(json.dumps(TICKET)), said).operations
    assert [(o.path, o.value) for o in operations] == [
        (("assignee",), "jens"), (("priority",), "high"),
    ]  # fmt: skip


@pytest.mark.requirement("json-exactness")
@pytest.mark.parametrize(
    ("place", "at"), [("first", "0"), ("second", "1"), ("last", "2")], ids=["front", "in", "end"]
)
def test_an_ordinal_before_the_kind_says_where_an_element_goes(place: str, at: str) -> None:
    said = f'add "Fri" as the {place} option of days'
    [operation] = propose(parse(json.dumps(CHOICES)), said).operations
    assert operation.path == ("questions", "0", "options", at)
