"""A person's answer counts only as far as it goes."""

from __future__ import annotations

from typing import Any

import pytest

from redline.toolsets.call import Answer
from redline.toolsets.consent import is_agreed


@pytest.mark.parametrize(
    ("action", "content", "agreed"),
    [
        ("accept", {"decision": "allow"}, True),
        ("accept", {"decision": "deny"}, False),
        ("accept", {}, False),
        ("decline", {"decision": "allow"}, False),
        ("cancel", {}, False),
    ],
)
def test_only_an_accepted_allow_is_consent(
    action: str, content: dict[str, Any], agreed: bool
) -> None:
    assert is_agreed(Answer(action, content)) is agreed
