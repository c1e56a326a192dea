"""Real clients connect to what `redline setup` wrote, and have every file back afterwards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from redline.cli.main import main
from tests.cli.test_setup import _setup, _tree
from tests.clients.codex import Codex
from tests.clients.test_claude import _claude
from tests.clients.test_gemini import _gemini, _is_connected
from tests.support import NODE_MODULES, need_node

pytestmark = [pytest.mark.node, pytest.mark.requirement("hooks-setup-real-clients")]


# What the person had before, in layouts that no client writes.
MINE = {
    ".claude/settings.local.json": '{ "permissions": {"allow": ["Bash(ls)"]} }\r\n',
    ".cursor/mcp.json": '{"mcpServers":{ }}',
    ".gemini/settings.json": '{\n\t"theme": "x" // kept\n}\n',
}


def _inspect(folder: Path) -> str:
    """Connect as the Inspector does, with the entry of Cursor; return the tools it lists."""
    entry = json.loads((folder / ".cursor" / "mcp.json").read_text())["mcpServers"]["redline"]
    command = [entry["command"], *entry["args"]]
    command = [each.replace("${workspaceFolder}", str(folder)) for each in command]
    script = (
        NODE_MODULES / "@modelcontextprotocol" / "inspector" / "clients/launcher/build/index.js"
    )
    done = subprocess.run(
        [str(need_node()), str(script), "--cli", *command, "--method", "tools/list"],
        capture_output=True, text=True, timeout=240, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_four_clients_connect_and_every_file_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_node()
    project = tmp_path / "project"
    project.mkdir()
    for name in (".claude", ".codex", ".cursor", ".gemini"):
        (tmp_path / name).mkdir()
    for name, text in MINE.items():
        (project / name).parent.mkdir()
        (project / name).write_bytes(text.encode())
    trusted = f'[projects."{project}"]\ntrust_level = "trusted"\n'
    (tmp_path / ".codex" / "config.toml").write_text(trusted)
    folders = json.dumps({str(project): "TRUST_FOLDER"})
    (tmp_path / ".gemini" / "trustedFolders.json").write_text(folders)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = _tree(project)
    assert _setup(project, "claude-code", "codex", "cursor", "gemini", "--yes") == 0
    # The one step that is left: Claude Code asks about servers of a project when it starts there.
    told = _claude(tmp_path, project, "mcp", "list")
    assert "redline" in told
    with Codex(tmp_path) as codex:
        thread = codex.request("thread/start", {"cwd": str(project)})["thread"]["id"]
        listed = codex.request("mcpServerStatus/list", {"threadId": thread})["data"]
        (redline,) = [server for server in listed if server["name"] == "redline"]
        assert len(redline["tools"]) == 17
    assert '"apply_patch"' in _inspect(project)
    assert _is_connected(_gemini(project, "mcp", "list"))
    assert main(["setup", "--workspace", str(project), "--remove"]) == 0
    assert _tree(project) == before
