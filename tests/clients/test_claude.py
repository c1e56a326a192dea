"""Claude Code adds Redline and connects to it; its validator accepts our plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from redline.cli.commands.server.clients import known_clients
from tests.support import NODE, NODE_MODULES, REPO, need_node
from tests.wire.client import HttpClient, connect

pytestmark = pytest.mark.node


def _claude(home: Path, cwd: Path, *arguments: str, programs: Path | None = None) -> str:
    done = subprocess.run(
        [str(NODE_MODULES / ".bin" / "claude"), *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={
            "PATH": ":".join(map(str, filter(None, (programs, NODE.parent, os.environ["PATH"])))),
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
    folder = known_clients(str(project))["claude-code"].folder
    server = [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "agent"]
    server += ["--workspace", folder]
    _claude(tmp_path, project, "mcp", "add", "redline", "--", *server)
    told = _claude(tmp_path, project, "mcp", "list")
    (line,) = [line for line in told.splitlines() if line.startswith("redline:")]
    assert "Connected" in line


@pytest.mark.requirement("hooks-plugin")
@pytest.mark.parametrize("place", ["packaging/claude-plugin", "."])
def test_the_plugin_and_its_marketplace_are_valid(tmp_path: Path, place: str) -> None:
    need_node()
    found = _claude(tmp_path, tmp_path, "plugin", "validate", "--strict", str(REPO / place))
    assert "Validation passed" in found
    assert "warning" not in found.lower(), found


@pytest.mark.requirement("hooks-plugin")
def test_the_plugin_installs_from_a_clone_and_its_server_connects(tmp_path: Path) -> None:
    need_node()
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "redline"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m redline "$@"\n')
    program.chmod(0o755)
    project = tmp_path / "project"
    project.mkdir()
    _claude(tmp_path, project, "plugin", "marketplace", "add", str(REPO))
    _claude(tmp_path, project, "plugin", "install", "redline@redline")
    found = _claude(tmp_path, project, "plugin", "details", "redline")
    assert "log, redline, review, undo" in found
    assert "Hooks (7)" in found
    listed = _claude(tmp_path, project, "mcp", "list", programs=programs)
    (line,) = [line for line in listed.splitlines() if line.startswith("plugin:redline:redline:")]
    assert f"--workspace {project}" in line
    assert "Connected" in line


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
