"""The Claude Code plugin says the same as the program it comes with."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redline._version import __version__
from redline.recorder.adapters import hook_program
from redline.toolsets.agent.tools import TOOLSET
from tests.recorder.adapters.hook_runs import payloads
from tests.support import REPO

PLUGIN = REPO / "packaging" / "claude-plugin"
pytestmark = pytest.mark.requirement("hooks-plugin")


def _read(path: str) -> Any:
    return json.loads((PLUGIN / path).read_text())


def test_the_manifest_and_the_marketplace_agree_with_the_program() -> None:
    manifest = _read(".claude-plugin/plugin.json")
    assert manifest["version"] == __version__
    (entry,) = json.loads((REPO / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
    assert (REPO / entry["source"]).samefile(PLUGIN)
    assert (entry["name"], entry["description"]) == (manifest["name"], manifest["description"])


def test_commands_and_skill_name_tools_that_exist() -> None:
    tools = {tool.name for tool in TOOLSET.tools}
    texts = {path.stem: path.read_text() for path in (PLUGIN / "commands").glob("*.md")}
    assert texts.keys() == {"log", "undo", "review"}
    texts["skill"] = (PLUGIN / "skills" / "redline" / "SKILL.md").read_text()
    for name, text in texts.items():
        assert not re.findall(r"\b[a-z]+_(?:changes?|checkpoint)\b", text), name
        assert set(re.findall(r"[Cc]all `(\w+)`", text)) <= tools, name
        allowed = re.findall(r"mcp__plugin_redline_redline__(\w+)", text)
        reading = {tool.name for tool in TOOLSET.tools if not tool.writes}
        assert set(allowed) <= reading, "a person is asked before anything changes"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="hooks need Unix sockets")
def test_its_hook_reaches_the_recorder_and_is_harmless_without_the_program(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    state_home = tmp_path / "state"
    env = {**os.environ, "XDG_STATE_HOME": str(state_home), "PATH": "/usr/bin:/bin"}
    hooks = _read("hooks/hooks.json")["hooks"]["PreToolUse"]
    command = hooks[0]["hooks"][0]["command"]
    event = json.dumps(payloads("claude-code", root)["before_shell"])

    def run() -> subprocess.CompletedProcess[str]:
        argv = ["sh", "-c", command]
        return subprocess.run(argv, input=event, capture_output=True, text=True, env=env, cwd=root)

    missing = run()
    assert (missing.returncode, missing.stdout, missing.stderr) == (0, "", "")
    programs = tmp_path / "bin"
    programs.mkdir()
    script = "import sys\nfrom redline.recorder.adapters.hook_program import run\nsys.exit(run())\n"
    (programs / "hook.py").write_text(script)
    start = f'#!/bin/sh\nexec "{sys.executable}" "{programs}/hook.py" "$@"\n'
    (programs / "redline-hook").write_text(start)
    (programs / "redline-hook").chmod(0o755)
    env |= {"PATH": f"{programs}:/usr/bin:/bin", "PYTHONPATH": str(REPO / "src")}
    name = Path(hook_program.state_dir_of(str(root.resolve()))).name
    home = state_home / "redline" / name / hook_program.FOLDER
    home.mkdir(parents=True)
    here = os.getcwd()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        os.chdir(home)
        try:
            listening.bind(hook_program.SOCKET)
        finally:
            os.chdir(here)
        listening.listen()
        listening.settimeout(30)
        assert run().returncode == 0
        with listening.accept()[0] as peer:
            said = json.loads(peer.makefile().readline())
    assert (said["client"], said["moment"], said["tool"]) == ("claude-code", "before", "Bash")
