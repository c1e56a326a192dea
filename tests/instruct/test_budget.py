"""Instructions made to take long are given up, whatever the document."""

from __future__ import annotations

from time import process_time

import pytest

from redline.instruct.engine import propose
from redline.instruct.lexicon.tree import BUDGET, DocumentTree, OverBudget
from redline.instruct.model.values import Value, from_plain
from redline.instruct.readings import understand

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
