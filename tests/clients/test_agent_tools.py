"""Other people's clients list every tool of the toolset agent and call each of them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redline.toolsets.agent.tools import TOOLS
from tests.support import NODE_MODULES, REPO, need_node
from tests.toolsets.agent.each_tool import CALLS, FILES

pytestmark = pytest.mark.requirement("agent-real-clients")
NAMES = [tool.name for tool in TOOLS]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


def _environment(folder: Path) -> dict[str, str]:
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")},
        "PYTHONPATH": str(REPO / "src"),
        "REDLINE_STATE_DIR": str(folder / "state"),
    }


def _command(project: Path) -> list[str]:
    start = [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "agent"]
    return [*start, "--workspace", str(project)]


def test_each_tool_is_called() -> None:
    assert {tool for tool, _ in CALLS} == set(NAMES)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_python_client_calls_each_tool(project: Path, tmp_path: Path, mode: Any) -> None:
    import mcp
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    start, *args = _command(project)
    server = StdioServerParameters(command=start, args=args, env=_environment(tmp_path))

    async def drive() -> list[str]:
        async with mcp.Client(stdio_client(server), mode=mode) as client:
            listed = await client.list_tools()
            session = ""
            for tool, given in CALLS:
                filled = json.loads(json.dumps(given).replace("$session", session))
                result = await client.call_tool(tool, filled)
                assert not result.is_error, (tool, result.content)
                session = (result.structured_content or {}).get("session", session)
            return [tool.name for tool in listed.tools]

    assert asyncio.run(drive()) == NAMES


@pytest.mark.node
@pytest.mark.xdist_group("node")
def test_the_typescript_client_calls_each_tool(project: Path, tmp_path: Path) -> None:
    node = need_node()
    script = REPO / "tests" / "wire" / "drive_calls.mjs"
    done = subprocess.run(
        [str(node), str(script), json.dumps(_command(project)), json.dumps(CALLS)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**_environment(tmp_path), "NODE_MODULES": str(NODE_MODULES)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {"tools": NAMES, "failed": []}


@pytest.mark.node
@pytest.mark.xdist_group("node")
def test_the_inspector_objects_to_nothing_and_calls_a_tool(project: Path, tmp_path: Path) -> None:
    node = need_node()
    inspector = NODE_MODULES / "@modelcontextprotocol" / "inspector"
    binary = json.loads((inspector / "package.json").read_text())["bin"]
    script = inspector / (binary if isinstance(binary, str) else next(iter(binary.values())))
    for method in (
        ["--method", "tools/list", "--strict"],
        ["--method", "tools/call", "--tool-name", "read", "--tool-arg", "path=a.txt"],
    ):
        done = subprocess.run(
            [str(node), str(script), "--cli", *_command(project), *method],
            capture_output=True,
            text=True,
            timeout=240,
            env=_environment(tmp_path),
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "two" in done.stdout
