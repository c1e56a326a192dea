"""On which terms execute_command runs a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redline.core.call_scope import UNCANCELLABLE
from redline.core.errors import PermissionDenied
from redline.core.ports.commands import Command, Finished, JobState, SandboxFacts
from redline.settings import Settings
from redline.toolsets.call import Answer, Call, Question
from redline.toolsets.files.command import execute_command
from redline.toolsets.files.tools import TOOLS
from redline.toolsets.tool import Client
from redline.wiring.workspace import Redline

TOOL = next(tool for tool in TOOLS if tool.name == "execute_command")


class Recorder:
    """Runs nothing and remembers what it was asked to run."""

    def __init__(self) -> None:
        self.asked: list[tuple[Command, int]] = []

    def is_privileged(self, _word: str) -> bool:
        return False

    def run(self, command: Command, _origin: object, _cancel: object, limit: int) -> Finished:
        self.asked.append((command, limit))
        facts = SandboxFacts("safe", "", "", "", "")
        return Finished(JobState("exited", 0), b"", b"", False, False, facts)


def prepare(
    folder: Path, arguments: dict[str, Any], ask: Callable[[Question], Answer] | None = None
) -> tuple[Call, Recorder]:
    (folder / "ws").mkdir()
    app = Redline(Settings(workspace=str(folder / "ws"), state_dir=str(folder / "state")))
    recorder = Recorder()
    app.__dict__["commands"] = recorder
    call = Call(TOOL, arguments, app, Client(), UNCANCELLABLE, lambda *_: None, ask=ask)
    return call, recorder


@pytest.mark.requirement("files-command-timeout-range")
@pytest.mark.parametrize(
    ("asked", "given"), [(None, 30), (0, 30), (-5, 30), (1, 1), (45, 45), (60, 60), (600, 60)]
)
def test_the_time_limit_is_thirty_seconds_and_sixty_at_most(
    tmp_path: Path, asked: int | None, given: int
) -> None:
    arguments: dict[str, Any] = {"command": "true"}
    if asked is not None:
        arguments["timeout"] = asked
    call, recorder = prepare(tmp_path, arguments)
    execute_command(call)
    ((command, limit),) = recorder.asked
    assert (command.timeout, command.grace, limit) == (given, 3, 512 * 1024)


LINE = "curl http://example.com > page.html"


@pytest.mark.requirement("files-command-gate")
def test_a_person_who_agrees_sees_the_whole_command_and_lifts_that_limit_alone(
    tmp_path: Path,
) -> None:
    seen: list[str] = []

    def agree(question: Question) -> Answer:
        seen.append(question.message)
        return Answer("accept", {"decision": "allow"})

    call, recorder = prepare(tmp_path, {"command": LINE}, agree)
    execute_command(call)
    assert len(seen) == 1
    assert "Allow network for this command?" in seen[0]
    assert LINE in seen[0]
    assert str(tmp_path / "ws") in seen[0]
    ((command, _),) = recorder.asked
    assert command.permissions == {"network"}


@pytest.mark.requirement("files-command-gate")
def test_without_a_person_who_agrees_nothing_runs(tmp_path: Path) -> None:
    call, recorder = prepare(tmp_path, {"command": LINE}, lambda _: Answer("decline"))
    with pytest.raises(PermissionDenied):
        execute_command(call)
    assert recorder.asked == []


@pytest.mark.requirement("files-command-gate")
def test_where_nobody_can_be_asked_it_runs_without_the_network(tmp_path: Path) -> None:
    call, recorder = prepare(tmp_path, {"command": LINE})
    execute_command(call)
    ((command, _),) = recorder.asked
    assert command.permissions == frozenset()


@pytest.mark.requirement("files-command-gate")
@pytest.mark.parametrize("line", ["cat /etc/hostname", "curl localhost:3000", "rm -rf build"])
def test_nobody_is_asked_about_what_the_sandbox_decides(tmp_path: Path, line: str) -> None:
    def ask(_: Question) -> Answer:
        raise AssertionError("there is nothing to grant")

    call, recorder = prepare(tmp_path, {"command": line}, ask)
    execute_command(call)
    assert len(recorder.asked) == 1
