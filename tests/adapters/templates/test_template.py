"""Copies of one process: each has its own memory, its own end, and nothing of the others."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from threading import Thread

import pytest

from redline.adapters.process_templates.template import (
    ChildProcess,
    ForkedProcess,
    Template,
    is_possible,
)
from redline.adapters.workers.isolated_calls import IsolatedCalls, start_template
from redline.core.errors import WorkerDied

pytestmark = pytest.mark.skipif(not is_possible(), reason="needs pidfd_open")
HOSTILE = "tests.adapters.workers.hostile:"


class Started:
    """Starts templates, and remembers them."""

    def __init__(self) -> None:
        self.processes: list[ChildProcess] = []

    def __call__(self, descriptor: int) -> ChildProcess:
        self.processes.append(start_template(descriptor))
        return self.processes[-1]


@pytest.fixture
def started() -> Started:
    return Started()


@pytest.fixture
def template(started: Started) -> Iterator[Template]:
    made = Template(started)
    yield made
    made.close()


@pytest.fixture
def pool(template: Template) -> Iterator[Callable[[], IsolatedCalls]]:
    made: list[IsolatedCalls] = []

    def open_pool() -> IsolatedCalls:
        made.append(IsolatedCalls(template=template))
        return made[-1]

    yield open_pool
    for each in made:
        each.close()


@pytest.mark.requirement("many-processes-apart")
def test_what_one_workspace_leaves_in_its_worker_no_other_sees(
    pool: Callable[[], IsolatedCalls],
) -> None:
    mine, other = pool(), pool()
    assert mine.call(HOSTILE + "remember", ("secret",)) == ["secret"]
    assert mine.call(HOSTILE + "remember", ("more",)) == ["secret", "more"], "it was kept warm"
    assert other.call(HOSTILE + "remember", ("x",)) == ["x"]
    assert pool().call(HOSTILE + "remember", ("y",)) == ["y"], "a copy made later"
    pids = {each.call(HOSTILE + "describe", ())["pid"] for each in (mine, other)}
    assert len(pids) == 2


def test_a_template_that_dies_takes_its_copies_along_and_is_started_again(
    pool: Callable[[], IsolatedCalls], started: Started
) -> None:
    workers = pool()
    workers.call(HOSTILE + "echo", (1,))
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            workers.call(HOSTILE + "wait_for_ever", (), {"started": end_template})
        except WorkerDied as error:
            failed.append(error)

    def end_template(_pid: int) -> None:
        os.kill(started.processes[0].pid, signal.SIGKILL)

    thread = Thread(target=ask)
    thread.start()
    thread.join(30)
    assert failed
    assert workers.call(HOSTILE + "echo", (2,)) == 2
    assert len(started.processes) == 2


@pytest.fixture
def copy(template: Template) -> Iterator[Callable[[], ForkedProcess]]:
    """Makes copies whose input ends when the test ends them."""
    held: list[int] = []

    def make() -> ForkedProcess:
        requests, sink = os.pipe()
        source, answers = os.pipe()
        held.extend((source, sink))
        try:
            return template.fork((), (requests, answers))
        finally:
            os.close(requests)
            os.close(answers)

    yield make
    for descriptor in held:
        os.close(descriptor)


def test_a_copy_tells_how_it_ended(copy: Callable[[], ForkedProcess]) -> None:
    first, second = copy(), copy()
    with pytest.raises(subprocess.TimeoutExpired):
        first.wait(0.01)
    assert first.poll() is None
    os.kill(first.pid, signal.SIGTERM)
    assert first.wait(30) == -signal.SIGTERM
    second.kill()
    assert second.wait(30) == -signal.SIGKILL
    second.kill()  # once more has no effect
    assert second.poll() == -signal.SIGKILL


def test_a_template_ends_when_it_is_closed_and_its_copies_with_it(
    copy: Callable[[], ForkedProcess], template: Template, started: Started
) -> None:
    process = copy()
    template.close()
    assert started.processes[0].returncode == 0
    assert process.wait(30) == -signal.SIGKILL
