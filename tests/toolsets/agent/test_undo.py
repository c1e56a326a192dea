"""undo, as an agent meets it after its own runs."""

from __future__ import annotations

import re

import pytest

from tests.toolsets.agent.conftest import Desk


@pytest.mark.requirement("history-undo-ignored")
def test_a_checkpoint_is_reached_past_the_cache_of_a_run(desk: Desk) -> None:
    desk.text("undo", checkpoint="start")
    desk.text("write", path="pkg/m.py", content="x = 1\n")
    desk.write({"pkg/__pycache__/m.pyc": "compiled"})
    text = desk.text("undo", to="start", dry_run=True)
    assert "note: pkg stays, as it holds __pycache__ (ignored)" in text
    text = desk.text("undo", to="start")
    assert "note: pkg stays, as it holds __pycache__ (ignored)" in text
    assert [path.name for path in (desk.root / "pkg").iterdir()] == ["__pycache__"]


@pytest.mark.requirement("history-undo-ignored")
def test_a_checkpoint_is_reached_after_the_cache_was_deleted(desk: Desk) -> None:
    desk.text("undo", checkpoint="before the package")
    made = re.search(r"change (\w+)", desk.text("write", path="pkg/m.py", content="x = 1\n"))
    desk.write({"pkg/__pycache__/m.pyc": "compiled"})
    desk.text("delete", path="pkg/__pycache__")
    assert made is not None
    desk.text("undo", id=made[1])
    text = desk.text("undo", to="before the package")
    assert "pkg/__pycache__ (ignored) is not brought back: its directory is gone" in text
    assert not (desk.root / "pkg").exists()


@pytest.mark.requirement("agent-undo-latest")
def test_undo_of_latest_takes_back_the_sessions_own_latest_change(desk: Desk) -> None:
    desk.text("write", path="own.txt", content="own\n")
    made = desk.text("undo", id="latest")
    assert "own.txt" in made
    assert not (desk.root / "own.txt").exists()
