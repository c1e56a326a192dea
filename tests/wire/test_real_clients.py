"""Other people's clients drive the server: Python and TypeScript SDKs, and the Inspector."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import NODE_MODULES, need_node
from tests.wire.client import ROOT, HttpClient, connect
from tests.wire.conftest import FIXTURES

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over HTTP."""
    args = ["--tools", "fixtures", "--rate-limit", "0"]
    folder = tmp_path_factory.mktemp("clients")
    with connect("http", args, env=FIXTURES, cwd=folder, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield f"http://127.0.0.1:{client.port}/mcp"


def environment(folder: Path) -> dict[str, str]:
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")},
        **FIXTURES,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "REDLINE_STATE_DIR": f"{folder}-state",
    }


def command(*more: str) -> list[str]:
    return [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "fixtures", *more]


async def drive(target: Any, mode: str) -> dict[str, Any]:
    """List, call, fail, ask: what the official Python client makes of us."""
    import mcp
    from mcp.client.context import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult

    async def answer(_: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"colour": "green"})

    async with mcp.Client(target, mode=mode, elicitation_callback=answer) as client:
        listed = await client.list_tools()
        echoed = await client.call_tool("echo", {"text": "hi"})
        asked = await client.call_tool("ask", {})
        refused = await client.call_tool("refuse", {"how": "path"})
        return {
            "tools": [tool.name for tool in listed.tools],
            "echo": echoed.content[0].text,
            "ask": asked.content[0].text,
            "refused": refused.is_error,
            "version": client.protocol_version,
        }


@pytest.mark.parametrize(("mode", "era"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
@pytest.mark.requirement("server-real-clients")
def test_the_python_client_drives_both_transports_in_both_eras(
    url: str, tmp_path: Path, transport: str, mode: str, era: str
) -> None:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    target: Any = url
    if transport == "stdio":
        start, *args = command()
        target = stdio_client(
            StdioServerParameters(
                command=start, args=args, env=environment(tmp_path), cwd=str(tmp_path)
            )
        )
    found = asyncio.run(drive(target, mode))
    assert "echo" in found["tools"]
    assert found["echo"] == "hi"
    assert found["ask"] == "accept green"
    assert found["refused"] is True
    assert found["version"] == era


def test_a_client_that_negotiates_falls_back_when_the_revision_is_capped(
    tmp_path: Path, transport: str
) -> None:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    cap = ("--protocol", "2025-06-18")
    if transport == "stdio":
        start, *args = command(*cap)
        env = environment(tmp_path)
        target = stdio_client(StdioServerParameters(command=start, args=args, env=env))
        found = asyncio.run(drive(target, "auto"))
    else:
        flags = ["--tools", "fixtures", *cap]
        with connect("http", flags, env=FIXTURES, cwd=tmp_path, handshake=False) as client:
            assert isinstance(client, HttpClient)
            found = asyncio.run(drive(f"http://127.0.0.1:{client.port}/mcp", "auto"))
    assert found["version"] == "2025-06-18"
    assert found["echo"] == "hi"


@pytest.mark.node
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_typescript_client_drives_both_transports_in_both_eras(
    url: str, tmp_path: Path, transport: str, era: str
) -> None:
    node = need_node()
    target = json.dumps(command()) if transport == "stdio" else url
    done = subprocess.run(
        [str(node), str(HERE / "drive.mjs"), transport, era, target],
        capture_output=True,
        text=True,
        timeout=120,
        env={**environment(tmp_path), "NODE_MODULES": str(NODE_MODULES)},
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert "echo" in found["tools"]
    assert found["echo"] == "hi"
    assert found["ask"] == "accept green"
    assert found["refused"] is True
    assert found["version"] == {"legacy": "2025-11-25", "modern": "2026-07-28"}[era]


@pytest.mark.node
@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.requirement("server-inspector")
def test_the_inspector_finds_nothing_to_object_to_in_any_listed_tool(
    tmp_path: Path, era: str
) -> None:
    node = need_node()
    inspector = NODE_MODULES / "@modelcontextprotocol" / "inspector"
    package = json.loads((inspector / "package.json").read_text())
    binary = package["bin"]
    script = inspector / (binary if isinstance(binary, str) else next(iter(binary.values())))
    serve = [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "all"]
    env = {k: v for k, v in environment(tmp_path).items() if k != "REDLINE_TEST_TOOLSET"}
    done = subprocess.run(
        [str(node), str(script), "--cli", *serve, "--method", "tools/list",
         "--protocol-era", era, "--strict"],
        capture_output=True, text=True, timeout=120, env=env, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "undo_change" in done.stdout
