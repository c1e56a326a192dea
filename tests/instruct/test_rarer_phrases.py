"""Phrases that no examination uses, each read by a rule of its own."""

from __future__ import annotations

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse

DOCUMENT = parse(
    '{"users":[{"name":"Ann","email":"a@b.c"},{"name":"Bob","email":""},{"name":"Cid"}],'
    '"products":[{"name":"pen","cost":3},{"name":"ink","cost":7}],"ratio":1,"opening":"09:30"}'
)


@pytest.mark.requirement("json-exactness")
@pytest.mark.parametrize(
    ("instruction", "key", "after"),
    [
        ("delete the users that have no email", "users", '[{"name":"Ann","email":"a@b.c"}]'),
        ("delete products that cost over 5", "products", '[{"name":"pen","cost":3}]'),
        ("set ratio to 3 and a half", "ratio", "3.5"),
        ("set opening to 10 o'clock", "opening", '"10:00"'),
    ],
)
def test_it_is_read_as_it_is_meant(instruction: str, key: str, after: str) -> None:
    proposal = propose(DOCUMENT, instruction)
    assert proposal.status == "success", proposal.message
    changed = apply_operations(DOCUMENT, proposal.operations)
    assert isinstance(changed, dict)
    assert isinstance(DOCUMENT, dict)
    assert dumps(changed) == dumps({**DOCUMENT, key: parse(after)})
