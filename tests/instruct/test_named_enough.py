"""Places that are named well enough: by a label, a measure, a neighbour, a key in brackets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse

SURVEY: Any = {
    "survey": "Canteen",
    "open": True,
    "signed": False,
    "status": "in_review",
    "closes": "2025-06-15",
    "fares": {"single": 2, "day": 7},
    "mixed": {"single": 2, "note": "x"},
    "stops": ["moss", "slate"],
    "optimizer": {"name": "sgd", "lr": 0.1, "algorithm": "RS256"},
    "jobs": [
        {"name": "unit", "script": ["pip install .", "pytest -q"], "retries": 1},
        {"name": "wheel", "script": ["python -m build"], "retries": 3},
    ],
    "roles": {"editor": ["read", "write"], "viewer": ["read"]},
    "tasks": [{"id": 1, "done": True, "cost": 0.85}, {"id": 2, "done": False, "cost": 1.6}],
    "outDir": "./dist",
    "everyMinutes": {"peak": 10, "night": 30},
    "timezone": "UTC",
}


def _after(instruction: str) -> Any:
    """Return the document after the instruction; None where it is asked about."""
    held = parse(json.dumps(SURVEY))
    proposal = propose(held, instruction)
    assert proposal.status != "no_changes", proposal.message
    if proposal.status == "ambiguous":
        return None
    return json.loads(dumps(apply_operations(held, proposal.operations)))


def _with(**changes: Any) -> Any:
    return {**SURVEY, **changes}


JOBS: Any = SURVEY["jobs"]


@pytest.mark.requirement("json-exactness")
@pytest.mark.parametrize(
    ("instruction", "changes"),
    [
        ("Close the survey.", {"open": False}),
        ("Mark the survey as signed.", {"signed": True}),
        ("status approved", {"status": "approved"}),
        ("outDir ./build", {"outDir": "./build"}),
        ("peak every 5 min, night every 20", {"everyMinutes": {"peak": 5, "night": 20}}),
        ("tz Europe/Oslo", {"timezone": "Europe/Oslo"}),
        ("Change the closing date to 2025-06-30.", {"closes": "2025-06-30"}),
        ("Increase every price in `fares` by 1.", {"fares": {"single": 3, "day": 8}}),
        ("Double all fare prices.", {"fares": {"single": 4, "day": 14}}),
        ("moss -> fern in stops", {"stops": ["fern", "slate"]}),
        ("ES256 instead of RS256",
         {"optimizer": {"name": "sgd", "lr": 0.1, "algorithm": "ES256"}}),
        ("Set the learning rate (`lr`) to 0.2.",
         {"optimizer": {"name": "sgd", "lr": 0.2, "algorithm": "RS256"}}),
        ('Set `optimizer.lr` to 0.2 and add a field `beta` next to it with the value 0.9.',
         {"optimizer": {"name": "sgd", "lr": 0.2, "algorithm": "RS256", "beta": 0.9}}),
        ('Set `outDir` to "./out", and in the `unit` job replace "pytest -q" with "pytest".',
         {"outDir": "./out",
          "jobs": [{**JOBS[0], "script": ["pip install .", "pytest"]}, JOBS[1]]}),
        ('Grant the "comment" permission to the viewer and editor roles.',
         {"roles": {"editor": ["read", "write", "comment"], "viewer": ["read", "comment"]}}),
        ("Increase the cost of every task by 4%, rounding to two decimals.",
         {"tasks": [{"id": 1, "done": True, "cost": 0.88},
                    {"id": 2, "done": False, "cost": 1.66}]}),
        ("Reduce `fares.day` by 2 and add that amount to `fares.single`.",
         {"fares": {"single": 4, "day": 5}}),
        ("Set `fares.day` to 9 and set `fares.single` to the same value.",
         {"fares": {"single": 9, "day": 9}}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_it_is_read_as_it_is_meant(instruction: str, changes: Any) -> None:
    assert _after(instruction) == _with(**changes)


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "Close the canteen door.",
        "Mark the survey as urgent.",
        "Increase every price in `mixed` by 1.",
        "Increase every delay in `fares` by 1.",
        "moss -> fern in fares",
        "ES256 instead of HS512",
        "Set the closing date (`zorb`) to 0.2.",
        "Set the fares (`lr`) to 0.2.",
        "Increase the cost of every task by 4%, rounding to one decimal.",
        "Reduce `fares.day` by 10% and add that amount to `fares.single`.",
        "Set `fares.single` to the same value.",
        "status down 5",
        "status done",
        "Delete all completed tasks.",
    ],
)
def test_it_is_asked_about(instruction: str) -> None:
    assert _after(instruction) is None
