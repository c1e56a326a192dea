"""Instructions made to take long are given up, whatever the document."""

from __future__ import annotations

import pytest

from redline.instruct.engine import propose
from redline.instruct.index import BUDGET, Index
from redline.instruct.values import Value, from_plain

RECORDS: Value = from_plain(
    {"records": [{"id": n, "name": f"Person {n}", "status": "new", "age": n} for n in range(2000)]}
)


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
    proposal = propose(RECORDS, instruction)
    assert proposal.status == "ambiguous"
    assert "too much work" in proposal.message


@pytest.mark.requirement("json-work-budget")
def test_filters_over_thousands_of_records_stay_within_the_budget() -> None:
    proposal = propose(RECORDS, "set status to old for every record whose age is over 1990")
    assert len(proposal.operations) == 9
    index = Index(RECORDS)
    assert index.budget == BUDGET
