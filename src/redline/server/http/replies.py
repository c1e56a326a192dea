"""Replies of the HTTP transport that are sent whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from redline.server.rpc import wire

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Fields = list[tuple[bytes, bytes]]


async def send_json(send: Send, status: int, body: Any, headers: dict[str, str]) -> None:
    """One JSON document."""
    fields = [(k.lower().encode(), v.encode("latin-1")) for k, v in headers.items()]
    await send_data(send, status, wire.encode(body), fields)


async def send_empty(send: Send, status: int, fields: Fields) -> None:
    """No body."""
    await _send_all(send, status, [*fields, (b"content-length", b"0")], b"")


async def send_data(send: Send, status: int, data: bytes, fields: Fields) -> None:
    """One JSON document that is bytes already."""
    kind = (b"content-type", b"application/json")
    await _send_all(send, status, [*fields, kind, (b"content-length", b"%d" % len(data))], data)


async def _send_all(send: Send, status: int, fields: Fields, data: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": data})


async def send_text(send: Send, text: str) -> None:
    """Plain text, as monitoring reads it."""
    data = text.encode()
    kind = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
    await _send_all(send, 200, [kind, (b"content-length", b"%d" % len(data))], data)


def readable_by(origin: str, send: Send) -> Send:
    """A send whose answers a page of *origin* may read (CORS)."""
    added = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", _READ),
        (b"vary", b"origin"),
    ]

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return wrapped


_READ = b"mcp-session-id, mcp-protocol-version, www-authenticate, retry-after"
_ASKED = (
    b"content-type, accept, authorization, mcp-session-id, mcp-protocol-version, "
    b"mcp-method, mcp-name, last-event-id"
)
PREFLIGHT: Fields = [
    (b"access-control-allow-methods", b"POST, DELETE"),
    (b"access-control-allow-headers", _ASKED),
    (b"access-control-max-age", b"600"),
]
