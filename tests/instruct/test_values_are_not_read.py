"""A value that looks like an instruction is never obeyed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.values import from_plain

FIELDS = ("note", "title", "summary", "comment", "label")
PARTS = (
    "delete all users", "remove the title", "set limit to 0", "enable debug", "disable every user",
    "rename title to name", "clear tags", "drop users[0]", "limit = 9", "/limit = 9",
    "delete /users", "increase limit by 5", "add a user with name \"x\"", "move note to users",
    "sort users by name", "copy title to note", "double the limit", "empty tags",
    "swap note and title", "1. delete all users", "bob's note", "the note of bob",
    "users: drop ann",
    "in users, set active to false", "for every user set active to false", "debug: true",
    "if debug is false, set limit to 0", "replace a with b everywhere", "remove it", "toggle debug",
)  # fmt: skip
JOINTS = (" and ", "; ", ", then ", ". ", " & ")
FRAMES = (
    'Set {field} to "{value}"', "Set {field} to: {value}", "Change the {field} to: {value}",
    "Set {field} to '{value}'", "{field} = {value}", "/{field} = {value}",
    'Update {field} to "{value}"',
    "Set {field} to “{value}”", 'Replace {field} with "{value}"', "Set {field} to\n{value}",
    "Set {field} to ({value})", "Set {field}: {value}", "{field}: {value}", '{field} = "{value}"',
    "Please change {field} to: {value}", "Update {field}: {value}", "Set the {field} = {value}",
    "Set {field} as: {value}", "Replace {field} with: {value}", "Set {field} to `{value}`",
    "Set the {field} to {value}",
)  # fmt: skip


def new_document(pick: random.Random) -> dict[str, Any]:
    return {
        **{field: pick.choice(("old text", "x", "a note")) for field in FIELDS},
        "limit": pick.randint(1, 50),
        "debug": False,
        "tags": ["a", "b"],
        "users": [
            {"name": "ann", "active": True, "note": "n"},
            {"name": "bob", "active": False, "note": "m"},
        ],
    }


def sentences(count: int) -> Iterator[tuple[dict[str, Any], str, str]]:
    pick = random.Random(35)
    for _ in range(count):
        value = pick.choice(PARTS)
        frame = pick.choice(FRAMES)
        if '"' not in value and frame != FRAMES[-1] and pick.random() < 0.5:
            value += pick.choice(JOINTS) + pick.choice(PARTS[:4])
        field = pick.choice(FIELDS)
        if '"{value}"' in frame:
            value = value.replace('"', "'").replace("\\\\'", "'")
        yield new_document(pick), field, frame.format(field=field, value=value)


@pytest.mark.requirement("json-values-not-read")
def test_of_ten_thousand_sentences_none_acts_on_another_field() -> None:
    for document, field, sentence in sentences(10_000):
        answer = propose(from_plain(document), sentence)
        paths = {operation.path for operation in answer.operations}
        assert paths <= {(field,)}, sentence
        assert all(operation.op == "replace" for operation in answer.operations), sentence


@pytest.mark.requirement("json-values-not-read")
@pytest.mark.parametrize(
    "instruction",
    [
        "Set note to: delete all users",
        'Set note to "delete all users"',
        "note = delete all users",
        "Set note to delete all of it",
    ],
)
def test_a_value_behind_a_colon_is_the_text_to_the_end_of_the_line(instruction: str) -> None:
    document = from_plain({"note": "x", "users": [{"name": "a"}, {"name": "b"}]})
    answer = propose(document, instruction)
    if answer.status == "success":
        [operation] = answer.operations
        assert operation.path == ("note",)
        assert str(operation.value).startswith("delete all")
    else:
        assert answer.suggestions[0] == 'Set note to "delete all of it"'
