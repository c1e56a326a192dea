"""A workspace with some history, made through the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import Operation, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.wire.transports import pytest_generate_tests, transport

__all__ = ["pytest_generate_tests", "transport"]
Write = Callable[[str, str], Operation]


class Place:
    """A workspace and the directory its history lives in."""

    def __init__(self, home: Path) -> None:
        self.root = home / "ws"
        self.root.mkdir()
        self.state = home / "state"
        self.redline = Redline(Settings(workspace=str(self.root), state_dir=str(self.state)))

    @property
    def flags(self) -> list[str]:
        """How a server or command is told of this place."""
        return ["--workspace", str(self.root), "--state-dir", str(self.state)]

    def write(self, name: str, text: str, tool: str = "write_file") -> Operation:
        """Commit one file."""
        return self.write_all({name: text}, tool)

    def write_all(self, texts: dict[str, str], tool: str = "write_file") -> Operation:
        """Commit files together."""
        steps = []
        for name, text in texts.items():
            path = self.redline.workspace.resolve(name, Access.WRITE)
            after = FileState.of(text.encode())
            steps.append(Change(path, self.redline.tree.state(path), after))
        return self.redline.editor.commit(ChangeSet(tuple(steps)), Origin(tool, "tests 1"))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An empty workspace."""
    made = Place(tmp_path)
    with made.redline:
        yield made
