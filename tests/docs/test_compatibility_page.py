"""The page on compatibility has a table of differences for each toolset with a specification."""

from __future__ import annotations

import re

import pytest

from redline.toolsets import TOOLSETS
from tests.support import REPO

PAGE = (REPO / "docs" / "compatibility.md").read_text(encoding="utf-8")
# These follow no specification but their own.
OWN = {"docs", "history", "agent"}


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_a_toolset_has_its_section(toolset: str) -> None:
    sections = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    own = [text for text in sections if f"`{toolset}`" in text.split("\n", 1)[0]]
    assert len(own) == 1
    rows = [line for line in own[0].splitlines() if line.startswith("| ")]
    assert toolset in OWN or len(rows) >= 3
