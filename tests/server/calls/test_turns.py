"""Calls and answers between an event loop and its threads: several at a time, none held up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from redline.server.calls.thread_bridge import LoopTurns
from redline.server.calls.workers import Workers, release_slot_while_waiting

_PATIENCE = 30


def _run(body: Callable[[Workers, Callable[..., asyncio.Future[Any]]], Awaitable[None]]) -> None:
    """Run *body* in a loop; what it gets submits a job and returns the future of its answer."""

    async def main() -> None:
        workers = Workers(limit=8, share=4)
        turns = workers.turns = LoopTurns(workers)

        def call(job: Callable[[], Any], owner: str = "ann") -> asyncio.Future[Any]:
            answer = asyncio.get_running_loop().create_future()

            def run() -> None:
                value = job()
                turns.deliver(lambda: answer.set_result(value))

            workers.submit(run, owner=owner)
            return answer

        async with asyncio.timeout(_PATIENCE):
            await body(workers, call)
        assert await asyncio.to_thread(workers.drain, _PATIENCE)

    asyncio.run(main())


@pytest.mark.requirement("server-concurrent")
def test_every_call_of_many_clients_is_answered() -> None:
    async def body(_: Workers, call: Callable[..., asyncio.Future[Any]]) -> None:
        async def client(name: str) -> None:
            for number in range(50):
                assert await call(lambda n=number: n, name) == number

        await asyncio.gather(*(client(f"client {n}") for n in range(20)))

    _run(body)


@pytest.mark.requirement("server-concurrent")
def test_a_call_that_takes_long_holds_up_none_that_came_with_it() -> None:
    async def body(_: Workers, call: Callable[..., asyncio.Future[Any]]) -> None:
        end = threading.Event()
        slow = [call(lambda: end.wait(_PATIENCE), f"slow {n}") for n in range(3)]
        quick = [call(lambda: "quick", f"quick {n}") for n in range(10)]
        assert await asyncio.gather(*quick) == ["quick"] * 10
        assert not any(each.done() for each in slow)
        assert await call(lambda: "later", "later") == "later"
        end.set()
        assert await asyncio.gather(*slow) == [True] * 3

    _run(body)


@pytest.mark.requirement("server-concurrent")
def test_an_answer_is_sent_although_its_thread_goes_on_with_a_long_call() -> None:
    async def body(_: Workers, call: Callable[..., asyncio.Future[Any]]) -> None:
        end = threading.Event()
        for turn in range(20):
            end.clear()
            # Taken by one thread, one after the other: both are there before it is woken.
            quick = call(threading.get_ident, f"first {turn}")
            slow = call(lambda: end.wait(_PATIENCE), f"second {turn}")
            await quick
            end.set()
            assert await slow

    _run(body)


def test_a_call_that_waits_for_a_person_holds_up_nobody() -> None:
    async def body(_: Workers, call: Callable[..., asyncio.Future[Any]]) -> None:
        answered = threading.Event()

        def ask() -> str:
            release_slot_while_waiting(lambda: answered.wait(_PATIENCE))
            return "answered"

        asking = [call(ask) for _ in range(12)]
        assert await call(lambda: "quick") == "quick"
        answered.set()
        assert await asyncio.gather(*asking) == ["answered"] * 12

    _run(body)


def test_as_many_threads_as_are_needed_work_at_once() -> None:
    async def body(_: Workers, call: Callable[..., asyncio.Future[Any]]) -> None:
        meet = threading.Barrier(8)
        each = [call(lambda: meet.wait(_PATIENCE), f"client {n}") for n in range(8)]
        assert sorted(await asyncio.gather(*each)) == list(range(8))

    _run(body)


def test_jobs_that_no_loop_wakes_a_thread_for_are_done_before_the_end() -> None:
    workers, done = Workers(limit=2), threading.Event()

    async def main() -> None:
        workers.turns = LoopTurns(workers)
        workers.submit(done.set)

    asyncio.run(main())  # the loop ends before its next turn
    assert workers.drain(_PATIENCE)
    assert done.is_set()


def test_a_thread_that_cannot_be_started_leaves_its_job_to_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers, began, end = Workers(limit=4), threading.Event(), threading.Event()
    done = threading.Event()

    def first() -> None:
        began.set()
        assert end.wait(_PATIENCE)

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    workers.submit(first)
    assert began.wait(_PATIENCE)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        workers.submit(done.set)
    end.set()
    assert done.wait(_PATIENCE)
    assert workers.drain(_PATIENCE)
    assert workers._coming == 0
