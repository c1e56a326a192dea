"""Everyday phrases, each beside near misses: documents in which a noun, a number or a list fits
twice, denials, conditions and units that do not fit must be asked about."""

from __future__ import annotations

from typing import Any

import pytest

from redline.instruct.model.values import Value, parse
from tests.instruct.scoring import HERE, Case, judge

HELD: Any = parse((HERE / "everyday.json").read_text("utf-8"))


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.requirement("json-exactness")
@pytest.mark.parametrize(
    ("document", "instruction", "expected"),
    [pytest.param(*case, id=f"{case[0]}: {case[1]}") for case in HELD["cases"]],
)
def test_it_is_read_as_it_is_meant_or_asked_about(
    document: str, instruction: str, expected: Any
) -> None:
    held: Value = HELD["documents"][document]
    verdict = judge(Case("everyday", 0, document, instruction, expected), held)
    assert verdict.grade == "right", verdict.proposal.message
