"""What context searches the text of the workspace for where the index has no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.core.call_scope import UNCANCELLABLE
from redline.core.paths import WorkspacePath
from redline.services.code.context import ContextQuestion, find_snippets
from redline.services.code.lookup import CodeLookup
from redline.settings import Settings
from redline.wiring.workspace import Redline


class ListeningLookup(CodeLookup):
    """Remembers the patterns that it searched for."""

    patterns: tuple[str, ...] = ()

    def grep(self, pattern: str, most: int = 60) -> list[tuple[WorkspacePath, int]]:
        self.patterns += (pattern,)
        return super().grep(pattern, most)


@pytest.mark.parametrize(
    ("wanted", "searched"),
    [
        ("no_such_name", ["(?i)no_such_name"]),
        ("no such name", [r"(?i)no\ such\ name", "(?i)such"]),
    ],
)
def test_a_text_that_is_nowhere_is_searched_for_once(
    tmp_path: Path, wanted: str, searched: list[str]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.py").write_text("def other(): pass\n")
    with Redline(Settings(workspace=str(work), state_dir=str(tmp_path / "state"))) as redline:
        lookup = ListeningLookup(redline, UNCANCELLABLE)
        question = ContextQuestion("definition", None, wanted, max_tokens=4000)
        assert find_snippets(lookup, question) == (f"Nothing found for: {wanted}", [])
    assert list(lookup.patterns) == searched
