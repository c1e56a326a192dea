"""Messages quoted on the page for troubleshooting are messages that Redline prints."""

from __future__ import annotations

import re

import pytest

from tests.support import REPO

_QUOTED = re.compile(r"`([^`]*[a-z] [^`]*)`")
_ROW = re.compile(r"^\| (.*?) \|", re.MULTILINE)


def _quotes() -> list[str]:
    page = (REPO / "docs" / "troubleshooting.md").read_text()
    # An address in an example is a value that the message ends with.
    return [
        re.split(r" \d", quote)[0] for cell in _ROW.findall(page) for quote in _QUOTED.findall(cell)
    ]


@pytest.mark.requirement("meta-docs-quote-real-messages")
def test_every_quoted_message_is_in_the_source() -> None:
    source = "".join(path.read_text() for path in (REPO / "src").rglob("*.py"))
    quotes = _quotes()
    assert len(quotes) >= 5
    gone = [quote for quote in quotes if quote not in source]
    assert not gone, "reworded in src/; reword docs/troubleshooting.md too"
