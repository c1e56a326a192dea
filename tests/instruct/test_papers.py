"""Two papers of instructions by writers who knew nothing of the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.values import parse
from tests.instruct.papers import FOLDER, Case, cases, grade

PAPERS = sorted(FOLDER.glob("*.json"))
# Exact answers to what agents write, which must not become fewer.
AGENTS = {"sixteenth": 0.78, "tenth": 0.80}


def every(paper: Path) -> list[Case]:
    return list(cases(paper))


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.requirement("json-ambiguous-recognised")
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.stem)
def test_no_instruction_leads_to_a_change_that_it_does_not_mean(paper: Path) -> None:
    wrong = [case.instruction for case in every(paper) if grade(case)[0] == "wrong"]
    assert wrong == []


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.stem)
def test_what_agents_write_is_carried_out_exactly(paper: Path) -> None:
    agents = [case for case in every(paper) if case.voice == "agent"]
    exact = sum(grade(case)[0] == "exact" for case in agents)
    assert exact / len(agents) >= AGENTS[paper.stem]


@pytest.mark.requirement("json-suggestions-work")
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.stem)
def test_every_suggestion_is_understood_when_it_is_sent_back(paper: Path) -> None:
    for case in every(paper):
        document = parse(json.dumps(case.document))
        answer = propose(document, case.instruction)
        assert len(answer.candidates) <= 3
        for text in answer.suggestions:
            assert propose(document, text).status != "ambiguous", (case.instruction, text)


@pytest.mark.requirement("json-suggestions-work")
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.stem)
def test_a_refusal_takes_about_a_hundred_tokens(paper: Path) -> None:
    for case in every(paper):
        answer = propose(parse(json.dumps(case.document)), case.instruction)
        if answer.status == "ambiguous":
            length = len(answer.message) + sum(map(len, answer.suggestions))
            assert length <= 360, (case.instruction, answer)
