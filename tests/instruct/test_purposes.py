"""Instructions that say why before how, with nouns, pronouns and verbs that add nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse

HOTEL: Any = {
    "checkout": "11:00",
    "rooms": [
        {"number": 101, "status": "clean", "guest": None, "tags": ["quiet"]},
        {"number": 102, "status": "taken", "guest": "P. Laurent", "tags": ["balcony"]},
    ],
    "broker": {"tls": False, "port": 1883},
    "restart": "always",
    "leisure": 210,
    "retry": 3,
    "refresh": "30s",
    "motd": "Open for 14 days.",
    "axes": [0, 90, 45],
    "paths": {"/bills/{id}": {"get": {"summary": "Bill", "retired": False}}},
    "archived": False,
}


def _after(instruction: str) -> Any:
    """Return the document after the instruction; None where it is asked about."""
    held = parse(json.dumps(HOTEL))
    proposal = propose(held, instruction)
    assert proposal.status != "no_changes", proposal.message
    if proposal.status == "ambiguous":
        return None
    return json.loads(dumps(apply_operations(held, proposal.operations)))


def _with(path: str, value: Any) -> Any:
    """Return the document with other values at paths such as `rooms.1.guest`."""
    changed = json.loads(json.dumps(HOTEL))
    for each, new in zip(path.split(), value if " " in path else [value], strict=True):
        *steps, last = each.split(".")
        holder = changed
        for step in steps:
            holder = holder[int(step)] if isinstance(holder, list) else holder[step]
        holder[int(last) if isinstance(holder, list) else last] = new
    return changed


@pytest.mark.requirement("json-exactness")
@pytest.mark.parametrize(
    ("instruction", "path", "value"),
    [
        # a purpose and how it is reached
        ('Check out the guest in room 102: set `guest` to null and `status` to "dirty".',
         "rooms.1.guest rooms.1.status", [None, "dirty"]),
        ("Secure the broker connection: set `tls` to true and `port` to 8883.",
         "broker.tls broker.port", [True, 8883]),
        ("Archive the booking system: set archived to true.", "archived", True),
        ('Set `leisure` to 5 and turn off `restart` by setting it to "no".',
         "leisure restart", [5, "no"]),
        ("Since we moved to Mosquitto, set broker.port to 1884.", "broker.port", 1884),
        # verbs of degree
        ('Raise the status of room 101 to "high".', "rooms.0.status", "high"),
        ("Increase `leisure` from 210 to 250.", "leisure", 250),
        ("Cap the leisure at 100.", "leisure", 100),
        # nouns that only say what is named
        ("Lower the `leisure` budget to 200.", "leisure", 200),
        ('Change the restart policy to "never".', "restart", "never"),
        ('Set the refresh interval to "1m".', "refresh", "1m"),
        ('Set the summary of the GET /bills/{id} operation to "One bill".',
         "paths./bills/{id}.get.summary", "One bill"),
        # what was spoken of
        ('Set the status of room 101 and room 102 to "dirty" and clear their guest.', "", None),
        # places by number, texts in texts, the one list of a record
        ("Change the third value of `axes` from 45 to 30.", "axes.2", 30),
        ('Replace the "balcony" in room 102 with "terrace".', "rooms.1.tags.0", "terrace"),
        ('Add "sea view" to room 102.', "rooms.1.tags", ["balcony", "sea view"]),
        ("Clear the `archived` flag and set `retry` to 4.", "retry", 4),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)  # fmt: skip
def test_it_is_read_as_it_is_meant(instruction: str, path: str, value: Any) -> None:
    assert not path or _after(instruction) == _with(path, value)


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        # a heading may say where, a limit when
        "European brokers: set `tls` to true.",
        "Secure the broker connection unless it is Friday: set `tls` to true.",
        # the key is not the only one of its name
        "Check out the visitor in the tower: set `guest` to null.",
        # something of what is named, rather than another word for it
        "Set the `retry` delay to 5.",
        "Set the retry delay to 5.",
        'Set the restart owner to "Ann".',
        'Set the refresh owner to "1m".',
        # nothing is removed by such a name
        "Remove the `leisure` budget.",
        # the other way, or not what is there
        "Increase `leisure` from 200 to 250.",
        "Increase `leisure` to 100.",
        # the room, not its status
        'Set the status of room 101 to "dirty" and rename it to "Suite".',
        # a part of a text, and no scope
        'Replace "14 days" with "30 days".',
        # the third of what
        "Change the third value to 30.",
    ],
)
def test_it_is_asked_about(instruction: str) -> None:
    assert _after(instruction) is None


@pytest.mark.requirement("json-exactness")
def test_a_key_is_renamed_and_gets_a_new_value() -> None:
    after = _after("Rename `leisure` to `fun` and set it to 220.")
    assert list(after) == ["fun" if key == "leisure" else key for key in HOTEL]
    assert after["fun"] == 220


@pytest.mark.requirement("json-exactness")
def test_a_key_that_looks_like_a_path_is_renamed_with_all_it_holds() -> None:
    after = _after(
        "Rename the path `/bills/{id}` to `/bills/{bill}` and keep everything under it as is."
    )
    assert after["paths"] == {"/bills/{bill}": HOTEL["paths"]["/bills/{id}"]}


@pytest.mark.requirement("json-exactness")
def test_it_is_the_field_that_a_condition_on_all_records_compares() -> None:
    after = _after('For all rooms whose `status` is "taken", change it to "free".')
    assert after == _with("rooms.1.status", "free")


@pytest.mark.requirement("json-exactness")
def test_each_group_of_changes_has_its_own_scope() -> None:
    teams = {"teams": [{"name": n, "wins": 1, "points": 4, "losses": 0} for n in ("Ox", "Elk")]}
    held = parse(json.dumps(teams))
    said = "Increase wins by 1 and points by 3 for Ox, and increase losses by 1 for Elk."
    after = json.loads(dumps(apply_operations(held, propose(held, said).operations)))
    assert after["teams"] == [
        {"name": "Ox", "wins": 2, "points": 7, "losses": 0},
        {"name": "Elk", "wins": 1, "points": 4, "losses": 1},
    ]
