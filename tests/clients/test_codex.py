"""Codex lists Redline's tools and calls them to the end of a small task."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.adapters.recorder.hook_program import MOMENTS
from redline.cli.main import main
from tests.clients.codex import Codex
from tests.support import need_node

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


def test_codex_edits_a_file_and_undoes_it(workspace: Path, tmp_path: Path) -> None:
    (workspace / "a.txt").write_text("old\n")
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
