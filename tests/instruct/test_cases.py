"""The development set: hundreds of instructions, none of which may lead to a wrong change."""

from __future__ import annotations

import pytest

from tests.instruct.scoring import Verdict, judge_all, summary


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    found = judge_all()
    print("\nall:", summary(found))
    print("held out:", summary([v for v in found if v.case.held_out]))
    return found


def _listed(verdicts: list[Verdict]) -> str:
    return "\n".join(f"{v.grade}: {v.case.document}: {v.case.instruction}" for v in verdicts)


def test_there_are_enough_cases_of_every_kind(verdicts: list[Verdict]) -> None:
    assert len(verdicts) >= 400
    assert sum(v.case.expected == "?" for v in verdicts) >= 60
    assert sum(v.case.expected == "0" for v in verdicts) >= 15
    assert len({v.case.document for v in verdicts}) >= 12


@pytest.mark.requirement("json-no-wrong-change")
def test_no_instruction_leads_to_a_wrong_change(verdicts: list[Verdict]) -> None:
    wrong = [v for v in verdicts if v.grade == "wrong"]
    assert not wrong, _listed(wrong)


@pytest.mark.requirement("json-ambiguous-recognised")
def test_every_ambiguous_instruction_is_recognised(verdicts: list[Verdict]) -> None:
    missed = [v for v in verdicts if v.case.expected == "?" and v.grade != "right"]
    assert not missed, _listed(missed)


@pytest.mark.requirement("json-exactness")
def test_most_instructions_are_carried_out_exactly(verdicts: list[Verdict]) -> None:
    for part in (verdicts, [v for v in verdicts if v.case.held_out]):
        right = sum(v.grade == "right" for v in part)
        assert right / len(part) >= 0.85, _listed([v for v in part if v.grade != "right"])
