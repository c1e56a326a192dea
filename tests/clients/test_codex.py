"""Codex lists Redline's tools and calls them to the end of a small task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redline.cli.main import main
from redline.toolsets.agent.tools import TOOLS
from tests.clients.codex import Codex
from tests.support import need_node
from tests.toolsets.agent.each_tool import CALLS, FILES

pytestmark = pytest.mark.node


@pytest.mark.requirement("agent-real-clients")
def test_codex_calls_each_tool_and_undoes_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_node()
    workspace = tmp_path / "project"
    workspace.mkdir()
    for name, text in FILES.items():
        (workspace / name).write_text(text)
    (tmp_path / ".codex").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["config", "codex", "--write", "--workspace", str(workspace)]) == 0
    with Codex(tmp_path) as codex:
        thread = codex.request("thread/start", {"cwd": str(workspace)})["thread"]["id"]
        listed = codex.request("mcpServerStatus/list", {})["data"]
        (redline,) = [server for server in listed if server["name"] == "redline"]
        assert set(redline["tools"]) == {tool.name for tool in TOOLS}

        def call(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            params = {"threadId": thread, "server": "redline", "tool": tool, "arguments": arguments}
            answer = codex.request("mcpServer/tool/call", params)
            assert not answer.get("isError"), answer
            return answer

        session = ""
        for tool, given in CALLS:
            filled = json.loads(json.dumps(given).replace("$session", session))
            structured = call(tool, filled).get("structuredContent")
            session = (
                structured.get("session", session) if isinstance(structured, dict) else session
            )
        assert (workspace / "a.txt").read_text() == FILES["a.txt"].replace("two", "2")
        assert (workspace / "conf.yaml").read_text() == "port: 81\n"
