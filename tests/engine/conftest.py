"""A throw-away workspace with a real editor over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.bench import Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A workspace, its editor and its history, with a state directory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    # The policy of whoever runs the tests is not theirs, and another user may not even look for it.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "ws"
    root.mkdir()
    made = Bench(root)
    with made.app:
        yield made
