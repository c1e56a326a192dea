"""Replies of the HTTP transport: plain JSON wherever a stream is not needed."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from redline.server import wire

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]


async def send_json(send: Send, status: int, body: Any, headers: dict[str, str]) -> None:
    """One JSON document; None is an empty body."""
    data = b"" if body is None else wire.encode(body)
    fields = [(k.lower().encode(), v.encode("latin-1")) for k, v in headers.items()]
    if body is not None:
        fields.append((b"content-type", b"application/json"))
    fields.append((b"content-length", str(len(data)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": data})


async def send_text(send: Send, text: str) -> None:
    """Plain text, as monitoring reads it."""
    data = text.encode()
    fields = [
        (b"content-type", b"text/plain; version=0.0.4; charset=utf-8"),
        (b"content-length", str(len(data)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    await send({"type": "http.response.body", "body": data})


def readable_by(origin: str, send: Send) -> Send:
    """A send whose answers a page of *origin* may read (CORS)."""
    added = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", b"mcp-session-id, mcp-protocol-version"),
        (b"vary", b"origin"),
    ]

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return wrapped


PREFLIGHT = {
    "Access-Control-Allow-Methods": "POST, DELETE",
    "Access-Control-Allow-Headers": (
        "content-type, accept, authorization, mcp-session-id, mcp-protocol-version, "
        "mcp-method, mcp-name, last-event-id"
    ),
    "Access-Control-Max-Age": "600",
}


class JsonFirst:
    """Wraps `send`: a stream whose first event is the answer becomes a JSON reply.

    A stream that begins with anything else (progress, a question, a keep-alive) stays one, unless
    the client takes only JSON: then everything but the answer is left out. Marks give way to
    what they stand for.
    """

    def __init__(
        self,
        send: Send,
        *,
        json_only: bool,
        extra: Headers = (),
        exact: Mapping[bytes, bytes] | None = None,
    ) -> None:
        self._send = send
        # Parts of the answer that the SDK would misspell, by the mark that stands for each.
        self._exact = exact if exact is not None else {}
        self._json_only = json_only
        self._extra = list(extra)
        self._held: Message | None = None
        # The head of a plain answer whose length changes with its spelling.
        self._whole: Message | None = None
        self._buffer = b""
        self._done = False
        self.status = 0

    async def __call__(self, message: Message) -> None:
        """One ASGI message on its way to the client."""
        if message["type"] == "http.response.start":
            await self._start(message)
        elif self._whole is not None:
            await self._respelled(message)
        elif self._held is not None:
            await self._body(message)
        elif not self._done:
            if message.get("body"):
                message = {**message, "body": self._unmarked(message["body"])}
            await self._send(message)

    def _unmarked(self, data: bytes) -> bytes:
        for mark, text in self._exact.items():
            if mark in data:
                place = re.search(rb'\{\s*"%b"\s*:\s*""\s*\}' % mark, data)
                if place is not None:
                    data = data[: place.start()] + text + data[place.end() :]
        return data

    async def _start(self, message: Message) -> None:
        self.status = message["status"]
        names = {key for key, _ in message["headers"]}
        added = [(key, value) for key, value in self._extra if key not in names]
        message = {**message, "headers": [*message["headers"], *added]}
        kind = dict(message["headers"]).get(b"content-type", b"")
        if kind.startswith(b"text/event-stream"):
            self._held = message
        elif self._exact:
            self._whole = message
        else:
            await self._send(message)

    async def _respelled(self, message: Message) -> None:
        """Send a plain answer once all of it is there."""
        self._buffer += message.get("body", b"")
        if message.get("more_body", False):
            return
        assert self._whole is not None
        start, data = self._whole, self._unmarked(self._buffer)
        self._whole, self._buffer = None, b""
        headers = [(k, v) for k, v in start["headers"] if k != b"content-length"]
        headers.append((b"content-length", str(len(data)).encode()))
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": data})

    async def _body(self, message: Message) -> None:
        self._buffer += message.get("body", b"")
        more = message.get("more_body", False)
        while b"\r\n\r\n" in self._buffer:
            event, _, rest = self._buffer.partition(b"\r\n\r\n")
            data = _data(event)
            if data is not None and _is_answer(data):
                await self._send_answer(data)
                return
            if not self._json_only:
                await self._commit(more)
                return
            self._buffer = rest
        if not more:
            await self._commit(False)

    async def _send_answer(self, data: bytes) -> None:
        assert self._held is not None
        data = self._unmarked(data)
        dropped = (b"content-type", b"content-length", b"cache-control", b"x-accel-buffering")
        headers = [(k, v) for k, v in self._held["headers"] if k not in (*dropped, b"connection")]
        headers += [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(data)).encode()),
        ]
        start = {**self._held, "headers": headers}
        self._held, self._done = None, True
        await self._send(start)
        await self._send({"type": "http.response.body", "body": data})

    async def _commit(self, more: bool) -> None:
        assert self._held is not None
        start, body = self._held, self._unmarked(self._buffer)
        self._held, self._buffer = None, b""
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": more})


def _data(event: bytes) -> bytes | None:
    lines = [line[5:].strip() for line in event.split(b"\r\n") if line.startswith(b"data:")]
    return b"\n".join(lines) or None


def _is_answer(data: bytes) -> bool:
    try:
        message = wire.decode(data)
    except ValueError:
        # Integers beyond 64 bits or the like: ask the slower parser.
        import json

        message = json.loads(data)
    return isinstance(message, dict) and "method" not in message
