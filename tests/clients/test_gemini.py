"""Gemini CLI connects to Redline, by the entry we write and by its own command."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from redline.cli.main import main
from tests.support import NODE, NODE_MODULES, need_node

pytestmark = pytest.mark.node


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the person of a fresh home directory trusts."""
    need_node()
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / ".gemini").mkdir()
    trusted = json.dumps({str(folder): "TRUST_FOLDER"})
    (tmp_path / ".gemini" / "trustedFolders.json").write_text(trusted)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return folder


def _gemini(project: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(NODE_MODULES / ".bin" / "gemini"), *arguments],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        env={
            "PATH": f"{NODE.parent}:{os.environ['PATH']}",
            "HOME": str(project.parent),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        },
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def _is_connected(told: str) -> bool:
    (line,) = [line for line in told.splitlines() if " redline: " in line]
    return line.endswith("- Connected")


def test_the_entry_we_write_connects(project: Path) -> None:
    assert main(["config", "gemini", "--write", "--workspace", str(project)]) == 0
    assert _is_connected(_gemini(project, "mcp", "list"))


def test_the_command_we_print_connects(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "gemini", "--workspace", str(project)]) == 0
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("# or: gemini ")]
    _gemini(project, *shlex.split(line.removeprefix("# or: gemini ")))
    assert _is_connected(_gemini(project, "mcp", "list"))
