"""Processes that were prepared for the next command may be killed; commands run all the same."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from redline.adapters.processes.commands import SandboxedCommands
from redline.core.errors import SandboxUnavailable
from redline.core.ports.commands import Command
from tests.adapters.processes.ground import (
    BACKENDS,
    ROOT,
    Patience,
    commands_in,
    require,
    run,
)

pytestmark = pytest.mark.requirement("sandbox-prepared")
_READY = 4


def _children(parent: int) -> list[int]:
    """The living children of a process, the oldest first."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                facts = file.read().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(facts[1]) == parent and facts[0] != "Z":
            found.append((int(facts[19]), int(name)))
    return [pid for _, pid in sorted(found)]


def _helper(made: SandboxedCommands) -> int:
    process = made._helper._process
    assert process is not None
    return process.pid


def _supervisors(made: SandboxedCommands) -> list[int]:
    """Those that wait; what holds the mount tree was started before them."""
    return _children(_helper(made))[1:]


def _wait_until(is_true: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.01)


def _kill(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    _wait_until(lambda: all(map(_is_gone, pids)))


def _is_gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.fixture(params=BACKENDS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SandboxedCommands]:
    """Commands of which the next ones are prepared."""
    require(request.param)
    with commands_in(tmp_path, "safe", request.param) as made:
        if not made._helper.offer()["namespaces"]:
            pytest.skip("without namespaces little is prepared")
        run(made, "true")
        _wait_until(lambda: len(_supervisors(made)) >= _READY)
        _wait_until(lambda: all(_children(pid) for pid in _supervisors(made)))
        yield made


def _run_in_time(made: SandboxedCommands, line: str) -> bytes:
    job = made.start(Command(line, ROOT, timeout=60.0))
    job.wait(30)
    assert job.state().has_ended
    return made.finish(job, Patience(), 1 << 10).stdout


def _require_commands(made: SandboxedCommands) -> None:
    for number in range(_READY + 2):
        assert _run_in_time(made, f"echo {number}") == b"%d\n" % number


def test_a_command_runs_when_every_supervisor_that_waited_was_killed(
    made: SandboxedCommands,
) -> None:
    _kill(_supervisors(made))
    _require_commands(made)


def test_a_command_runs_when_the_first_processes_that_waited_were_killed(
    made: SandboxedCommands,
) -> None:
    _kill([first for pid in _supervisors(made) for first in _children(pid)])
    _require_commands(made)


def test_commands_run_when_what_holds_their_mount_tree_was_killed(made: SandboxedCommands) -> None:
    (holder,) = set(_children(_helper(made))) - set(_supervisors(made))
    _kill(_children(holder))
    _require_commands(made)


def test_a_command_that_no_supervisor_lives_to_take_fails_and_later_ones_run(
    made: SandboxedCommands,
) -> None:
    helper, is_over, killed = _helper(made), Event(), set[int]()

    def kill_each() -> None:
        while not is_over.wait(0.002):
            for pid in _supervisors(made):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                killed.add(pid)

    _kill(_supervisors(made))
    killer = Thread(target=kill_each)
    killer.start()
    try:
        with pytest.raises(SandboxUnavailable):
            _run_in_time(made, "sleep 60")
    finally:
        is_over.set()
        killer.join()
    # One that has not died yet might still take the next command with it.
    _wait_until(lambda: all(map(_is_gone, killed)))
    _require_commands(made)
    assert _helper(made) == helper


def test_a_signal_for_a_command_that_just_ended_does_not_hide_how_it_ended(
    made: SandboxedCommands,
) -> None:
    job = made.start(Command("sleep 60 & echo up; read x; exit 3", ROOT, stdin=None, timeout=60.0))
    job.wait(30, for_output=True)
    # The first process, the shell and what that started; one that is being prepared has two.
    (supervisor,) = [pid for pid in _supervisors(made) if len(_descendants(pid)) > 2]
    (first,) = _children(supervisor)
    os.kill(supervisor, signal.SIGSTOP)
    job.send(b"go\n")
    _wait_until(lambda: _is_gone(first))
    job.kill("TERM")
    is_sent = Event()
    job._reactor.do(is_sent.set)
    assert is_sent.wait(30)
    os.kill(supervisor, signal.SIGCONT)
    job.wait(30)
    assert (job.state().exit_code, job.notes) == (3, ())


def _descendants(pid: int) -> list[int]:
    return [each for child in _children(pid) for each in (child, *_descendants(child))]
