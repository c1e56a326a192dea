"""A server with the toolset agent, and a small project to work on."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import NODE, NODE_MODULES
from tests.wire.client import Client, connect

_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
    "rkJggg=="
)
PROJECT = {
    "a.txt": "one\ntwo\nthree\n",
    "src/app.py": "import math\n\n\ndef total(rows: list[int]) -> int:\n    return sum(rows)\n",
    "src/util.py": "from app import total\n\nrate = 2\nprint(total([rate]))\n",
    "conf.yaml": "server:\n  port: 80  # http\nhosts:\n  - middle\n",
    "conf.json": '{"port": 80}\n',
    "conf.toml": '[tool]\nname = "shop"\n',
    "schema.json": '{"type": "object", "required": ["port"]}\n',
}


class Desk:
    """A client at a workspace of its own."""

    def __init__(self, client: Client, root: Path) -> None:
        self.client = client
        self.root = root

    def reset(self) -> None:
        """Give the workspace its first files back."""
        for entry in self.root.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        self.write(PROJECT)
        (self.root / "dot.png").write_bytes(base64.b64decode(_DOT))

    def write(self, files: dict[str, str]) -> None:
        """Write files, with the folders they lie in."""
        for name, text in files.items():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a call."""
        reply = self.client.call(tool, arguments)
        assert "result" in reply, reply
        result: dict[str, Any] = reply["result"]
        return result

    def text(self, tool: str, **arguments: Any) -> str:
        """The text of a call that succeeds."""
        result = self.call(tool, **arguments)
        assert not result["isError"], text_of(result)
        return text_of(result)

    def failure(self, tool: str, **arguments: Any) -> str:
        """The text of a call that fails."""
        result = self.call(tool, **arguments)
        assert result["isError"], text_of(result)
        return text_of(result)


def text_of(result: dict[str, Any]) -> str:
    """The text of a result."""
    return "\n".join(block.get("text", "") for block in result["content"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One server for the tests of a module."""
    root = tmp_path_factory.mktemp("agent")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-C", str(root)]
    (root / "a.txt").write_text("one\ntwo\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *command], check=True)
    # TypeScript's own server is on PATH where npm's tools are installed; `ty` is beside Python.
    # No other language server is: what Redline refuses without one must not depend on the machine.
    path = os.pathsep.join([str(NODE_MODULES / ".bin"), str(NODE.parent), "/usr/bin", "/bin"])
    args = ["--tools", "agent", "--structured", "--no-record"]
    with connect("stdio", args, cwd=root, env={"PATH": path}) as client:
        yield Desk(client, root)


@pytest.fixture
def desk(served: Desk) -> Desk:
    """The server at a fresh project."""
    served.reset()
    return served
