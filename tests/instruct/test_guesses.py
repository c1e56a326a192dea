"""Guesses are offered where no reading explains every word, and never acted on."""

from __future__ import annotations

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.values import parse

DOCUMENT = parse(
    '{"mail": {"from": "no-reply@shop.example", "retries": 3}, "shipping": {"carrier": "PostNL"},'
    ' "cafes": [{"name": "Blue Door", "pets": true, "seats": 40, "staff": ["Ann Low"]},'
    ' {"name": "Red Roof", "pets": false, "seats": 25, "staff": ["Bo Hall"]}]}'
)


@pytest.mark.requirement("json-guesses")
@pytest.mark.parametrize(
    ("instruction", "path", "value"),
    [
        ("Dogs and other pets are welcome at the Red Roof these days", "/cafes/1/pets", True),
        ("Blue Door squeezed in ten more seats somehow", "/cafes/0/seats", "50"),
        ("Newsletters ought to arrive from hello@shop.example", "/mail/from", "hello@shop.example"),
    ],
)
def test_the_likeliest_field_is_among_the_guesses(
    instruction: str, path: str, value: object
) -> None:
    proposal = propose(DOCUMENT, instruction)
    assert proposal.status == "ambiguous"
    assert 0 < len(proposal.candidates) <= 5
    found = {
        ("/" + "/".join(o.path), getattr(o.value, "text", o.value))
        for candidate in proposal.candidates
        for o in candidate.operations
    }
    assert (path, value) in found


@pytest.mark.requirement("json-guesses")
def test_a_guess_names_the_words_it_leaves_out_and_removes_nothing() -> None:
    proposal = propose(DOCUMENT, "Kick poor Ann Low out of the Blue Door for good, she is mean")
    assert proposal.status == "ambiguous"
    for candidate in proposal.candidates:
        assert candidate.unexplained
        assert all(operation.op != "remove" for operation in candidate.operations)
