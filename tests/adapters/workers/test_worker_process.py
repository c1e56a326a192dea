"""A worker dies alone, whatever it is made to do, and nothing of it is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.process_templates.template import Template, is_possible
from redline.adapters.sandbox import seccomp
from redline.adapters.workers.isolated_calls import IsolatedCalls, start_template
from redline.adapters.workers.messages import decode, encode
from redline.core.errors import Busy, LimitReached, TimeLimit, WorkerDied
from redline.core.ports.confined import Budget

HOSTILE = "tests.adapters.workers.hostile:"
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module", params=["started", "copied"])
def template(request: pytest.FixtureRequest) -> Iterator[Template | None]:
    """Workers of their own, and workers that are copies of one process."""
    if request.param == "started":
        yield None
        return
    if not is_possible():
        pytest.skip("needs pidfd_open")
    made = Template(start_template)
    yield made
    made.close()


@pytest.fixture
def workers(template: Template | None) -> Iterator[IsolatedCalls]:
    made = IsolatedCalls(Budget(20.0, 1 << 30), template=template)
    yield made
    made.close()


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _wait_until_gone(pid: int) -> None:
    ends = time.monotonic() + 10
    while _is_running(pid):
        assert time.monotonic() < ends, "the worker lives on"
        time.sleep(0.01)


@pytest.mark.requirement("parsers-die-alone")
@pytest.mark.parametrize("end", ["crash", "abort"])
def test_a_crash_is_a_typed_error_and_the_next_call_works(workers: IsolatedCalls, end: str) -> None:
    with pytest.raises(WorkerDied):
        workers.call(HOSTILE + end, ())
    assert workers.call(HOSTILE + "echo", (1,)) == 1


def test_addresses_that_a_parser_reserves_are_no_memory_of_the_next_call(
    workers: IsolatedCalls,
) -> None:
    toml = "redline.documents.isolated:check_syntax"
    assert workers.call(toml, (b"a = 1\n", "toml"), budget=Budget(20.0, 2 << 30)) is None
    found = workers.call("redline.code.worker:symbols", ("def f(): pass\n", "python"))
    assert found[0][0] == "f"


def test_too_much_memory_is_refused(workers: IsolatedCalls) -> None:
    with pytest.raises(LimitReached):
        workers.call(HOSTILE + "fill_memory", ())


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_each_call_has_the_limits_of_its_own_budget(workers: IsolatedCalls) -> None:
    seen = [
        workers.call(HOSTILE + "read_limits", (), budget=Budget(20.0, memory << 30, cpu))
        for memory, cpu in ((2, 0), (1, 9), (1, 9), (2, 9), (2, 0))
    ]
    assert len({pid for _, _, pid in seen}) == 1, "one worker answered them all"
    assert [memory >> 30 for memory, _, _ in seen] == [2, 1, 1, 2, 2]
    assert [cpu < 20 for _, cpu, _ in seen] == [False, True, True, True, False]


def test_nothing_waits_to_kill_a_worker_that_has_answered(workers: IsolatedCalls) -> None:
    workers.call(HOSTILE + "echo", (1,))
    assert workers._keeper is not None
    assert not workers._keeper._running


def test_an_answer_without_bound_is_not_read(workers: IsolatedCalls) -> None:
    with pytest.raises(LimitReached):
        workers.call(HOSTILE + "fill_answer", ())


def test_a_worker_that_holds_its_interpreter_is_killed_in_time(workers: IsolatedCalls) -> None:
    workers.call(HOSTILE + "echo", (1,))
    with pytest.raises(TimeLimit, match=r"took longer than 0\.3 s") as caught:  # it would return
        workers.call(HOSTILE + "hold_interpreter", (60,), budget=Budget(0.3))
    assert caught.value.details["cpu_seconds"] < 0.3, "it slept: that is no work"


def test_what_a_library_prints_does_not_get_among_the_answers(workers: IsolatedCalls) -> None:
    assert workers.call(HOSTILE + "print_nonsense", ()) == 1
    assert workers.call(HOSTILE + "echo", ("next",)) == "next"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_gets_no_environment_and_no_descriptor(
    workers: IsolatedCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "s")
    secret = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        found = workers.call(HOSTILE + "describe", ())
    finally:
        os.close(secret)
    assert set(found["environment"]) <= {"LC_CTYPE", "SYSTEMROOT", "MIMALLOC_ARENA_RESERVE"}
    assert len(found["descriptors"]) <= 5  # 0, 1, 2, the answers and this very listing
    assert found["isolated"]


def test_a_worker_writes_no_file(workers: IsolatedCalls, tmp_path: Path) -> None:
    with pytest.raises((WorkerDied, RuntimeError)):
        workers.call(HOSTILE + "write_file", (str(tmp_path / "a"),))
    assert not (tmp_path / "a").exists() or (tmp_path / "a").stat().st_size == 0


@pytest.mark.skipif(not seccomp.is_supported(), reason="needs seccomp")
@pytest.mark.parametrize("reach", ["open_socket", "signal_parent"])
def test_a_worker_reaches_neither_the_network_nor_the_server(
    workers: IsolatedCalls, reach: str
) -> None:
    with pytest.raises(RuntimeError, match="PermissionError"):
        workers.call(HOSTILE + reach, ())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_that_has_grown_is_not_asked_again(workers: IsolatedCalls) -> None:
    pid = workers.call(HOSTILE + "grow", ())
    assert workers.call(HOSTILE + "describe", ())["pid"] != pid
    _wait_until_gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_is_kept_warm_and_ends_with_its_pool(template: Template | None) -> None:
    workers = IsolatedCalls(template=template)
    first = workers.call(HOSTILE + "describe", ())["pid"]
    assert workers.call(HOSTILE + "describe", ())["pid"] == first
    workers.close()
    _wait_until_gone(first)
    with pytest.raises(Busy):
        workers.call(HOSTILE + "echo", (1,))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_pool_that_closes_ends_the_worker_that_is_busy(template: Template | None) -> None:
    workers = IsolatedCalls(template=template)
    pids: list[int] = []
    failed: list[BaseException] = []
    is_started = threading.Event()

    def started(pid: int) -> None:
        pids.append(pid)
        is_started.set()

    def wait() -> None:
        try:
            workers.call(HOSTILE + "wait_for_ever", (), {"started": started})
        except LimitReached as error:
            failed.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    assert is_started.wait(30)
    workers.close()
    thread.join(10)
    assert failed
    _wait_until_gone(pids[0])


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends it with its parent")
@pytest.mark.parametrize("template", ["None", "Template(start_template)"])
def test_a_busy_worker_does_not_outlive_a_server_that_was_killed(template: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from redline.adapters.process_templates.template import Template\n"
        "from redline.adapters.workers.isolated_calls import IsolatedCalls\n"
        "from redline.adapters.workers.isolated_calls import start_template\n"
        "def started(pid): print(pid, flush=True)\n"
        f"workers = IsolatedCalls(template={template})\n"
        f"workers.call('{HOSTILE}wait_for_ever', (), {{'started': started}})\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    assert _is_running(pid)
    server.kill()
    server.wait()
    server.stdout.close()
    _wait_until_gone(pid)


@pytest.mark.parametrize(
    "value",
    [
        None,
        -1,
        1 << 80,
        -(1 << 70),
        1.5,
        b"\xff",
        "é\ud800",
        {"\udcff": [1, {"a": None}]},
        float("inf"),
    ],
    ids=repr,
)
def test_plain_data_survive_the_pipe(value: Any) -> None:
    assert decode(encode(value)) == value
