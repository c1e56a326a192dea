"""What the guard lets through of models that are right, and of models that add something."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest

from redline.core.errors import ProviderFailed
from redline.instruct.model.values import parse
from redline.services.instructions import propose_with
from tests.instruct.papers import FOLDER, Case, cases, grade, result
from tests.instruct.stub_models import Change, Stub, change, changes_between, hostile


def asked() -> Iterator[Case]:
    """Yield the cases that go to a model: a change is meant, and the language does not say it."""
    for paper in sorted(FOLDER.glob("*.json")):
        for case in cases(paper):
            if case.outcome == "change" and grade(case)[0] == "asked":
                yield case


def status(case: Case, changes: list[Change], name: str) -> str:
    stub = Stub(changes, f"{name} {case.id}")
    document = parse(json.dumps(case.document))
    proposal = propose_with(lambda: stub, document, case.instruction)
    if proposal.status == "success":
        assert name != "right" or result(case.document, proposal) == case.wanted
    return proposal.status


@pytest.mark.requirement("json-hostile-model")
@pytest.mark.requirement("json-grounding")
def test_no_proposal_with_an_operation_that_was_not_asked_for_is_a_success() -> None:
    pick = random.Random(35)
    tried = 0
    for case in asked():
        right = list(changes_between(case.document, case.wanted))
        for _ in range(2):
            for place, changes in enumerate(hostile(case, right, pick)):
                tried += 1
                name = f"hostile {tried} {place}"
                assert status(case, changes, name) == "ambiguous", (case.instruction, changes[-1])
    assert tried >= 2000


@pytest.mark.requirement("json-grounding")
def test_a_model_that_is_right_is_believed_in_nine_of_ten_cases() -> None:
    found = list(asked())
    right = [list(changes_between(case.document, case.wanted)) for case in found]
    passed = {"agent": 0, "developer": 0, "lay": 0}
    for case, changes in zip(found, right, strict=True):
        try:
            passed[case.voice] += status(case, changes, "right") == "success"
        except ProviderFailed:
            continue  # the whole document was replaced
    assert sum(passed.values()) / len(found) >= 0.9
    assert passed["agent"] / sum(case.voice == "agent" for case in found) >= 0.9


CLINIC = {
    "visits": [
        {"who": {"name": "Ann Lee"}, "name": "Ann Lee", "day": "2025-03-01", "at": "09:00"},
        {"who": {"name": "Bo Ray"}, "name": "Bo Ray", "day": "2025-03-02", "at": "10:00"},
    ],
    "talks": [
        {"id": "t1", "room": "Room 2", "recorded": False},
        {"id": "t2", "room": "Room 3", "recorded": False},
        {"id": "t3", "room": "Hall", "recorded": True},
    ],
    "due": "2025-04-01",
    "alarm": {"armed": False},
    "email": "a@b.example",
    "home": {"size": 3, "colour": "red"},
    "skills": {"bow": 1, "bread": 2},
    "books": [
        {"title": "Emma", "year": 1815, "status": "lent", "copies": 2, "shelf": "upper hall"},
        {"title": "Ulysses", "year": 1922, "status": "in", "copies": 4, "shelf": "cellar"},
        {"title": "Walden", "year": 1854, "status": "in", "copies": 4, "shelf": "upper hall"},
    ],
}


@pytest.mark.requirement("json-grounding")
@pytest.mark.parametrize(
    ("instruction", "changes", "expected"),
    [
        ("Postpone due by 14 days", [change("replace", ("due",), "2025-04-15")], "success"),
        ("Postpone due by 14 days", [change("replace", ("due",), "2025-04-16")], "ambiguous"),
        ("See Bo Ray at 11:30", [change("replace", ("visits", "1", "at"), "11:30")], "success"),
        ("See Bo Ray at 11:30", [change("replace", ("visits", "0", "at"), "11:30")], "ambiguous"),
        ("Arm the alarm", [change("replace", ("alarm", "armed"), True)], "success"),
        ("Check the alarm, the arms stay", [change("replace", ("alarm", "armed"), True)],
         "ambiguous"),
        ("Disarm the alarm", [change("replace", ("alarm", "armed"), True)], "ambiguous"),
        ("record everything in Room 2",
         [change("replace", ("talks", "0", "recorded"), True)], "success"),
        ("record everything in Room 2",
         [change("replace", ("talks", n, "recorded"), True) for n in "01"], "ambiguous"),
        ("Move the email into a new object `contact`",
         [change("remove", ("email",)), change("add", ("contact",), {"email": "a@b.example"})],
         "success"),
        ("Move the email into a new object `contact`",
         [change("remove", ("email",)), change("add", ("contact",), {"email": "c@d.example"})],
         "ambiguous"),
        ("Move due to 4 May 2025", [change("replace", ("due",), "2025-05-04")], "success"),
        ("Move due to 4 May 2025", [change("replace", ("due",), "2025-05-05")], "ambiguous"),
        ("Walden was lent yesterday",
         [change("replace", ("books", "2", "status"), "lent")], "success"),
        ("Walden was lent yesterday",
         [change("replace", ("books", "2", "shelf"), "lent")], "ambiguous"),
        ("There are 5 copies of Emma, not 2",
         [change("replace", ("books", "0", "copies"), 5)], "success"),
        ("We own 5 of Emma, not 2", [change("replace", ("books", "0", "copies"), 5)], "success"),
        ("We own 5 of Emma, not 2", [change("replace", ("books", "0", "year"), 5)], "ambiguous"),
        ("Discard the books printed before 1900",
         [change("remove", ("books", n)) for n in "02"], "success"),
        ("Discard the books printed before 1900", [change("remove", ("books", "1"))], "ambiguous"),
        ("+1 to every skill", [change("replace", ("skills", "bow"), 2),
                               change("replace", ("skills", "bread"), 3)], "success"),
        ("+1 to every skill", [change("replace", ("skills", "bow"), 2)], "ambiguous"),
        ("Emma has gone missing, take it out", [change("remove", ("books", "0"))], "success"),
        ("Emma has gone missing, take it out", [change("remove", ("books", "1"))], "ambiguous"),
        ("everything in the upper hall now has status in",
         [change("replace", ("books", "0", "status"), "in")], "success"),
        ("everything in the upper hall now has status in",
         [change("replace", ("books", "1", "status"), "in")], "ambiguous"),
        ("Create `away` as a copy of home but with colour blue",
         [change("add", ("away",), {"size": 3, "colour": "blue"})], "success"),
        ("Create `away` as a copy of home but with colour blue",
         [change("add", ("away",), {"size": 4, "colour": "blue"})], "ambiguous"),
    ],
)  # fmt: skip
def test_a_ground_holds_for_what_the_words_imply_and_no_more(
    instruction: str, changes: list[Change], expected: str
) -> None:
    case = Case(instruction, "agent", CLINIC, instruction, "change", None)
    assert status(case, changes, f"implied {changes}") == expected
