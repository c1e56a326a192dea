"""The toolset agent in this process: a workspace, and clients that call its tools."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from redline.core.ports.history import Origin
from redline.server.calls.catalog import Catalog
from redline.server.calls.dispatch import Context
from redline.server.calls.tool_server import ToolServer
from redline.services.history.revert import Wish, revert
from redline.settings import Settings
from redline.toolsets.agent.tools import TOOLSET
from redline.toolsets.tool import Client
from redline.wiring.workspace import Redline


class Seat:
    """Calls tools and returns what a model is shown; close it at the end."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "work"
        self.root.mkdir(parents=True)
        self.redline = Redline(
            Settings(workspace=str(self.root), state_dir=str(folder / "state"), record=False)
        )
        self._dispatch = ToolServer(Catalog([TOOLSET]), self.redline).dispatch

    def call(self, tool: str, arguments: Mapping[str, Any], by: str = "me") -> tuple[str, bool]:
        """Return the text of an answer to the client *by*, and whether it is a failure."""
        client = Client(name="agent", connection=by)
        outcome = self._dispatch.call({"name": tool, "arguments": dict(arguments)}, Context(client))
        if not isinstance(outcome, dict):
            return outcome.message, True
        texts = [block.get("text", "") for block in outcome["content"]]
        return "\n".join(texts), bool(outcome["isError"])

    def write(self, files: Mapping[str, str]) -> None:
        """Write files as another program does."""
        for name, text in files.items():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def read(self) -> dict[str, str]:
        """Return every file with its text."""
        found = (path for path in sorted(self.root.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.root)): path.read_text() for path in found}

    def act(self, wish: Wish) -> str:
        """Undo or redo as a person does at the review page; the id of that."""
        origin = Origin(str(wish.direction), "review page", "", wish.summary, "review")
        return revert(self.redline, wish, origin).id

    def close(self) -> None:
        """Close the workspace."""
        self.redline.close()
