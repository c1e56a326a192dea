"""The response to one POST: plain JSON, or a stream when something precedes the answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from threading import get_ident
from typing import Any

from redline.server.calls.thread_bridge import LoopTurns
from redline.server.http.replies import Fields, Send, send_data
from redline.server.http.request import Receive
from redline.server.observe.log import warn
from redline.server.rpc import wire
from redline.server.rpc.messages import CancelToken, Channel

REQUEST_CANCELLED = -32800
# Some proxies close a stream that is silent for longer.
_QUIET_SECONDS = 15.0
_PROMPT_SECONDS = 0.05
_MAX_UNSENT = 1000
_PING = b": ping\r\n\r\n"
_STREAM: Fields = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class AcceptedTypes:
    """What a client accepts by its Accept header: JSON, a stream, or both."""

    __slots__ = ("json", "stream")

    def __init__(self, accept: str) -> None:
        accept = accept.lower()
        everything = "*/*" in accept
        self.stream = everything or "text/event-stream" in accept
        self.json = everything or not self.stream or "application/json" in accept


class HttpExchange:
    """Takes messages from any thread through `channel`; `finish` sends them to the client."""

    __slots__ = (
        "_accepted",
        "_arrived",
        "_cancelled",
        "_fields",
        "_loop",
        "_thread",
        "_turns",
        "_wake",
        "channel",
    )

    def __init__(
        self,
        accepted: AcceptedTypes,
        fields: Fields,
        cancelled: Callable[[Any], Any] | None = None,
        turns: LoopTurns | None = None,
    ) -> None:
        # Makes the answer to a cancelled request from its id.
        self._cancelled = cancelled or answer_cancelled
        self._accepted = accepted
        self._fields = fields
        self._loop = asyncio.get_running_loop()
        self._thread = get_ident()
        self._turns = turns
        # Each message, and whether it is the answer.
        self._arrived: deque[tuple[Any, bool]] = deque()
        self._wake: asyncio.Future[None] | None = None
        gone = CancelToken(warn)
        self.channel = Channel(
            self._reply, self._notify, takes_questions=accepted.stream, gone=gone
        )

    def hung_up(self) -> None:
        """Mark the client as gone: it closed its end."""
        assert self.channel.gone is not None
        self.channel.gone.cancel()

    def end(self) -> None:
        """Stop waiting for the answer: its client is gone."""
        self._queue({}, True)

    def _reply(self, message: Any) -> None:
        self._queue(message, True)

    def _notify(self, message: Any) -> None:
        if not self._accepted.stream:
            return  # plain JSON has no place for it
        # A client that reads slowly misses notifications, but no question.
        if "id" in message or len(self._arrived) < _MAX_UNSENT:
            self._queue(message, False)

    def _queue(self, message: Any, is_answer: bool) -> None:
        self._arrived.append((message, is_answer))
        if get_ident() == self._thread:
            self._wake_if_waiting()
        elif is_answer and self._turns is not None:
            self._turns.deliver(self._wake_if_waiting)
        else:
            self._loop.call_soon_threadsafe(self._wake_if_waiting)

    def _wake_if_waiting(self) -> None:
        if self._arrived:  # else the message was taken before this callback ran
            self._wake_up()

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def _next(self) -> tuple[Any, bool] | None:
        """Return the next message; None after a while without one."""
        if not self._arrived:
            self._wake = self._loop.create_future()
            timer = self._loop.call_later(_QUIET_SECONDS, self._wake_up)
            try:
                await self._wake
            finally:
                timer.cancel()
        return self._arrived.popleft() if self._arrived else None

    async def _wait_for_single_answer(self) -> Any | None:
        """Return the answer if nothing precedes it; None when a stream must begin."""
        while True:
            found = await self._next()
            if found is not None and found[1]:
                return found[0]
            if self._accepted.stream:
                if found is not None:
                    self._arrived.appendleft(found)
                return None

    async def finish(self, send: Send, request_id: Any, status: Callable[[Any], int]) -> None:
        """Send everything up to the answer."""
        answer = await self._wait_for_single_answer()
        if answer is not None:
            answer = answer or self._cancelled(request_id)
            code = status(answer)
            if self._accepted.json or code != 200:
                await send_data(send, code, wire.encode(answer), self._fields)
                return
            self._arrived.appendleft((answer, True))
        await self._stream(send, request_id)

    async def _stream(self, send: Send, request_id: Any) -> None:
        head = [*_STREAM, *self._fields]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        is_last = False
        while not is_last:
            message, is_last = await self._next() or (None, False)
            data = _PING if message is None else _event(message or self._cancelled(request_id))
            await send({"type": "http.response.body", "body": data, "more_body": not is_last})


class HangUp:
    """Calls *gone* when the client closes its end; watches only when an answer is slow."""

    __slots__ = ("_gone", "_loop", "_receive", "_task", "_timer")

    def __init__(self, receive: Receive, gone: Callable[[], None]) -> None:
        self._receive = receive
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self._timer = self._loop.call_later(_PROMPT_SECONDS, self._begin)

    def _begin(self) -> None:
        self._task = self._loop.create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone()

    def stop(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()


def _event(message: Any) -> bytes:
    return b"event: message\r\ndata: " + wire.encode(message) + b"\r\n\r\n"


def answer_cancelled(request_id: Any) -> Any:
    """Return the answer to a request that was cancelled."""
    # MCP wants no answer to a cancelled request, but HTTP wants one to every POST.
    return wire.error(request_id, REQUEST_CANCELLED, "Request cancelled")
