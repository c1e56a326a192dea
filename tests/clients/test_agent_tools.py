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
from tests.clients.at_work import REAL_CLIENTS, AgentDesktop
from tests.clients.scripted_model import ScriptedModel, Step
from tests.support import LONG, NODE_MODULES, REPO, need_node
from tests.toolsets.agent.each_tool import CALLS, FILES, session_in

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
                assert result.structured_content is None
                session = session_in(str(result.content), session)
            return [tool.name for tool in listed.tools]

    assert asyncio.run(drive()) == NAMES


@pytest.mark.node
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
def test_the_inspector_objects_to_nothing_and_calls_tools(project: Path, tmp_path: Path) -> None:
    node = need_node()
    inspector = NODE_MODULES / "@modelcontextprotocol" / "inspector"
    binary = json.loads((inspector / "package.json").read_text())["bin"]
    script = inspector / (binary if isinstance(binary, str) else next(iter(binary.values())))

    def inspect(*method: str, fails: bool = False) -> str:
        done = subprocess.run(
            [str(node), str(script), "--cli", *_command(project), "--method", *method],
            capture_output=True,
            text=True,
            timeout=240,
            env=_environment(tmp_path),
        )
        assert (done.returncode != 0) == fails, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    listed = inspect("tools/list", "--strict")
    assert all(f'"{name}"' in listed for name in NAMES)
    # Each call starts a server of its own, in which no command runs and nothing is to be undone.
    alone = {"session": {"session": "none"}, "undo": {"checkpoint": "here"}}
    for tool, given in CALLS if LONG else CALLS[:1]:
        given = alone.get(tool, given)
        texts = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in given.items()
        }
        pairs = [
            part for name, value in texts.items() for part in ("--tool-arg", f"{name}={value}")
        ]
        inspect("tools/call", "--tool-name", tool, *pairs, fails=tool == "session")


def _results(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of tools in a conversation."""
    return [
        block
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block.get("type") == "tool_result"
    ]


@pytest.mark.node
def test_claude_code_calls_each_tool(tmp_path: Path) -> None:
    need_node()
    desktop = AgentDesktop(tmp_path)
    desktop.prepare()
    for name, text in FILES.items():
        (desktop.folder / name).write_text(text)
    models: list[ScriptedModel] = []

    def fill(arguments: dict[str, Any]) -> None:
        """Give the call the session that the one before answered."""
        if arguments.get("session") == "$session":
            said = json.dumps(models[0].requests[-1]["messages"])
            arguments["session"] = session_in(said)

    steps = []
    for tool, given in CALLS:
        arguments = dict(given)
        steps.append(Step(f"mcp__redline__{tool}", arguments, lambda a=arguments: fill(a)))  # type: ignore[misc]
    with ScriptedModel(steps) as model:
        models.append(model)
        REAL_CLIENTS["claude-code"].run(desktop, model.url)
    asked = max(model.requests, key=lambda request: len(_results(request)))
    offered = {tool["name"] for tool in asked["tools"]}
    assert {f"mcp__redline__{name}" for name in NAMES} <= offered
    results = _results(asked)
    assert len(results) == len(CALLS), [
        (len(_results(request)), len(request["messages"])) for request in model.requests
    ]
    failed = [block for block in results if block.get("is_error")]
    assert not failed, failed
    # The model is shown the text, not a form of it in JSON.
    shown = [json.dumps(block["content"]) for block in results]
    assert "one\\ntwo" in shown[0], shown[0]
    assert (desktop.folder / "shop.py").read_text().startswith("def gross(x)")
