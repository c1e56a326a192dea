"""Jobs: their helper, their handles, their bounds."""

from __future__ import annotations

import glob
import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from redline.adapters.sandbox import bubblewrap
from redline.core.errors import Cancelled, LimitReached, SandboxUnavailable, SessionNotFound
from redline.core.ports.commands import Command
from tests.adapters.processes.ground import (
    BACKENDS,
    ROOT,
    Patience,
    commands_in,
    processes_with,
    require,
    run,
)
from tests.support import need


@pytest.fixture(params=[*BACKENDS, "dangerous"])
def guard(request: pytest.FixtureRequest) -> tuple[str, str]:
    if request.param == "dangerous":
        return "dangerous", "auto"
    require(request.param)
    return "safe", request.param


def test_a_helper_that_was_killed_is_replaced(tmp_path: Path, guard: tuple[str, str]) -> None:
    with commands_in(tmp_path, *guard) as made:
        run(made, "true")
        process = made._helper._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert run(made, "echo again").stdout == b"again\n"


def test_a_very_long_line_runs(tmp_path: Path, guard: tuple[str, str]) -> None:
    with commands_in(tmp_path, *guard) as made:
        line = "printf x" + " # " + "y" * 120_000
        assert run(made, line).stdout == b"x"


def test_a_line_no_program_could_take_fails_with_the_reason(
    tmp_path: Path, guard: tuple[str, str]
) -> None:
    with commands_in(tmp_path, *guard) as made, pytest.raises(SandboxUnavailable) as refused:
        run(made, "true " + "x" * 200_000)
    assert "too long" in refused.value.message


def test_names_that_are_not_utf_8_survive(tmp_path: Path, guard: tuple[str, str]) -> None:
    with commands_in(tmp_path, *guard) as made:
        run(made, os.fsdecode(b"echo hi > 'caf\xe9'"))
    assert os.listdir(os.fsencode(tmp_path)) == [b"caf\xe9"]


def test_many_commands_at_once_keep_their_output_apart(
    tmp_path: Path, guard: tuple[str, str]
) -> None:
    with commands_in(tmp_path, *guard) as made:
        jobs = [made.start(Command(f"echo {n}; cat >&2", ROOT, stdin=b"in")) for n in range(12)]
        for number, job in enumerate(jobs):
            done = made.finish(job, Patience(), 1 << 16)
            assert (done.stdout, done.stderr) == (f"{number}\n".encode(), b"in")


def test_the_number_of_running_commands_is_bounded(tmp_path: Path) -> None:
    with commands_in(tmp_path, "dangerous", max_running=2) as made:
        for _ in range(2):
            made.start(Command("sleep 600", ROOT))
        with pytest.raises(LimitReached):
            made.start(Command("true", ROOT))


def test_ended_jobs_that_nobody_collects_are_dropped_in_the_end(tmp_path: Path) -> None:
    with commands_in(tmp_path, "dangerous", max_kept=2) as made:
        jobs = []
        for _ in range(4):
            job = made.start(Command("true", ROOT))
            job.wait(30)
            jobs.append(job)
        with pytest.raises(SessionNotFound):
            made.get(jobs[0].id, "")
        assert made.get(jobs[-1].id, "") is jobs[-1]


def test_a_forgotten_job_is_killed(tmp_path: Path) -> None:
    with commands_in(tmp_path, "dangerous") as made:
        job = made.start(Command("sleep 31538001", ROOT))
        made.release(job.id, "")
        job.wait(30)
        assert job.state().has_ended
        assert processes_with("31538001") == []


def test_cancelling_ends_a_command_that_is_waited_for(tmp_path: Path) -> None:
    with commands_in(tmp_path, "dangerous") as made:
        patience = Patience()
        job = made.start(Command("echo up; sleep 31538002", ROOT))
        job.wait(30, for_output=True)
        patience.cancelled = True
        job.kill("KILL")
        with pytest.raises(Cancelled):
            made.finish(job, patience, 100)
        assert processes_with("31538002") == []


def test_the_head_of_long_output_is_kept_and_marked(tmp_path: Path) -> None:
    with commands_in(tmp_path, "dangerous") as made:
        job = made.start(Command("seq 1 100000; echo err >&2", ROOT))
        done = made.finish(job, Patience(), 1000)
    assert done.stdout.startswith(b"1\n2\n")
    assert len(done.stdout) == 1000
    assert (done.stdout_truncated, done.stderr_truncated) == (True, False)


@pytest.mark.parametrize("tty", [False, True])
def test_the_command_gets_neither_our_descriptors_nor_our_input(
    tmp_path: Path, guard: tuple[str, str], tty: bool
) -> None:
    with commands_in(tmp_path, *guard) as made:
        job = made.start(Command("ls /proc/self/fd; cat < /dev/null", ROOT, stdin=b"", tty=tty))
        said = made.finish(job, Patience(), 1 << 16)
    assert said.stdout.split() == [b"0", b"1", b"2", b"3"]  # 3 is the directory ls reads


def test_a_server_with_many_open_files_passes_none_to_a_command(
    tmp_path: Path, guard: tuple[str, str]
) -> None:
    need(os.sysconf("SC_OPEN_MAX") > 2000, "a limit of over 2,000 open files")
    with ExitStack() as many:
        for _ in range(1100):
            many.enter_context(open(os.devnull))
        with commands_in(tmp_path, *guard) as made:
            said = run(made, "ls /proc/self/fd")
    assert said.stdout.split() == [b"0", b"1", b"2", b"3"]  # 3 is the directory ls reads


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_first_process_of_its_namespaces_can_be_neither_read_nor_ended_by_a_command(
    tmp_path: Path, backend: str
) -> None:
    require(backend)
    with commands_in(tmp_path, "safe", backend) as made:
        looks = "cat /proc/1/environ /proc/1/mem /proc/1/fd/0"
        said = run(made, f"{looks}; kill -9 1; kill 1; echo on")
    assert said.stdout == b"on\n"
    assert said.stderr.count(b"ermission denied") == 3


def test_the_private_directory_goes_with_the_server(tmp_path: Path) -> None:
    with commands_in(tmp_path, "dangerous") as made:
        run(made, "true")
        private = made._helper.directory
        assert os.path.isdir(os.path.join(private, "home"))
    assert not os.path.exists(private)


def test_without_any_guard_safe_mode_refuses_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "executable", lambda: None)
    with commands_in(tmp_path, "safe") as made:
        made._helper.offer().update(abi=0)
        with pytest.raises(SandboxUnavailable) as refused:
            run(made, "true")
        assert "install bubblewrap" in refused.value.text
        with pytest.raises(SandboxUnavailable):
            made.describe()


def test_a_setuid_program_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o4755)
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    with commands_in(tmp_path, "dangerous") as made:
        assert made.is_privileged("./mine")
        assert not made.is_privileged("./plain")
        assert not made.is_privileged("no-such-program")


def test_a_command_may_bring_its_own_grace_after_the_time_limit(tmp_path: Path) -> None:
    line = "trap 'sleep 0.5; echo tidied; exit 7' TERM; echo up; while :; do sleep 0.05; done"
    with commands_in(tmp_path, "dangerous") as made:
        patient = run(made, line, timeout=0.5, grace=30.0)
        assert (patient.state.status, patient.state.exit_code) == ("timeout", 7)
        assert patient.stdout.endswith(b"tidied\n")
        hurried = run(made, line, timeout=0.5, grace=0.05)
        assert (hurried.state.status, hurried.state.exit_code) == ("timeout", -9)


def test_no_control_group_is_left_after_a_burst_of_commands(tmp_path: Path) -> None:
    with commands_in(tmp_path, "dangerous") as made:
        starts = [group["at"] for group in made._helper.cgroups]
        if not starts:
            pytest.skip("no control groups can be made here")
        jobs = [made.start(Command("true", ROOT)) for _ in range(20)]
        for job in jobs:
            made.finish(job, Patience(), 100)
        helper = made._helper._process
        assert helper is not None
        own = [f"{start}-{helper.pid}-*" for start in starts]
        assert all(glob.glob(pattern) for pattern in own)
    assert [path for pattern in own for path in glob.glob(pattern)] == []
