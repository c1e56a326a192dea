"""Whatever the engine suggests works when it is sent back as it is."""

from __future__ import annotations

import pytest

from redline.instruct.engine import propose
from redline.instruct.values import parse
from tests.instruct.scoring import cases, documents

FIXED = "Use more specific field references"


@pytest.mark.requirement("json-suggestions-work")
def test_every_suggestion_to_an_ambiguous_instruction_works() -> None:
    held = documents()
    tried = 0
    failing: list[str] = []
    for case in cases():
        proposal = propose(held[case.document], case.instruction)
        if proposal.status != "ambiguous":
            continue
        assert proposal.suggestions, case.instruction
        for suggestion in proposal.suggestions:
            if suggestion == FIXED:
                continue
            tried += 1
            answer = propose(held[case.document], suggestion)
            if answer.status != "success":
                failing.append(f"{case.instruction} -> {suggestion}: {answer.message}")
    assert tried > 150
    assert not failing, "\n".join(failing)


def test_a_typo_is_refused_with_the_nearest_names() -> None:
    document = parse('{"server": {"port": 80, "host": "a"}, "debug": false}')
    proposal = propose(document, "set the prot to 81")
    assert proposal.status == "ambiguous"
    assert proposal.suggestions[0] == "Set /server/port to 81"


@pytest.mark.parametrize(
    "instruction", ["delete every user born before 1900", "enable the users", "reset the users"]
)
def test_nobody_is_advised_to_lose_a_whole_collection(instruction: str) -> None:
    document = parse('{"users": [{"name": "Ann", "age": 3}, {"name": "Bob", "age": 4}], "n": 1}')
    proposal = propose(document, instruction)
    assert proposal.status == "ambiguous"
    assert proposal.suggestions
    for suggestion in proposal.suggestions:
        if suggestion != FIXED:
            answer = propose(document, suggestion)
            assert all(operation.path != ("users",) for operation in answer.operations), suggestion
