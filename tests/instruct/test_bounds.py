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


JOBS = (
    '{"jobs":{"test":{"steps":[{"name":"Install","run":"a"},{"name":"Test","run":"b"}]},'
    '"ship":{"steps":[{"name":"Install","run":"z"}]}}}'
)
STEP = '{"name": "Lint", "run": "x"}'


def test_what_an_element_is_put_next_to_is_found_in_the_place_named() -> None:
    [operation] = propose(
        parse(JOBS), f"Insert {STEP} after the Install step in the test job"
    ).operations
    assert (operation.op, operation.path) == ("insert", ("jobs", "test", "steps", "1"))
    assert propose(parse(JOBS), f"Insert {STEP} after the Install step").status == "ambiguous"


def test_an_element_to_put_it_next_to_that_is_not_there_is_not_passed_over() -> None:
    unknown = propose(parse(JOBS), f"Add {STEP} after the Zorb thing in the test job")
    assert unknown.status == "ambiguous"


def test_a_pointer_may_hold_braces_and_keys_go_to_the_top_level() -> None:
    document = parse('{"paths":{"/c/{id}":{"get":{"summary":"x"}}}}')
    [operation] = propose(document, '/paths/~1c~1{id}/get/summary = "Get"').operations
    assert operation.path == ("paths", "/c/{id}", "get", "summary")
    [operation] = propose(document, 'Add "type": "module" at the top level').operations
    assert (operation.op, operation.path) == ("add", ("type",))


def test_an_ordinal_is_not_looked_for_among_the_values() -> None:
    assert propose(parse(TASKS), "Set done to true for the first task").status == "ambiguous"
