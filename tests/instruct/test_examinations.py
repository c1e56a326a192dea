"""Examinations written without sight of the engine; it has since been developed with them.

`tuned` was written to develop it. The later ones say in whose voice they speak. Of those in
`papers/`, some of which it was developed with, only wrong changes and untrue answers count.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.instruct.examination import Graded, examine, explained, load, totals

# The share of exact answers each voice must keep, and with one choice among the candidates.
FLOORS = {"": 0.85, "agent": 0.95, "developer": 0.65, "lay": 0.32}
CHOICE_FLOORS = {"": 0.85, "agent": 0.96, "developer": 0.78, "lay": 0.62}
HERE = Path(__file__).parent


def _papers(folder: str) -> list[Any]:
    return [pytest.param(p, id=p.stem) for p in sorted((HERE / folder).glob("*.json"))]


@cache
def _grade(paper: Path) -> list[Graded]:
    with TemporaryDirectory() as desk:
        found = examine(Path(desk), load(paper))
    print(f"\n{paper.stem}\n{totals(found)}")
    return found


@pytest.fixture(scope="module", params=_papers("examinations"))
def graded(request: pytest.FixtureRequest) -> list[Graded]:
    return _grade(request.param)


@pytest.fixture(scope="module", params=_papers("examinations") + _papers("papers"))
def any_graded(request: pytest.FixtureRequest) -> list[Graded]:
    return _grade(request.param)


@pytest.mark.requirement("json-no-wrong-change")
def test_no_case_leads_to_a_wrong_change(any_graded: list[Graded]) -> None:
    wrong = [g for g in any_graded if g.grade == "wrong"]
    assert not wrong, "\n".join(map(explained, wrong))


@pytest.mark.requirement("json-ambiguous-recognised")
def test_every_ambiguous_case_is_recognised(any_graded: list[Graded]) -> None:
    missed = [g for g in any_graded if g.outcome == "ambiguous" and g.grade != "exact"]
    assert not missed, "\n".join(map(explained, missed))


@pytest.mark.requirement("json-no-wrong-change")
def test_no_changes_is_said_only_where_it_is_true(any_graded: list[Graded]) -> None:
    untrue = [g for g in any_graded if g.grade == "idle"]
    assert not untrue, "\n".join(map(explained, untrue))


@pytest.mark.requirement("json-suggestions-work")
def test_no_suggestion_leads_elsewhere(graded: list[Graded]) -> None:
    astray = [g for g in graded if g.elsewhere and g.outcome == "change"]
    assert not astray, "\n".join(f"{explained(g)}\n    {g.elsewhere}" for g in astray)


@pytest.mark.requirement("json-exactness")
def test_enough_is_exact_in_every_voice(graded: list[Graded]) -> None:
    assert len(graded) > 80
    for voice in {g.voice for g in graded}:
        part = [g for g in graded if g.voice == voice]
        missing = [explained(g) for g in part if g.grade != "exact"]
        assert 1 - len(missing) / len(part) >= FLOORS[voice], "\n".join(missing)


@pytest.mark.requirement("json-candidates")
def test_one_choice_among_the_candidates_is_mostly_enough(graded: list[Graded]) -> None:
    for voice in {g.voice for g in graded}:
        part = [g for g in graded if g.voice == voice]
        missing = [explained(g) for g in part if not g.chosen]
        assert 1 - len(missing) / len(part) >= CHOICE_FLOORS[voice], "\n".join(missing)
