"""Instructions made to take long are given up, whatever the document."""

from __future__ import annotations

import sys
from time import process_time
from types import FrameType

import pytest

from redline.instruct.engine import propose
from redline.instruct.lexicon.tree import BUDGET, DocumentTree, OverBudget
from redline.instruct.model.values import Value, from_plain
from redline.instruct.readings import understand


def _records(count: int) -> Value:
    people = [{"id": n, "name": f"Person {n}", "status": "new", "age": n} for n in range(count)]
    return from_plain({"records": people})


RECORDS = _records(2000)


@pytest.mark.requirement("json-work-budget")
@pytest.mark.parametrize(
    "instruction",
    [
        "remove " + " of ".join(["status"] * 30),
        "set " + "name of " * 60 + "x to y",
        "add " + " to ".join(["a"] * 100),
        "rename " + " to ".join(["a for b"] * 60),
        "set status to " + " for ".join(["x in y"] * 50),
    ],
)
def test_a_bottomless_instruction_is_given_up(instruction: str) -> None:
    started = process_time()
    proposal = propose(RECORDS, instruction)
    assert proposal.status == "ambiguous"
    assert process_time() - started < 10


@pytest.mark.requirement("json-work-budget")
def test_work_beyond_the_budget_is_not_done() -> None:
    with pytest.raises(OverBudget):
        understand(
            DocumentTree(RECORDS, budget=20_000), "set status to old for every record with age 5"
        )


@pytest.mark.requirement("json-work-budget")
def test_filters_over_thousands_of_records_stay_within_the_budget() -> None:
    proposal = propose(RECORDS, "set status to old for every record whose age is over 1990")
    assert len(proposal.operations) == 9
    assert DocumentTree(RECORDS).budget == BUDGET


@pytest.mark.requirement("json-work-budget")
@pytest.mark.parametrize(
    "instruction",
    [
        "remove the status of all records",
        "delete all records",
        "set status to old for every record",
        "rename status to state everywhere",
        "add the field note with the value none to every record",
        "make all names uppercase",
    ],
)
def test_work_grows_with_the_changes_and_not_with_their_square(instruction: str) -> None:
    assert _count_calls(instruction, 800) < 5 * _count_calls(instruction, 200)


def _count_calls(instruction: str, records: int) -> int:
    """Return how many Python calls it takes to propose a change of every one of *records*."""
    document, calls = _records(records), 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        proposal = propose(document, instruction)
    finally:
        sys.setprofile(None)
    assert len(proposal.operations) == records, proposal.message
    return calls
