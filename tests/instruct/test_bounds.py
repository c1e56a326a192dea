"""Where a value ends and what a noun names: readings that would change too much or too little."""

from __future__ import annotations

import pytest

from redline.instruct.engine import propose
from redline.instruct.values import parse

PEOPLE = '{"lead":{"staff":[{"name":"Ann","title":"SRE Lead"},{"name":"Bo","title":"Dev"}]}}'
CARS = '{"cars":[{"color":"red"},{"color":"blue"}]}'
TASKS = '[{"task":"Buy","done":false},{"task":"Call","done":true}]'


@pytest.mark.parametrize(
    ("document", "instruction", "path", "value"),
    [
        (PEOPLE, "Set Ann's title to Head of SRE", ("lead", "staff", "0", "title"), "Head of SRE"),
        (CARS, "Set the color to green of the second car", ("cars", "1", "color"), "green"),
    ],
)  # fmt: skip
def test_of_belongs_to_the_value_unless_the_place_needs_it(
    document: str, instruction: str, path: tuple[str, ...], value: str
) -> None:
    [operation] = propose(parse(document), instruction).operations
    assert operation.path == path
    assert operation.value == value


@pytest.mark.parametrize("words", ["all tasks that are done", "tasks where done is true"])
def test_a_plural_that_may_be_the_records_or_a_field_is_not_removed(words: str) -> None:
    proposal = propose(parse(TASKS), f"Remove {words}")
    assert proposal.status == "ambiguous"
    assert "records" in proposal.message
    assert [o.path for o in propose(parse(TASKS), "Remove the done tasks").operations] == [("1",)]
