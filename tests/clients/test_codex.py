"""Codex lists Redline's tools and calls them to the end of a small task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redline.cli.main import main
from redline.recorder.adapters.hook_program import MOMENTS
from redline.toolsets.agent.tools import TOOLS
from tests.clients.codex import Codex
from tests.support import need_node
from tests.toolsets.agent.each_tool import CALLS, FILES, session_in

pytestmark = pytest.mark.node


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that Codex trusts."""
    need_node()
    found = tmp_path / "project"
    found.mkdir()
    (tmp_path / ".codex").mkdir()
    trusted = f'[projects."{found}"]\ntrust_level = "trusted"\n'
    (tmp_path / ".codex" / "config.toml").write_text(trusted)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return found


@pytest.mark.requirement("hooks-install")
def test_codex_lists_the_hooks_that_were_installed(workspace: Path, tmp_path: Path) -> None:
    assert main(["hooks", "install", "codex", "--workspace", str(workspace)]) == 0
    with Codex(tmp_path) as codex:
        (found,) = codex.request("hooks/list", {"cwds": [str(workspace)]})["data"]
    events = {hook["eventName"] for hook in found["hooks"] if hook["enabled"]}
    wanted = set(MOMENTS["codex"])
    assert {event[0].upper() + event[1:] for event in events} == wanted
    assert not found.get("errors"), found


@pytest.mark.requirement("agent-real-clients")
def test_codex_calls_each_tool_and_undoes_a_change(workspace: Path, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (workspace / name).write_text(text)
    assert main(["config", "codex", "--write", "--workspace", str(workspace)]) == 0
    with Codex(tmp_path) as codex:
        thread = codex.request("thread/start", {"cwd": str(workspace)})["thread"]["id"]
        listed = codex.request("mcpServerStatus/list", {"threadId": thread})["data"]
        (redline,) = [server for server in listed if server["name"] == "redline"]
        assert set(redline["tools"]) == {tool.name for tool in TOOLS}

        def call(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            params = {"threadId": thread, "server": "redline", "tool": tool, "arguments": arguments}
            answer = codex.request("mcpServer/tool/call", params)
            assert not answer.get("isError"), answer
            return answer

        session, held = "", []
        for tool, given in CALLS:
            filled = json.loads(json.dumps(given).replace("$session", session))
            session = session_in(str(call(tool, filled)["content"]), session)
            held.append((tool, (workspace / "conf.yaml").read_text()))
        assert (workspace / "a.txt").read_text() == FILES["a.txt"].replace("two", "2")
        assert ("set", "port: 81\n") in held
        assert held[-1] == ("undo", FILES["conf.yaml"])
