"""Pages for users keep the limits of plain English, and the check would notice if not."""

from __future__ import annotations

import pytest

from scripts import plain_pages
from scripts.plain_pages import CHANGELOG, find_long


@pytest.mark.requirement("meta-plain-pages")
@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.md", "word " * 30 + ". Short.", 0),
        ("a.md", "word " * 31 + ". Short.", 1),
        ("a.md", "- " + "word " * 20 + "\n- " + "word " * 20, 0),
        ("a.md", "one `" + "code " * 40 + "` span", 0),
        ("a.md", "```\n" + "word " * 40 + "\n```\n\n    " + "word " * 40, 0),
        ("a.md", "| a | b |\n|---|---|\n| c | " + "w" * 200 + " |", 0),
        ("a.md", "| a | b |\n|---|---|\n| c | " + "w" * 201 + " |", 1),
        ("a.md", "It keeps names, modes, times and links.", 0),
        ("a.md", "It keeps names, modes, times, links and owners.", 1),
        ("a.md", "- one\n- two\n- three\n- four\n- five", 0),
        (CHANGELOG, "- " + "w" * 159, 1),
    ],
)
def test_long_sentences_cells_and_entries_are_found(name: str, text: str, found: int) -> None:
    assert len(find_long(name, text)) == found


@pytest.mark.requirement("meta-plain-pages")
def test_pages_keep_the_limits_and_the_check_fails_where_one_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert plain_pages.main() == 0
    monkeypatch.setattr(plain_pages, "MOST_WORDS_IN_ALL", 1000)
    assert plain_pages.main() == 1
