"""A person installs hooks, records, and sees the agent's name in the history."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.recorder.commands.hook_settings import hook_clients
from tests.cli.shell import Shell
from tests.recorder.adapters.hook_runs import payloads

pytestmark = pytest.mark.requirement("hooks-origins")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    found = Shell(tmp_path)
    del found.env["REDLINE_STATE_DIR"]
    found.env |= {"XDG_STATE_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"}
    return found


@pytest.fixture
def watching(shell: Shell) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "redline", "watch"],
        cwd=shell.folder,
        env=shell.env,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.terminate()
        assert process.wait(30) == 0


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.parametrize("client", sorted(hook_clients(".")))
def test_what_the_installed_command_says_is_in_the_history(
    client: str, shell: Shell, watching: subprocess.Popen[str]
) -> None:
    assert "recording" in first_line(watching)
    assert shell("hooks", "install", client)[0] == 0
    settings = json.loads(Path(hook_clients(str(shell.folder))[client].file).read_text())
    events = payloads(client, shell.folder)
    _run_hook(shell, settings, events["before_shell"])
    made = _change_until_recorded(shell, "made.txt")
    _run_hook(shell, settings, events["after_shell"])
    code, shown, _ = shell("show", made)
    assert code == 0
    assert client in shown.decode()
    assert "sed -i s/one/two/ a.txt" in shown.decode()


def _run_hook(shell: Shell, settings: dict[str, object], event: dict[str, object]) -> None:
    hooks = settings["hooks"]
    assert isinstance(hooks, dict)
    (entry,) = hooks[event["hook_event_name"]]
    (hook,) = entry.get("hooks", [entry])
    done = subprocess.run(
        ["sh", "-c", hook["command"]],
        input=json.dumps(event).encode(),
        cwd=shell.folder,
        env={**os.environ, "XDG_STATE_HOME": shell.env["XDG_STATE_HOME"]},
        capture_output=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def _change_until_recorded(shell: Shell, name: str) -> str:
    """Change a file until that is in the history, and return the change.

    The recorder may still learn the workspace, and records the hooks' file, too.
    """
    ends = time.monotonic() + 60
    number = 0
    while time.monotonic() < ends:
        number += 1
        (shell.folder / name).write_text(f"{number}\n")
        time.sleep(0.5)
        for line in shell("log")[1].decode().splitlines():
            if name in line:
                return line.split()[0]
    raise AssertionError("nothing was recorded")
