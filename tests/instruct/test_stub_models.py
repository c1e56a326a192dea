"""A model that is right is followed; one that means another record is not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.instruct.examination import load
from tests.instruct.stub_models import grade
from tests.support import LONG

PAPERS = sorted((Path(__file__).parent / "examinations").glob("*.json" if LONG else "fifth.json"))
CASES = [case for paper in PAPERS for case in load(paper)]


@pytest.mark.requirement("json-grounding")
def test_the_right_change_is_accepted() -> None:
    grades = Counter(grade(case, sibling=False) for case in CASES)
    assert grades["wrong"] == 0
    assert grades["exact"] / len(CASES) >= 0.97, grades


@pytest.mark.requirement("json-grounding")
def test_the_right_change_on_a_record_beside_is_never_accepted() -> None:
    grades = Counter(grade(case, sibling=True) for case in CASES)
    assert grades["wrong"] == 0, grades
    assert sum(grades.values()) - grades["none"] > 50
