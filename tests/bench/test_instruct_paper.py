"""A paper of instructions is scored by what became of the document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.programs.instruct_paper import main, score


@pytest.mark.parametrize(
    ("instruction", "expected", "outcome"),
    [
        ("Set a to 2", {"b": {"c": 1}, "a": 2}, "exact"),
        ("Set a to 2", {"a": 3, "b": {"c": 1}}, "wrong"),
        ("Set a to 2", "ask", "wrong"),
        ("Set b.d to 2", {"a": 1, "b": {"c": 1, "d": 2}}, "repaired"),
        ("Do what is best", "ask", "exact"),
        ("Do what is best", {"a": 2, "b": {"c": 1}}, "asked"),
        ("Set a to 1", {"a": 2, "b": {"c": 1}}, "unchanged"),
        ("Set a to 1", {"a": 1, "b": {"c": 1}}, "exact"),
        ("Set a to 1", {"a": True, "b": {"c": 1}}, "unchanged"),
        ("Set a to 1", "no_changes", "exact"),
        ("Set a to 2", "no_changes", "wrong"),
    ],
)
def test_an_instruction_is_judged_by_the_document_after_it(
    instruction: str, expected: Any, outcome: str
) -> None:
    item = {"document": {"a": 1, "b": {"c": 1}}, "instruction": instruction, "expected": expected}
    assert score(item)[0] == outcome


def test_a_paper_fails_only_by_a_wrong_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item = {"id": "x", "speaker": "agent", "document": {"a": 1}, "instruction": "Set a to 2"}
    for expected, code in (({"a": 2}, 0), ("ask", 1)):
        paper = tmp_path / "paper.json"
        paper.write_text(json.dumps([{**item, "expected": expected}]))
        assert main([str(paper)]) == code
    assert "wrong: x: Set a to 2" in capsys.readouterr().out
