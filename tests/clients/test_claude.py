"""Claude Code adds Redline and connects to it; its validator accepts our plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import NODE, NODE_MODULES, REPO, need_node
from tests.wire.client import HttpClient, connect

pytestmark = pytest.mark.node


def _claude(home: Path, cwd: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(NODE_MODULES / ".bin" / "claude"), *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={
            "PATH": f"{NODE.parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_claude_code_connects(tmp_path: Path) -> None:
    need_node()
    project = tmp_path / "project"
    project.mkdir()
    server = [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "agent"]
    server += ["--workspace", str(project)]
    _claude(tmp_path, project, "mcp", "add", "redline", "--", *server)
    told = _claude(tmp_path, project, "mcp", "list")
    (line,) = [line for line in told.splitlines() if line.startswith("redline:")]
    assert "Connected" in line


def test_the_plugin_manifest_is_valid(tmp_path: Path) -> None:
    need_node()
    told = _claude(tmp_path, tmp_path, "plugin", "validate", str(REPO / "packaging/claude-plugin"))
    assert "Validation passed" in told
    assert "warning" not in told.lower(), told


def test_claude_code_connects_over_http_with_a_token(tmp_path: Path) -> None:
    need_node()
    project = tmp_path / "project"
    project.mkdir()
    secret = {"REDLINE_AUTH_TOKEN": "0123456789abcdef0123456789abcdef"}
    with connect("http", [], cwd=project, env=secret, handshake=False) as server:
        assert isinstance(server, HttpClient)
        url = f"http://{server.host}:{server.port}/mcp"
        header = f"Authorization: Bearer {secret['REDLINE_AUTH_TOKEN']}"
        add = ["mcp", "add", "--transport", "http", "redline", url, "--header", header]
        _claude(tmp_path, project, *add)
        told = _claude(tmp_path, project, "mcp", "list")
    (line,) = [line for line in told.splitlines() if line.startswith("redline:")]
    assert "Connected" in line
