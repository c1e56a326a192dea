"""Examinations: two written without sight of the engine, `tuned` written to develop it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.instruct.examination import Graded, examine, explained, totals

PAPERS = sorted((Path(__file__).parent / "examinations").glob("*.json"))


@pytest.fixture(scope="module", params=PAPERS, ids=lambda paper: paper.stem)
def graded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Graded]:
    cases = json.loads(request.param.read_text("utf-8"))
    found = examine(tmp_path_factory.mktemp("desk"), cases)
    print(f"\n{request.param.stem}\n{totals(found)}")
    return found


@pytest.mark.requirement("json-no-wrong-change")
def test_no_case_leads_to_a_wrong_change(graded: list[Graded]) -> None:
    wrong = [g for g in graded if g.grade == "wrong"]
    assert not wrong, "\n".join(map(explained, wrong))


@pytest.mark.requirement("json-ambiguous-recognised")
def test_every_ambiguous_case_is_recognised(graded: list[Graded]) -> None:
    missed = [g for g in graded if g.outcome == "ambiguous" and g.grade != "exact"]
    assert not missed, "\n".join(map(explained, missed))


@pytest.mark.requirement("json-exactness")
def test_most_changes_are_exact(graded: list[Graded]) -> None:
    changes = [g for g in graded if g.outcome == "change"]
    exact = [g for g in changes if g.grade == "exact"]
    assert len(changes) > 80
    missing = [explained(g) for g in changes if g.grade != "exact"]
    assert len(exact) / len(changes) >= 0.85, "\n".join(missing)
