"""One server of the coding toolset per transport and module; each test works in its own folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, connect

Json = dict[str, Any]


class Tools:
    """The tools over the wire; `base` is the workspace."""

    def __init__(self, client: Client, base: Path) -> None:
        self.client = client
        self.base = base

    def result(self, tool: str, arguments: Json) -> Json:
        """The CallToolResult; its first text item must mirror the structured content."""
        reply = self.client.call(tool, arguments)
        assert "result" in reply, reply
        result: Json = reply["result"]
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        assert json.loads(texts[0]) == result["structuredContent"]
        return result

    def ok(self, tool: str, **arguments: Any) -> Json:
        """The structured content of a call that must succeed."""
        result = self.result(tool, arguments)
        structured: Json = result["structuredContent"]
        assert structured["ok"] is True, structured
        assert not result["isError"]
        return structured

    def fails(self, tool: str, **arguments: Any) -> Json:
        """The error of a call that must fail, with its siblings under `structured`."""
        result = self.result(tool, arguments)
        structured: Json = result["structuredContent"]
        assert structured["ok"] is False, structured
        assert result["isError"] is True
        error: Json = structured["error"]
        assert set(error) == {"code", "message", "category", "retryable", "details"}
        assert isinstance(error["details"], dict)
        return {**error, "structured": structured}

    def write(self, files: dict[str, str | bytes]) -> None:
        """Put files into the workspace."""
        for name, content in files.items():
            path = self.base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture(scope="module", params=["stdio", "http"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tools]:
    """A server of the coding toolset alone."""
    base = tmp_path_factory.mktemp("ws")
    args = ["--tools", "coding", "--workspace", str(base), "--rate-limit", "0"]
    with connect(request.param, args, cwd=base) as client:
        yield Tools(client, base)


@pytest.fixture
def tools(server: Tools, request: pytest.FixtureRequest) -> Tools:
    """The shared server; the folder of this test is emptied of what earlier tests left."""
    import shutil

    for entry in server.base.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    return server


def patch(*lines: str) -> str:
    """An envelope around *lines*."""
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
