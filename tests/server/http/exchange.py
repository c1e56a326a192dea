"""Requests at the server's own protocol, without a socket, and h11 as their judge."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

import h11
import uvicorn
from uvicorn.server import ServerState

from redline.server.http.uvicorn_protocol import protocol_with_limits

KB = 1 << 10


class Seen(NamedTuple):
    """One request, as far as framing decides about it."""

    method: str
    path: str
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Wire:
    """Stands for the transport of a socket."""

    def __init__(self) -> None:
        self.sent = b""
        self.is_closed = False

    def write(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.is_closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.is_closed

    def get_extra_info(self, _name: str) -> None: ...

    def write_eof(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Exchange:
    """A connection: what the application saw of what was sent, and what came back."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.is_answering = True
        self.hung_up = 0
        self.wire = Wire()
        config = uvicorn.Config(
            cast(Any, self._answer), interface="asgi3", lifespan="off", log_config=None
        )
        config.load()
        made = cast(Any, protocol_with_limits(30.0, 8))
        self.protocol = made(config, ServerState(), {}, asyncio.get_running_loop())
        self.protocol.connection_made(self.wire)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            event = await receive()
            if event["type"] == "http.disconnect":
                return
            body += event["body"]
            more = event["more_body"]
        headers = list(scope["headers"])
        self.seen.append(Seen(scope["method"], scope["path"], headers, body))
        if not self.is_answering:
            await receive()
            self.hung_up += 1
            return
        fields = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        await send({"type": "http.response.body", "body": b"ok"})

    async def send(self, *pieces: bytes) -> Exchange:
        for piece in pieces:
            self.protocol.data_received(piece)
            for _ in range(12):
                await asyncio.sleep(0)
        return self

    @property
    def is_refused(self) -> bool:
        return b"HTTP/1.1 400" in self.wire.sent and self.protocol.transport.is_closing()


def exchange(*pieces: bytes) -> Exchange:
    async def run() -> Exchange:
        opened = await Exchange().send(*pieces)
        opened.protocol.connection_lost(None)
        await asyncio.sleep(0)
        return opened

    return asyncio.run(run())


def judge(data: bytes) -> Seen | None:
    """The one request in *data* as h11 reads it; None if it refuses or waits for more."""
    connection = h11.Connection(h11.SERVER, 64 * KB)
    connection.receive_data(data)
    found: Any = None
    body = b""
    try:
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                found = event
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                break
            else:
                return None
    except h11.RemoteProtocolError:
        return None
    path = unquote(found.target.decode().partition("?")[0])
    return Seen(found.method.decode(), path, list(found.headers), body)


def comparable(seen: Seen) -> Seen:
    """Without an offer to upgrade, which is not passed on, and without letter case."""
    return seen._replace(headers=[(n, v.lower()) for n, v in seen.headers if n != b"upgrade"])
