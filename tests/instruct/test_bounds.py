"""Where a value ends and what a noun names: readings that would change too much or too little."""

from __future__ import annotations

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.values import parse

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
def test_a_plural_of_the_field_that_names_records_means_the_records(words: str) -> None:
    proposal = propose(parse(TASKS), f"Remove {words}")
    assert [o.path for o in proposal.operations] == [("1",)]
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


def test_an_ordinal_counts_records_also_by_the_field_that_names_them() -> None:
    [operation] = propose(parse(TASKS), "Set done to true for the first task").operations
    assert operation.path == ("0", "done")


STAFF = (
    '{"staff":[{"name":"Ann","title":"Sales Lead","dept":"Ops"},'
    '{"name":"Bo","title":"Rep","dept":"Sales"},{"name":"Cy","title":"Rep","dept":"Sales"}]}'
)


@pytest.mark.requirement("json-readings")
def test_a_whole_value_beats_a_part_of_a_name() -> None:
    operations = propose(parse(STAFF), "Set the title of the Sales staff to Agent").operations
    assert [o.path for o in operations] == [("staff", "1", "title"), ("staff", "2", "title")]
    removed = propose(parse(STAFF), "Remove the Sales Lead")
    assert [o.path for o in removed.operations] == [("staff", "0")]
    assert propose(parse(STAFF), "Remove the Lead").status == "ambiguous"


@pytest.mark.requirement("json-readings")
def test_a_scope_narrows_a_path_too() -> None:
    assert propose(parse(STAFF), "Set staff[0].title to Boss for Bo").status == "ambiguous"
    [operation] = propose(parse(STAFF), "Set staff[1].title to Boss for Bo").operations
    assert operation.path == ("staff", "1", "title")


@pytest.mark.requirement("json-readings")
@pytest.mark.parametrize(
    ("instruction", "target"),
    [("Rename a.b to a.c", ("a", "c")), ("Rename a.b to c", ("a", "c"))],
)
def test_a_rename_to_a_dotted_path_renames_the_last_part(
    instruction: str, target: tuple[str, ...]
) -> None:
    document = parse('{"a":{"b":1},"x":2}')
    [operation] = propose(document, instruction).operations
    assert (operation.op, operation.new_path) == ("rename", target)
    assert propose(document, "Rename a.b to x.c").status == "ambiguous"
