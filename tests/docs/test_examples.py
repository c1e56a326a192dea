"""The Python on our pages runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import REPO

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in (REPO / "README.md", *sorted((REPO / "docs").glob("*.md")))
    for number, block in enumerate(_BLOCK.findall(page.read_text("utf-8")))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_an_example_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "example", "exec"), {"__name__": "example"})
