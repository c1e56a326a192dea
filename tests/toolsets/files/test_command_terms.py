"""On which terms execute_command runs a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from redline.app import Redline
from redline.core.ports.commands import Command, Finished, JobState, SandboxFacts
from redline.settings import Settings
from redline.toolsets.files.command import execute_command
from redline.toolsets.files.tools import TOOLS
from redline.toolsets.tool import Call, Client

TOOL = next(tool for tool in TOOLS if tool.name == "execute_command")


class Recorder:
    """Runs nothing and remembers what it was asked to run."""

    def __init__(self) -> None:
        self.asked: list[tuple[Command, int]] = []

    def run(self, command: Command, _origin: object, _cancel: object, limit: int) -> Finished:
        self.asked.append((command, limit))
        facts = SandboxFacts("safe", "", "", "", "")
        return Finished(JobState("exited", 0), b"", b"", False, False, facts)


class Patient:
    """Never cancels."""

    def check(self) -> None: ...


@pytest.mark.requirement("003-command-timeout-range")
@pytest.mark.parametrize(
    ("asked", "given"), [(None, 30), (0, 30), (-5, 30), (1, 1), (45, 45), (60, 60), (600, 60)]
)
def test_the_time_limit_is_thirty_seconds_and_sixty_at_most(
    tmp_path: Path, asked: int | None, given: int
) -> None:
    (tmp_path / "ws").mkdir()
    app = Redline(Settings(workspace=str(tmp_path / "ws"), state_dir=str(tmp_path / "state")))
    recorder = Recorder()
    app.__dict__["commands"] = recorder
    arguments: dict[str, Any] = {"command": "true"}
    if asked is not None:
        arguments["timeout"] = asked
    call = Call(TOOL, arguments, app, Client(), Patient(), lambda *_: None)  # type: ignore[arg-type]
    execute_command(call)
    ((command, limit),) = recorder.asked
    assert (command.timeout, command.grace, limit) == (given, 3, 512 * 1024)
