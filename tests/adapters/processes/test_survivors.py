"""Nothing a command starts outlives it, whatever it does to get away."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from redline.core.ports.commands import Command
from tests.adapters.processes.ground import (
    BACKENDS,
    ROOT,
    commands_in,
    processes_with,
    require,
    run,
)

_DOUBLE_FORK = """
import os, sys
if os.fork(): os.wait(); sys.exit()
os.setsid()
if os.fork(): sys.exit()
os.execvp("sleep", ["sleep", sys.argv[1]])
"""
_OWN_TERMINAL = """
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp("sleep", ["sleep", sys.argv[1]])
print("started", flush=True)
"""
KINDS = {
    "setsid": "setsid sleep {m} &",
    "double fork": "python3 two.py {m}",
    "ignores TERM": "(trap '' TERM HUP INT; exec sleep {m}) &",
    "nohup": "nohup sleep {m} >/dev/null 2>&1 &",
    "own terminal": "python3 term.py {m} &",
}


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    (tmp_path / "two.py").write_text(_DOUBLE_FORK)
    (tmp_path / "term.py").write_text(_OWN_TERMINAL)
    return tmp_path


def _marker() -> str:
    return f"31536{random.randrange(10**9):09d}"


def _daemon(kind: str, marker: str, after: str) -> str:
    return f"trap '' TERM; {KINDS[kind].format(m=marker)}\n{after}"


@pytest.fixture(params=[*BACKENDS, "dangerous"])
def guard(request: pytest.FixtureRequest) -> tuple[str, str]:
    if request.param == "dangerous":
        return "dangerous", "auto"
    require(request.param)
    return "safe", request.param


@pytest.mark.requirement("coding-exec-survivors")
@pytest.mark.parametrize("kind", KINDS)
def test_no_daemon_outlives_a_command_that_ends_by_itself(
    kind: str, ground: Path, guard: tuple[str, str]
) -> None:
    marker = _marker()
    with commands_in(ground, *guard) as made:
        finished = run(made, _daemon(kind, marker, "echo done"))
        assert b"done" in finished.stdout
        assert processes_with(marker) == []


@pytest.mark.requirement("coding-exec-survivors", "coding-exec-timeout")
@pytest.mark.parametrize("kind", KINDS)
def test_no_daemon_outlives_a_time_out(kind: str, ground: Path, guard: tuple[str, str]) -> None:
    marker = _marker()
    with commands_in(ground, *guard) as made:
        line = _daemon(kind, marker, f"sleep {marker}")
        finished = run(made, line, timeout=0.5)
        assert finished.state.status == "timeout"
        assert processes_with(marker) == []


@pytest.mark.requirement("coding-exec-survivors")
@pytest.mark.parametrize("kind", KINDS)
def test_no_daemon_outlives_a_kill(kind: str, ground: Path, guard: tuple[str, str]) -> None:
    marker = _marker()
    with commands_in(ground, *guard) as made:
        line = _daemon(kind, marker, f"echo up; sleep {marker}")
        job = made.start(Command(line, ROOT, timeout=60.0))
        seen = b""
        while b"up" not in seen:
            job.wait(30, for_output=True)
            seen += job.take().stdout.head
        job.kill("TERM", grace=0.1)
        job.wait(30)
        assert job.state().status == "killed"
        assert processes_with(marker) == []


_SERVER = """
import sys
sys.path[:0] = [{src!r}, {top!r}]
from tests.adapters.processes.ground import *
from redline.core.ports.commands import *
with commands_in({ground!r}, {mode!r}, {backend!r}) as made:
    job = made.start(Command({line!r}, ROOT, timeout=600.0))
    job.wait(30, for_output=True)
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.mark.requirement("coding-exec-survivors")
def test_nothing_outlives_a_server_that_was_killed(ground: Path, guard: tuple[str, str]) -> None:
    marker = _marker()
    line = _daemon("double fork", marker, f"echo up; sleep {marker}")
    top = Path(__file__).parents[3]
    code = _SERVER.format(
        src=str(top / "src"), top=str(top), ground=str(ground), mode=guard[0], backend=guard[1],
        line=line,
    )  # fmt: skip
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    assert server.stdin is not None
    assert server.stdout.readline() == b"up\n"
    helpers = [pid for pid in processes_with("spawner") if _parent(pid) == server.pid]
    assert len(helpers) == 1
    helper = os.pidfd_open(helpers[0])
    server.send_signal(signal.SIGKILL)
    server.wait()
    server.stdout.close()
    server.stdin.close()
    assert select.select([helper], [], [], 30)[0]  # it goes last, after its jobs
    os.close(helper)
    assert processes_with(marker) == []


def _parent(pid: int) -> int:
    """Whose child *pid* is; 0 when it has gone meanwhile (other tests have helpers too)."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


@pytest.mark.requirement("sandbox-survivors")
@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_outlives_a_supervisor_that_was_killed(ground: Path, backend: str) -> None:
    require(backend)
    marker = _marker()
    with commands_in(ground, "safe", backend) as made:
        if backend == "landlock" and not made._helper.offer()["namespaces"]:
            pytest.skip("without namespaces a supervisor is needed")
        line = _daemon("double fork", marker, f"echo up; sleep {marker}")
        job = made.start(Command(line, ROOT, timeout=60.0))
        job.wait(30, for_output=True)
        helper = made._helper._process
        assert helper is not None
        assert processes_with(marker)
        for pid in [p for p in processes_with("spawner") if _parent(p) == helper.pid]:
            os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + 30
        while left := processes_with(marker):  # the kernel kills them, each in its time
            assert time.monotonic() < until, left
            time.sleep(0.01)
