"""Codex lists Redline's tools and calls them to the end of a small task."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.cli.main import main
from tests.clients.codex import Codex
from tests.support import need_node

pytestmark = pytest.mark.node


def test_codex_edits_a_file_and_undoes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_node()
    workspace = tmp_path / "project"
    workspace.mkdir()
    (workspace / "a.txt").write_text("old\n")
    (tmp_path / ".codex").mkdir()
    trusted = f'[projects."{workspace}"]\ntrust_level = "trusted"\n'
    (tmp_path / ".codex" / "config.toml").write_text(trusted)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["config", "codex", "--write", "--workspace", str(workspace)]) == 0
    with Codex(tmp_path) as codex:
        thread = codex.request("thread/start", {"cwd": str(workspace)})["thread"]["id"]
        listed = codex.request("mcpServerStatus/list", {"threadId": thread})["data"]
        (redline,) = [server for server in listed if server["name"] == "redline"]
        assert {"edit_file", "undo_change", "list_changes"} <= set(redline["tools"])

        def call(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            params = {"threadId": thread, "server": "redline", "tool": tool, "arguments": arguments}
            answer = codex.request("mcpServer/tool/call", params)
            assert not answer.get("isError"), answer
            return answer

        edit = {"path": str(workspace / "a.txt"), "edits": [{"oldText": "old", "newText": "new"}]}
        call("edit_file", edit)
        assert (workspace / "a.txt").read_text() == "new\n"
        call("undo_change", {})
        assert (workspace / "a.txt").read_text() == "old\n"
