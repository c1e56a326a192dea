"""Bare words behind a value are not swallowed by it."""

from __future__ import annotations

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.values import parse

DOCUMENT = parse(
    '{"city": "Graz", "level": "info", "title": "Old Days", "tags": ["x"], '
    '"items": [{"name": "A", "state": "new"}, {"name": "B", "state": "new"}]}'
)
TAILS = [
    "again",
    "until Friday",
    "starting tomorrow",
    "temporarily",
    "only",
    "when ready",
    "as of today",
    "once done",
    "unless it breaks",
    "in case of failure",
    "on Monday",
    "by tomorrow",
    "for Bob",
    "in Spain",
    "like before",
    "as discussed",
    "per the ticket",
    "(see ticket)",
    "not Wien",
    "except on Sundays",
    "with a capital L",
    "in uppercase",
    "exactly",
    "next week",
    "for both items",
    "by default",
    "as text",
]


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize("tail", TAILS)
def test_what_follows_a_value_is_not_part_of_it(tail: str) -> None:
    proposal = propose(DOCUMENT, f"Set the city to Linz {tail}")
    assert proposal.status == "ambiguous", proposal.operations


@pytest.mark.parametrize(
    "instruction",
    [
        "Set the city to the value Linz",
        "Set level to the highest",
        "Set level to back to debug",
    ],
)
def test_words_that_speak_of_the_value_are_not_the_value(instruction: str) -> None:
    assert propose(DOCUMENT, instruction).status == "ambiguous"


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        ("Set the city to New York", "New York"),
        ("City should be called Linz", "Linz"),
        ("Set the title to The Lord of the Rings", "The Lord of the Rings"),
        ('Set the city to "Linz in Spain"', "Linz in Spain"),
        ("Set the level to debug because it broke", "debug"),
        ("Set the city to Linz without changing anything else", "Linz"),
        ("Set the city to Linz, and don't touch the level", "Linz"),
    ],
)
def test_texts_of_several_words_still_work(instruction: str, value: str) -> None:
    proposal = propose(DOCUMENT, instruction)
    assert [operation.value for operation in proposal.operations] == [value]


def test_what_must_not_be_touched_stops_a_change_of_it() -> None:
    assert propose(DOCUMENT, "Set the city to Linz but don't touch the city").status == "ambiguous"
    assert propose(DOCUMENT, "Don't touch the city").status == "ambiguous"


@pytest.mark.requirement("json-candidates")
def test_where_a_text_ends_is_the_callers_choice() -> None:
    proposal = propose(DOCUMENT, "Set the city to Linz until Friday")
    assert [(c.operations[0].value, c.unexplained) for c in proposal.candidates] == [
        ("Linz until Friday", ()),
        ("Linz", ("until", "Friday")),
    ]
