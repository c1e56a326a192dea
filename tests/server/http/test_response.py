"""The way back of one POST: when it is JSON, when a stream, and that nothing is lost on it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.server.http import response
from redline.server.http.response import AcceptedTypes, HangUp, HttpExchange

BOTH, JSON, STREAM = "application/json, text/event-stream", "application/json", "text/event-stream"
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {}}
TOLD = {"jsonrpc": "2.0", "method": "notifications/message"}


class Reply:
    """What the client got."""

    def __init__(self, parts: list[dict[str, Any]]) -> None:
        start, *bodies = parts
        self.status = start["status"]
        self.headers = dict(start["headers"])
        self.kind = self.headers[b"content-type"].decode()
        self.body = b"".join(part["body"] for part in bodies)
        assert [part.get("more_body", False) for part in bodies] == [True] * (len(bodies) - 1) + [
            False
        ]

    @property
    def events(self) -> list[Any]:
        """The messages of a stream."""
        lines = self.body.decode().split("\r\n")
        return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def carry(
    accept: str, say: Callable[[HttpExchange], None], status: int = 200, *, threaded: bool = True
) -> Reply:
    """What comes of *say* for a client that accepts *accept*."""
    parts: list[dict[str, Any]] = []

    async def send(part: dict[str, Any]) -> None:
        parts.append(part)

    async def run() -> None:
        exchange = HttpExchange(AcceptedTypes(accept), [(b"x-own", b"1")])
        if threaded:
            threading.Thread(target=say, args=(exchange,)).start()
        else:
            say(exchange)
        await exchange.finish(send, 7, lambda _: status)

    asyncio.run(run())
    return Reply(parts)


def test_signs_of_life_are_sent_only_when_it_is_quiet() -> None:
    def say(exchange: HttpExchange) -> None:
        for _ in range(20):
            exchange.channel.notify(TOLD)
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.05), exchange._loop).result()
        exchange.channel.reply(ANSWER)

    reply = carry(BOTH, say)
    assert reply.events == [TOLD] * 20 + [ANSWER]
    assert b"ping" not in reply.body


@pytest.mark.parametrize("threaded", [True, False])
@pytest.mark.parametrize("accept", [BOTH, JSON, "", "*/*", "text/html"])
def test_an_answer_that_comes_alone_is_json(accept: str, threaded: bool) -> None:
    reply = carry(accept, lambda e: e.channel.reply(ANSWER), threaded=threaded)
    assert (reply.kind, json.loads(reply.body)) == ("application/json", ANSWER)
    assert reply.headers[b"content-length"] == str(len(reply.body)).encode()
    assert reply.headers[b"x-own"] == b"1"


def test_a_client_that_takes_only_streams_gets_one() -> None:
    reply = carry(STREAM, lambda e: e.channel.reply(ANSWER))
    assert (reply.kind, reply.events) == ("text/event-stream", [ANSWER])


def test_an_error_with_a_status_of_its_own_is_json_for_everybody() -> None:
    reply = carry(STREAM, lambda e: e.channel.reply(ANSWER), status=404)
    assert (reply.status, reply.kind) == (404, "application/json")


def test_what_comes_before_the_answer_opens_a_stream_or_is_left_out() -> None:
    def say(exchange: HttpExchange) -> None:
        exchange.channel.notify(TOLD)
        exchange.channel.reply(ANSWER)

    for accept in (BOTH, STREAM, "*/*"):
        reply = carry(accept, say)
        assert (reply.kind, reply.events) == ("text/event-stream", [TOLD, ANSWER])
    reply = carry(JSON, say)
    assert (reply.kind, json.loads(reply.body)) == ("application/json", ANSWER)


def test_news_for_a_client_that_reads_none_are_not_piled_up_but_questions_and_the_answer_stay() -> (
    None
):
    question = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create"}

    def say(exchange: HttpExchange) -> None:
        for _ in range(5000):
            exchange.channel.notify(TOLD)
        exchange.channel.notify(question)
        exchange.channel.reply(ANSWER)

    reply = carry(BOTH, say, threaded=False)
    told = reply.events
    assert told[-2:] == [question, ANSWER]
    assert told[:-2] == [TOLD] * 1000


def test_only_a_client_that_takes_streams_can_be_asked() -> None:
    async def asks(accept: str) -> bool:
        return HttpExchange(AcceptedTypes(accept), []).channel.takes_questions

    assert [asyncio.run(asks(accept)) for accept in (BOTH, STREAM, JSON, "")] == [
        True, True, False, False,
    ]  # fmt: skip


@given(st.lists(st.integers(0, 5), max_size=30), st.booleans())
@settings(max_examples=40)
def test_messages_from_another_thread_all_arrive_in_order(
    pauses: list[int], answers_first: bool
) -> None:
    messages = [{**TOLD, "params": {"n": n}} for n in range(len(pauses))]

    def say(exchange: HttpExchange) -> None:
        for message, pause in zip(messages, pauses, strict=True):
            exchange.channel.notify(message)
            if pause == 0:
                threading.Event().wait(0.0005)
        exchange.channel.reply(ANSWER)

    reply = carry(BOTH, say, threaded=not answers_first)
    found = reply.events if pauses else [json.loads(reply.body)]
    assert found == [*messages, ANSWER]


@pytest.mark.parametrize("accept", [BOTH, STREAM])
def test_a_cancelled_request_still_ends_its_exchange(accept: str) -> None:
    reply = carry(accept, lambda e: e.channel.reply({}))
    found = reply.events[0] if accept == STREAM else json.loads(reply.body)
    assert (found["id"], found["error"]["code"]) == (7, -32800)


def test_a_long_silence_becomes_a_stream_with_signs_of_life(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(response, "_QUIET_SECONDS", 0.01)

    def say(exchange: HttpExchange) -> None:
        threading.Event().wait(0.1)
        exchange.channel.reply(ANSWER)

    reply = carry(BOTH, say)
    assert (reply.kind, reply.events) == ("text/event-stream", [ANSWER])
    assert reply.body.count(b": ping\r\n\r\n") >= 1
    reply = carry(JSON, say)
    assert (reply.kind, json.loads(reply.body)) == ("application/json", ANSWER)


def test_a_client_that_hangs_up_is_noticed_while_its_call_runs() -> None:
    async def run() -> None:
        closed, gone = asyncio.Event(), asyncio.Event()

        async def receive() -> dict[str, Any]:
            await closed.wait()
            return {"type": "http.disconnect"}

        watch = HangUp(receive, gone.set)
        closed.set()
        await asyncio.wait_for(gone.wait(), 10)
        watch.stop()

    asyncio.run(run())


def test_an_answer_that_is_prompt_is_not_watched() -> None:
    asked: list[int] = []

    async def run() -> None:
        async def receive() -> dict[str, Any]:
            asked.append(1)
            return {"type": "http.disconnect"}

        watch = HangUp(receive, lambda: asked.append(2))
        watch.stop()
        await asyncio.sleep(2 * response._PROMPT_SECONDS)

    asyncio.run(run())
    assert asked == []
