"""The language: its forms, its exact statements, and what it refuses."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from redline.core.call_scope import CallScope
from redline.core.errors import Cancelled
from redline.instruct.engine import Proposal, propose
from redline.instruct.kinds import KINDS
from redline.instruct.model.operations import apply_operations, pointer
from redline.instruct.model.values import dumps, from_plain, parse
from scripts.forms_page import EXACT, REFUSED, SAMPLE

DOCUMENT = parse(SAMPLE)
EXAMPLES = [text for kind in KINDS for text in kind.examples]


def after(document: Any, instruction: str) -> Any:
    answer = propose(parse(json.dumps(document)), instruction)
    assert answer.status == "success", (instruction, answer)
    return json.loads(dumps(apply_operations(parse(json.dumps(document)), answer.operations)))


def read(instruction: str) -> Proposal:
    return propose(DOCUMENT, instruction)


@pytest.mark.requirement("json-forms")
@pytest.mark.parametrize("instruction", [*EXACT, *EXAMPLES])
def test_every_example_of_the_page_works(instruction: str) -> None:
    answer = read(instruction)
    assert answer.status == "success", answer.message
    assert all(operation.confidence == 1 for operation in answer.operations)


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize("instruction", REFUSED)
def test_what_the_page_says_is_refused(instruction: str) -> None:
    assert read(instruction).status == "ambiguous"


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize("instruction", EXAMPLES)
def test_a_word_that_no_form_accounts_for_changes_nothing(instruction: str) -> None:
    for sentence in (f"{instruction} florbily", f"Florbily {instruction}"):
        answer = read(sentence)
        plain = read(instruction)
        is_value = any("florbily" in dumps(o.value) for o in answer.operations if o.op != "remove")
        assert answer.operations != plain.operations
        assert answer.status == "ambiguous" or is_value, sentence


@pytest.mark.requirement("json-every-word")
def test_a_reason_that_names_nothing_is_left_out_and_said() -> None:
    answer = read("Set server.port to 9090 because marketing insists")
    assert answer.message == "Found 1 change to apply; left out: because marketing insists"
    assert read("Set server.port to 9090 because the owner left").status == "ambiguous"


@pytest.mark.requirement("json-readings")
def test_a_scope_and_a_filter_narrow() -> None:
    document = {"a": {"n": 1, "k": [{"id": 1, "n": 2}, {"id": 2, "n": 3}]}, "b": {"n": 4}}
    assert after(document, "Set n to 9 for all k where id > 1")["a"]["k"][1]["n"] == 9
    assert after(document, "In b, set n to 9.")["b"] == {"n": 9}
    assert propose(from_plain(document), "Set n to 9").status == "ambiguous"


@pytest.mark.requirement("json-readings")
def test_what_must_stay_is_checked() -> None:
    assert read("Set server.port to 1; do not change cache").status == "success"
    assert read("Set server.port to 1; do not change server").status == "ambiguous"


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("a.c = 5", {"a": {"b": 1, "c": 5}, "l": [1]}),
        ("/a/c = 5", {"a": {"b": 1, "c": 5}, "l": [1]}),
        ("l[+] = 2", {"a": {"b": 1}, "l": [1, 2]}),
        ("/l/- = 2", {"a": {"b": 1}, "l": [1, 2]}),
        ("a.b += 2", {"a": {"b": 3}, "l": [1]}),
        ("/a/b -> /a/c", {"a": {"c": 1}, "l": [1]}),
        ("delete a.b", {"a": {}, "l": [1]}),
        ("move a.b to /b", {"a": {}, "l": [1], "b": 1}),
        ("copy a.b to /b", {"a": {"b": 1}, "l": [1], "b": 1}),
        ("l[*] = 7", {"a": {"b": 1}, "l": [7]}),
        ("$.a.c = 5", {"a": {"b": 1, "c": 5}, "l": [1]}),
        ('$["a"]["x.y"] = 5', {"a": {"b": 1, "x.y": 5}, "l": [1]}),
        ("a.b *= 2; delete l[0]", {"a": {"b": 2}, "l": []}),
        ('{"a": {"b": null, "c": [1]}}', {"a": {"c": [1]}, "l": [1]}),
    ],
)
def test_an_exact_form_does_what_it_says(instruction: str, expected: Any) -> None:
    assert after({"a": {"b": 1}, "l": [1]}, instruction) == expected


@pytest.mark.requirement("json-forms")
def test_an_arrow_renames_and_never_sets_a_bare_word() -> None:
    document = {"short_name": "x", "icons": [{"name": "i"}], "a": {"mode": "m"}}
    assert after(document, "short_name -> name") == {
        "name": "x", "icons": [{"name": "i"}], "a": {"mode": "m"},
    }  # fmt: skip
    for instruction in ("mode -> fast", "In a, mode -> fast", "short_name -> icons"):
        assert propose(from_plain(document), instruction).status == "ambiguous"


@pytest.mark.requirement("json-suggestions-work")
def test_a_set_of_a_missing_key_is_refused_with_the_form_that_creates_it() -> None:
    answer = read("Set cache.ttl to 5")
    assert answer.status == "ambiguous"
    assert answer.suggestions == ("/cache/ttl = 5",)
    assert "/cache/ttl = 5" in answer.message


QUEUES = {
    "queues": [
        {"name": "mail", "max": 10, "durable": True, "published": False, "ttl": 5},
        {"name": "jobs", "max": 20, "durable": False, "published": False, "ttl": 6},
    ]
}


@pytest.mark.requirement("json-forms")
@pytest.mark.parametrize(
    "instruction",
    [
        'Modify the queue named "jobs" so that max is 5 and durable is true',
        "Set the queue jobs to max 5 and durable true",
        "Give the queue jobs the following values: max 5, durable true",
        "Only for the queue jobs: max -> 5, durable -> true",
        "The queue jobs must have max 5, durable = true",
    ],
)
def test_several_fields_of_one_record_are_set(instruction: str) -> None:
    jobs = {"name": "jobs", "max": 5, "durable": True, "published": False, "ttl": 6}
    assert after(QUEUES, instruction)["queues"][1] == jobs


SQUAD = {
    "players": [
        {"name": "Ann", "points": 4, "captain": False, "groups": ["ops", "eu"]},
        {"name": "Bob", "points": 2, "captain": True, "groups": ["eu"]},
    ],
    "match_rounds": [{"id": "d1", "home": True}, {"id": "d2", "home": False}],
    "feed": {"limit": 10},
}


@pytest.mark.requirement("json-forms")
@pytest.mark.parametrize(
    ("instruction", "path", "expected"),
    [
        ("Set captain to true for Ann and to false for Bob", ("players", 0, "captain"), True),
        ("Set points of Ann to 7 and of Bob to 8", ("players", 1, "points"), 8),
        ("Set points to 9 everywhere", ("players", 1, "points"), 9),
        ("Change points from 2 to 3 wherever it occurs", ("players", 1, "points"), 3),
        ("Give Ann the same points as Bob", ("players", 0, "points"), 2),
        ("Deduct 3 points from Ann", ("players", 0, "points"), 1),
        ("Add 2 points to every player", ("players", 1, "points"), 4),
        ('Merge {"limit": 50, "auto": true} into feed', ("feed",), {"limit": 50, "auto": True}),
        ('Remove "ops" from the groups of every player that has it',
         ("players", 0, "groups"), ["eu"]),
        ('Add "ops" to the groups of every player that does not have it',
         ("players", 1, "groups"), ["eu", "ops"]),
        ('Set home to false for the round with id "d1"', ("match_rounds", 0, "home"), False),
        ("Set points to 5 for every player record where captain is true",
         ("players", 1, "points"), 5),
        ("Set the points of Ann to 5; the points of Bob are not to be changed",
         ("players", 0, "points"), 5),
    ],
)  # fmt: skip
def test_wordings_of_agents_are_carried_out(instruction: str, path: Any, expected: Any) -> None:
    held = after(SQUAD, instruction)
    for part in path:
        held = held[part]
    assert held == expected


STORE = {
    "timeout": 9,
    "jobs": {"lint": {"port": 1, "tls": False}, "test": {"tls": False}},
    "lines": [{"sku": "P-1"}],
    "team": [
        {"sku": "P-1", "role": "dev", "age": 30, "boss": "Cy", "tags": ["x"]},
        {"sku": "P-2", "role": "lead", "age": 40, "boss": None, "tags": ["x", "y"]},
        {"sku": "P-3", "role": "dev", "age": 50, "tags": []},
    ],
}


@pytest.mark.requirement("json-forms")
@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Set age to 1 where role is lead", ["/team/1/age"]),
        ("If timeout > 5 set timeout to 4", ["/timeout"]),
        ("Set age to 1 where boss is null", ["/team/1/age"]),
        ("Set age to 1 for every team member with age above 35", ["/team/1/age", "/team/2/age"]),
        ("Remove age and role from every team member",
         [f"/team/{n}/{key}" for key in ("age", "role") for n in range(3)]),
        ("Enable tls for every job with a port", ["/jobs/lint/tls"]),
        ('Enable tls for all jobs whose key starts with "li"', ["/jobs/lint/tls"]),
        ("Enable tls for every job that has one", ["/jobs/lint/tls", "/jobs/test/tls"]),
        ("Remove port from every job that has one", ["/jobs/lint/port"]),
        ("Remove every team member without tags", ["/team/2"]),
        ("Decrease the age of P-1 by 1", ["/team/0/age"]),
        ('Add "n" before "y" to team[1].tags', ["/team/1/tags/1"]),
        ('Replace "dev" with "ops" everywhere', ["/team/0/role", "/team/2/role"]),
        ("Set the age of every team member that is not lead to 1", ["/team/0/age", "/team/2/age"]),
        ("Double the age of team members with an age of at least 40",
         ["/team/1/age", "/team/2/age"]),
        ("Reverse the team members", ["/team"]),
        ("delete $.team[?@.age > 35]", ["/team/1", "/team/2"]),
        ("Set team[*].age to 1", ["/team/0/age", "/team/1/age", "/team/2/age"]),
        ("Set age to 1 for P-2 and 2 for P-3", ["/team/1/age", "/team/2/age"]),
        ("Move P-3 to the top of team", ["/team/2"]),
        ('Add a team member with sku "P-4" and boss Cy before P-2', ["/team/1"]),
    ],
)  # fmt: skip
def test_scopes_and_filters_choose_the_places(instruction: str, expected: list[str]) -> None:
    answer = propose(from_plain(STORE), instruction)
    assert answer.status == "success", answer
    assert [pointer(operation.path) for operation in answer.operations] == expected


SHOP = {
    "version": "1.4.0",
    "packages": {"left": "^1.0.0", "right": "^2.0.0"},
    "api": {"url": "https://shop.example/v1", "retry": {"max": 3}},
    "orders": [
        {"id": "o-1", "state": "open", "total": 20, "owner": {"name": "Ann"}, "due": None,
         "paid": False, "lines": ["a", "b"]},
        {"id": "o-2", "state": "sent", "total": 90, "owner": {"name": "Bob"}, "due": "2024-01-02",
         "paid": True, "lines": ["b"]},
        {"id": "o-3", "state": "open", "total": 50, "owner": {"name": "Ann"}, "due": None,
         "paid": True, "lines": []},
    ],
}  # fmt: skip


@pytest.mark.requirement("json-forms")
@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        # what goes together in one sentence
        ('Remove left from packages and "b" from the lines of o-1',
         ["/packages/left", "/orders/0/lines/1"]),
        ("For every order where total is 20, set total to 1; also set api.retry.max to 4",
         ["/orders/0/total", "/api/retry/max"]),
        ("Set total to 1 for all orders with state sent and ensure paid is false on those orders",
         ["/orders/1/total", "/orders/1/paid"]),
        ("Delete all orders with state sent and set paid to true for all remaining orders",
         ["/orders/1", "/orders/0/paid"]),
        ("Sort orders by total and set paid to false for every order", ["/orders"]),
        ("Raise the total of o-1 to 30 and lower it to 10 for the order o-2",
         ["/orders/0/total", "/orders/1/total"]),
        # filters
        ('Set total to 1 for all orders whose due date is "2024-01-02"', ["/orders/1/total"]),
        ("Set total to 1 for all unpaid orders", ["/orders/0/total"]),
        ("Set total to 1 for every order whose owner is Bob", ["/orders/1/total"]),
        ("Set total to 1 for every order whose owner name is Bob", ["/orders/1/total"]),
        ("Set total to 1 for the order with the lowest total", ["/orders/0/total"]),
        ('Set total to 1 for every order that has "b" in its lines',
         ["/orders/0/total", "/orders/1/total"]),
        ("Increase the total of orders with total greater than 20 by 5 percent",
         ["/orders/1/total", "/orders/2/total"]),
        ("Remove every entry whose value is ^1.0.0 from packages", ["/packages/left"]),
        ("Reassign all orders whose state is open to sent", ["/orders/0/state", "/orders/2/state"]),
        # a part of a text, and what is said of a new key
        ("Change api.url from /v1 to /v2", ["/api/url"]),
        ("Change the id o-2 to o-9", ["/orders/1/id"]),
        ('Add middle "^3.0.0" to packages', ["/packages/middle"]),
        ('Add a package middle with value "^3.0.0" to packages', ["/packages/middle"]),
        ('Add "refund" with total 3 and at "noon" to every order',
         ["/orders/0/refund", "/orders/1/refund", "/orders/2/refund"]),
        ("Move api.retry to a new top-level object limits", ["/limits", "/api/retry"]),
        # owners in a list, and several fields of one place
        ("Set o-1's and o-3's total to 5", ["/orders/0/total", "/orders/2/total"]),
        ("Remove url and retry of api", ["/api/url", "/api/retry"]),
        ("Remove state and total from o-1 and o-3",
         [f"/orders/{n}/{key}" for key in ("state", "total") for n in (0, 2)]),
        ("Set paid to true for the first two orders", ["/orders/0/paid"]),
        ("Make o-2 unpaid", ["/orders/1/paid"]),
        ("Set the total of o-1, o-2 and o-3 to 1, 2 and 3 respectively",
         ["/orders/0/total", "/orders/1/total", "/orders/2/total"]),
        # values that stand elsewhere
        ("Set o-1's total to o-2's total", ["/orders/0/total"]),
        ("Set api.retry.max to orders[0].total", ["/api/retry/max"]),
        # conditions about several
        ("If any order has total 90, set version to 2", ["/version"]),
        ("Set total to 1 for orders with lines b", ["/orders/0/total", "/orders/1/total"]),
        ("Remove orders that have empty lines", ["/orders/2"]),
        # new keys
        ("Add a limit of 5 to api", ["/api/limit"]),
        # what is said of keys and in which
        ("Set state to 1 for every order in which it is sent", ["/orders/1/state"]),
        ("Remove due from every order in which it is null", ["/orders/0/due", "/orders/2/due"]),
        ('Ensure the lines of o-3 contain "c"', ["/orders/2/lines/0"]),
        ('The lines of o-1 must contain "a" and "c"', ["/orders/0/lines/2"]),
        ('Replace the whole owner object of o-1 with {"name": "Cy"}', ["/orders/0/owner"]),
        ('Rename version to release and set its value to "2"', ["/version", "/version"]),
        ('Set version to the literal string "null"', ["/version"]),
        # exceptions and records behind
        ("Set total to 1 for every order except o-2", ["/orders/0/total", "/orders/2/total"]),
        ("Set the total of all orders to 1 except o-2", ["/orders/0/total", "/orders/2/total"]),
        ("Set total to 1 for orders", [f"/orders/{n}/total" for n in range(3)]),
        ('Set o-1\'s name in owner to "Cy"', ["/orders/0/owner/name"]),
        ('Add a proxy with host "x" and port 3 to api.retry', ["/api/retry/proxy"]),
        # several new keys, and a new object
        ('Add "x": 1 and "y": 2 to api.retry', ["/api/retry/x", "/api/retry/y"]),
        ('Add a new top-level object "cache" with the keys "ttl": 1 and "on": true', ["/cache"]),
        ("Set api.retry.min to 1 (new key)", ["/api/retry/min"]),
        # a remark in brackets that says the same once more
        ("Set the total of all orders with state open to 5 (o-1 and o-3)",
         ["/orders/0/total", "/orders/2/total"]),
        ("Set paid to true for o-1 (orders[0].paid = true)", ["/orders/0/paid"]),
        # places in lists
        ("Remove the last order in the list", ["/orders/2"]),
        ("Swap the first and the last order", ["/orders/0", "/orders/2"]),
        ('In the lines of o-1, add "c" at the end and insert "z" at the beginning',
         ["/orders/0/lines/2", "/orders/0/lines/0"]),
        ('Add {"id": "o-0"} at the end of orders and set the total of o-1 to 5',
         ["/orders/3", "/orders/0/total"]),
        ("Move o-3 so that it comes before o-2", ["/orders/2"]),
        ('Remove the line "b" from all orders that have it',
         ["/orders/0/lines/1", "/orders/1/lines/0"]),
        # the owner behind the last clause belongs to it alone
        ('Increase the total of all unpaid orders by 1 and add "c" to the lines of o-2 and o-3',
         ["/orders/0/total", "/orders/1/lines/1", "/orders/2/lines/0"]),
        ('Change every "state": "open" to "sent"', ["/orders/0/state", "/orders/2/state"]),
        ('Mark o-1 as "sent" and add a note with the value "x" to it',
         ["/orders/0/state", "/orders/0/note"]),
        ("Remove all orders marked as paid", ["/orders/1", "/orders/2"]),
        ('For every order with total 90, in all orders, add "c" to lines', ["/orders/1/lines/1"]),
        ('Set retry to {"max": 1} for packages, adding it if missing', ["/packages/retry"]),
        ("Move o-3 to the beginning of the list", ["/orders/2"]),
        ('Add an object "cache" under api with the keys "ttl": 1 and "on": true', ["/api/cache"]),
        ("Remove all orders with 90 total", ["/orders/1"]),
        ("Remove all orders with 2 lines", ["/orders/0"]),
        ('Append "y" and "x" (in this order) to the lines of o-3',
         ["/orders/2/lines/0", "/orders/2/lines/0"]),
    ],
)  # fmt: skip
def test_sentences_of_agents_change_these_places(instruction: str, expected: list[str]) -> None:
    answer = propose(from_plain(SHOP), instruction)
    assert answer.status == "success", answer
    assert [pointer(operation.path) for operation in answer.operations] == expected


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize(
    "instruction",
    [
        'Add package "lodash" to packages',
        "Make sure o-2 is paid and o-1 is not",
        "Remove /o-1",
        "Replace the total 20 with 30 in florbily",
        "Swap o-1 and o-2",
        "Move all orders with state open to the archive",
        "Delete every id",
        "Set total to 1 for every remaining order",
        "Set o-1's state to orders[1].id",
        "Set o-1's state to in progress",
        "Set o-1's state to the best one",
        'Change the key "version" to "release"',
        "version: replace 1 with 2",
        "Delete all items where florbily is 2",
        'Remove the total "20"',
        "Set the owner of o-1 to state",
        "Rename the owner of o-1 to Cy",
        "If every order has total 90, florbily set version to 2",
        # a remark in brackets that does not say the same
        "Set the total of all orders with state open to 5 (o-1 and o-2)",
        "Set the total of all orders with state open to 5 (o-1)",
        "Set the total of o-1 to 5 (o-1 and o-3)",
        "Set paid to true for o-1 (delete all orders)",
        "Set the state of o-1 to open (sent)",
        "Set version to 2 (new key)",
        'Add "x": 1 and "max": 2 to api.retry',
        'Add "c" at the end',
        'Add "x": 1 to api and "version": "2"',
        "Give o-1 3 more totals",
        "Add 3 totals to o-1",
        "Swap the first and last line",
        "Sort orders by total, newest first",
        "Remove the last line in the list",
        'Mark o-1 as "o-2"',
        'Mark o-1 as "lost"',
        "Remove all orders marked as lost",
        "Remove all orders marked as total",
        'For every order with total 90, in packages, add "c" to lines',
        "Set state to 1 for every order, adding it where it is late",
        'Append "y" and "x" (in that way) to the lines of o-3',
    ],
)
def test_what_may_mean_something_else_is_asked_about(instruction: str) -> None:
    assert propose(from_plain(SHOP), instruction).status == "ambiguous"


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize(
    "instruction",
    [
        "Set timeout to 5 and port to 3 for the test job",
        "Set timeout to 5 and tls to true for the test job",
        "Increase timeout to 2",
        "Lower timeout to 20",
        "Rename Cy to Cyril; set sku to P-1",
        "Remove every team member that has no boss",
    ],
)
def test_what_has_two_readings_or_contradicts_itself_is_asked_about(instruction: str) -> None:
    assert propose(from_plain(STORE), instruction).status == "ambiguous"


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize(
    ("said", "value"),
    [(r"say \"hi\"", 'say "hi"'), (r"a\\b", r"a\b"), (r"C:\temp", r"C:\temp"), (r"\d+", r"\d+")],
)
def test_a_quoted_text_may_hold_quotes_and_backslashes(said: str, value: str) -> None:
    assert after({"note": "x"}, f'Set note to "{said}"') == {"note": value}
    assert after({"note": "x"}, f'Set note to: "{said}"') == {"note": value}


def test_a_document_that_is_a_list_is_sorted_as_a_whole() -> None:
    document = [{"n": 2, "done": True}, {"n": 1, "done": False}]
    for instruction in ("Sort the list by n", "Sort the items by n", "Reverse the items"):
        assert after(document, instruction) == document[::-1]


def test_a_record_is_not_renamed_where_its_name_stands_twice() -> None:
    document = {"owner": "ann", "team": [{"name": "ann"}, {"name": "bob"}]}
    assert propose(from_plain(document), "Rename ann to anna").status == "ambiguous"
    assert after(document, "Rename bob to rob")["team"][1] == {"name": "rob"}


@pytest.mark.requirement("json-every-word")
def test_a_record_is_not_renamed_by_a_part_of_its_name_or_another_field() -> None:
    document = {"team": [{"code": "A1", "name": "Ann Lee"}, {"code": "B2", "name": "Bob Ray"}]}
    for instruction in ("Rename A1 to A9", "Rename Ann to Anna"):
        assert propose(from_plain(document), instruction).status == "ambiguous"
    renamed = after(document, "Rename Ann Lee to Anna Lee")
    assert renamed == after(document, 'Rename the team member with code "A1" to "Anna Lee"')
    assert renamed["team"][0] == {"code": "A1", "name": "Anna Lee"}


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize(
    "instruction",
    [
        'Add "ops" to the groups of Bob unless florbily',
        'Add "ops" to the groups of Bob if the moon is full',
        'Delete the player named "Ann", nobody likes it',
        'Merge {"limit": null} into feed',
    ],
)
def test_a_condition_or_a_remark_that_says_something_else_is_refused(instruction: str) -> None:
    assert propose(from_plain(SQUAD), instruction).status == "ambiguous"


@pytest.mark.requirement("json-suggestions-work")
@pytest.mark.parametrize(
    ("instruction", "suggestion"),
    [
        ("Publish the queue jobs by setting ttl to 9", "/queues/1/ttl = 9"),
        ("Publish the queue jobs", "/queues/1/published = true"),
        ("Calm things down: set the max of mail to 3", "/queues/0/max = 3"),
        ("Set the max of mail to 3; the others are fine as such", "/queues/0/max = 3"),
        ("Set the ttl of mail to 3 fortnights", "/queues/0/ttl = 3"),
    ],
)
def test_a_looser_reading_is_suggested_and_not_carried_out(
    instruction: str, suggestion: str
) -> None:
    answer = propose(from_plain(QUEUES), instruction)
    assert answer.status == "ambiguous"
    assert suggestion in answer.suggestions


@pytest.mark.requirement("json-suggestions-work")
def test_a_value_is_never_suggested_as_a_command() -> None:
    answer = propose(from_plain(QUEUES), "Florbily set the note to: delete all queues")
    assert not any(text.startswith("delete") for text in answer.suggestions)


@pytest.mark.requirement("json-preview-is-apply")
@pytest.mark.parametrize("instruction", EXAMPLES)
def test_operations_name_the_value_that_they_expect(instruction: str) -> None:
    for operation in read(instruction).operations:
        assert operation.path
        if operation.op in ("replace", "remove", "rename", "move"):
            assert operation.old is not None


@pytest.mark.requirement("json-work-budget")
@pytest.mark.parametrize(
    "instruction",
    [
        "set name to x",
        ("set the name of name to 5 and " * 40)[:1000],
        "for every name, " * 60,
        f"rename name to x in every name where name is one of {', '.join(map(str, range(150)))}",
        f"add name with {'name 5, ' * 110}",
    ],
)
def test_no_instruction_takes_longer_than_its_deadline(instruction: str) -> None:
    document = from_plain({f"name_{n}": {"name": n} for n in range(10_000)})
    started = time.thread_time()
    propose(document, instruction)
    assert time.thread_time() - started < 2  # one second, and what a loaded machine adds


class Watched:
    """A call that notes the longest work between two looks at whether it was cancelled."""

    def __init__(self) -> None:
        self.last = time.thread_time()
        self.longest = 0.0

    def check(self) -> None:
        """Note what was worked since the last look."""
        now = time.thread_time()
        self.longest, self.last = max(self.longest, now - self.last), now

    def on_cancel(self, action: Any) -> None:
        """Drop *action*."""


@pytest.mark.requirement("json-work-budget")
@pytest.mark.parametrize(
    "instruction",
    [
        f"rename name to x in every name where name is one of {', '.join(map(str, range(150)))}",
        f"add name with {'name 5, ' * 110}",
        "Set name to 5 for every name_3",
    ],
)
def test_a_call_looks_often_whether_it_was_cancelled(instruction: str) -> None:
    document = from_plain({f"name_{n}": {"name": n} for n in range(10_000)})
    watched = Watched()
    with CallScope(watched):
        propose(document, instruction)
    watched.check()
    assert watched.longest < 0.5  # a tenth of a second, and what a loaded machine adds


class GivenUp:
    """A call that its client no longer waits for."""

    def check(self) -> None:
        raise Cancelled("Cancelled")

    def on_cancel(self, action: Any) -> None:
        """Drop *action*."""


@pytest.mark.requirement("json-work-budget")
def test_a_cancelled_instruction_ends_before_it_is_read() -> None:
    document = from_plain({f"name_{n}": {"name": n} for n in range(10_000)})
    with CallScope(GivenUp()), pytest.raises(Cancelled):
        propose(document, "set name to x")


@pytest.mark.requirement("json-forms")
def test_a_key_in_front_of_an_address_is_the_operation_there() -> None:
    post = {"id": "b", "responses": {"201": {"description": "Made"}}}
    dogs = {"post": {"id": "c", "responses": {}}}
    document = {"paths": {"/pets": {"get": {"id": "a"}, "post": post}, "/dogs": dogs}}
    made = after(document, 'Add a 400 response with description "No" to the POST /pets operation')
    assert made["paths"]["/pets"]["post"]["responses"]["400"] == {"description": "No"}
    for other in ("PUT /pets", "POST /cats", "the POST /pets florb"):
        assert propose(from_plain(document), f'Set the id of {other} to "x"').status == "ambiguous"


@pytest.mark.requirement("json-forms")
def test_the_locales_are_the_objects_under_the_tags_of_languages() -> None:
    document = {"en": {"hi": "Hi"}, "fr": {"hi": "Salut"}, "de": {"hi": "Hallo"}}
    assert after(document, 'Set hi of the "fr" locale to "x"')["fr"] == {"hi": "x"}
    renamed = after(document, 'Rename the key "hi" to "hey" in all three locales (en, fr, de)')
    assert all(list(held) == ["hey"] for held in renamed.values())
    for wrong in ("in all two locales", "in all three locales (en, fr)"):
        answer = propose(from_plain(document), f'Rename the key "hi" to "hey" {wrong}')
        assert answer.status == "ambiguous", wrong


@pytest.mark.requirement("json-every-word")
@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_number_before_a_key_is_its_value_and_no_place_in_a_list(count: int) -> None:
    document = {"hooks": [{"id": f"h{n}", "retries": n + 5} for n in range(3)]}
    answer = propose(from_plain(document), f"Remove all hooks with {count} retries")
    assert not answer.operations
    kept = after(document, f"Remove all hooks with {count + 5} retries")["hooks"]
    assert kept == [hook for hook in document["hooks"] if hook["retries"] != count + 5]
