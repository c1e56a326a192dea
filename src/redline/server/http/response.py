"""The way back of one POST: plain JSON, or a stream where something comes before the answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from threading import get_ident
from typing import Any

from redline.server.http.replies import Fields, Send, send_data
from redline.server.http.request import Receive
from redline.server.observe.log import warn
from redline.server.rpc import wire
from redline.server.rpc.cancel import Token
from redline.server.rpc.messages import Channel

REQUEST_CANCELLED = -32800
# A stream that says nothing for this long is closed by some proxies.
_QUIET_SECONDS = 15.0
_PROMPT_SECONDS = 0.05
_MOST_UNSENT = 1000
_PING = b": ping\r\n\r\n"
_STREAM: Fields = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class Forms:
    """What a client takes, by its Accept header: JSON, a stream, or both."""

    __slots__ = ("json", "stream")

    def __init__(self, accept: str) -> None:
        accept = accept.lower()
        everything = "*/*" in accept
        self.stream = everything or "text/event-stream" in accept
        self.json = everything or not self.stream or "application/json" in accept


class Exchange:
    """Takes messages from any thread through `channel`; `finish` sends them to the client."""

    __slots__ = ("_arrived", "_fields", "_forms", "_loop", "_thread", "_wake", "channel")

    def __init__(self, forms: Forms, fields: Fields) -> None:
        self._forms = forms
        self._fields = fields
        self._loop = asyncio.get_running_loop()
        self._thread = get_ident()
        # Each message, and whether it is the answer.
        self._arrived: deque[tuple[Any, bool]] = deque()
        self._wake: asyncio.Future[None] | None = None
        gone = Token(warn)
        self.channel = Channel(self._reply, self._tell, takes_questions=forms.stream, gone=gone)

    def hung_up(self) -> None:
        """The client no longer listens."""
        assert self.channel.gone is not None
        self.channel.gone.cancel()

    def end(self) -> None:
        """Nobody waits for the answer any more."""
        self._put({}, True)

    def _reply(self, message: Any) -> None:
        self._put(message, True)

    def _tell(self, message: Any) -> None:
        if not self._forms.stream:
            return  # there is no place for it
        # Who reads slowly misses news, but no question.
        if "id" in message or len(self._arrived) < _MOST_UNSENT:
            self._put(message, False)

    def _put(self, message: Any, is_answer: bool) -> None:
        self._arrived.append((message, is_answer))
        if get_ident() == self._thread:
            self._rouse()
        else:
            self._loop.call_soon_threadsafe(self._rouse)

    def _rouse(self) -> None:
        if self._arrived:  # else it was taken before we were called
            self._wake_up()

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def _next(self) -> tuple[Any, bool] | None:
        """The next message; None after a while without one."""
        if not self._arrived:
            self._wake = self._loop.create_future()
            timer = self._loop.call_later(_QUIET_SECONDS, self._wake_up)
            try:
                await self._wake
            finally:
                timer.cancel()
        return self._arrived.popleft() if self._arrived else None

    async def _alone(self) -> Any | None:
        """The answer when nothing has to be sent before it; None when a stream must begin."""
        while True:
            found = await self._next()
            if found is not None and found[1]:
                return found[0]
            if self._forms.stream:
                if found is not None:
                    self._arrived.appendleft(found)
                return None

    async def finish(self, send: Send, request_id: Any, status: Callable[[Any], int]) -> None:
        """Send everything up to the answer."""
        answer = await self._alone()
        if answer is not None:
            answer = answer or _cancelled(request_id)
            code = status(answer)
            if self._forms.json or code != 200:
                await send_data(send, code, wire.encode(answer), self._fields)
                return
            self._arrived.appendleft((answer, True))
        await self._stream(send, request_id)

    async def _stream(self, send: Send, request_id: Any) -> None:
        head = [*_STREAM, *self._fields]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        over = False
        while not over:
            message, over = await self._next() or (None, False)
            data = _PING if message is None else _event(message or _cancelled(request_id))
            await send({"type": "http.response.body", "body": data, "more_body": not over})


class HangUp:
    """Tells when the client closes its end; looks for it only when an answer is slow."""

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
        """The answer is sent, or nobody is left to send it to."""
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()


def _event(message: Any) -> bytes:
    return b"event: message\r\ndata: " + wire.encode(message) + b"\r\n\r\n"


def _cancelled(request_id: Any) -> Any:
    # The specification wants no answer to a cancelled request, but HTTP wants one to every POST.
    return wire.error(request_id, REQUEST_CANCELLED, "Request cancelled")
