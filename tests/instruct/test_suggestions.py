"""Suggestions are the candidates in an exact form, which works when it is sent back as it is."""

from __future__ import annotations

from functools import cache

import pytest

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse
from tests.instruct.scoring import Case, cases, documents

PRINTED = "Use more specific field references"


@cache
def ambiguous() -> list[tuple[Case, Proposal]]:
    held = documents()
    asked = ((case, propose(held[case.document], case.instruction)) for case in cases())
    return [(case, proposal) for case, proposal in asked if proposal.status == "ambiguous"]


@pytest.mark.requirement("json-suggestions-work")
def test_every_suggestion_does_what_its_candidate_says() -> None:
    held = documents()
    tried = 0
    for case, proposal in ambiguous():
        if PRINTED in proposal.suggestions:
            continue
        document = held[case.document]
        wanted = [dumps(apply_operations(document, c.operations)) for c in proposal.candidates]
        for suggestion in proposal.suggestions:
            answer = propose(document, suggestion)
            assert answer.status == "success", (case.instruction, suggestion)
            assert dumps(apply_operations(document, answer.operations)) in wanted
            tried += 1
    assert tried > 40


@pytest.mark.requirement("json-candidates")
def test_candidates_differ_and_a_removal_leaves_no_word_unexplained() -> None:
    held = documents()
    for case, proposal in ambiguous():
        document = held[case.document]
        effects = [dumps(apply_operations(document, c.operations)) for c in proposal.candidates]
        assert len(effects) == len(set(effects)) <= 5
        for candidate in proposal.candidates:
            removes = any(o.op == "remove" for o in candidate.operations)
            assert not (removes and candidate.unexplained), case.instruction


def test_a_slip_of_the_pen_is_read_where_it_is_unique_but_never_removes() -> None:
    document = parse('{"server": {"port": 80, "host": "a"}, "debug": false}')
    [operation] = propose(document, "set the prot to 81").operations
    assert operation.path == ("server", "port")
    assert propose(document, "remove the prot").status == "ambiguous"
    assert propose(document, "set the cost to 81").status == "ambiguous"


@pytest.mark.parametrize(
    "instruction", ["delete every user born before 1900", "enable the users", "reset the users"]
)
def test_nobody_is_advised_to_lose_a_whole_collection(instruction: str) -> None:
    document = parse('{"users": [{"name": "Ann", "age": 3}, {"name": "Bob", "age": 4}], "n": 1}')
    proposal = propose(document, instruction)
    assert proposal.status == "ambiguous"
    for candidate in proposal.candidates:
        assert all(operation.path != ("users",) for operation in candidate.operations)
