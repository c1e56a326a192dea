"""Sends HTTP responses that are complete when they start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from redline.server.rpc import wire

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Fields = list[tuple[bytes, bytes]]


async def send_json(send: Send, status: int, body: Any, headers: dict[str, str]) -> None:
    """Send one JSON document."""
    fields = [(k.lower().encode(), v.encode("latin-1")) for k, v in headers.items()]
    await send_data(send, status, wire.encode(body), fields)


async def send_empty(send: Send, status: int, fields: Fields) -> None:
    """Send a response without a body."""
    await _send_all(send, status, [*fields, (b"content-length", b"0")], b"")


async def send_data(send: Send, status: int, data: bytes, fields: Fields) -> None:
    """Send one JSON document that is already encoded."""
    kind = (b"content-type", b"application/json")
    await _send_all(send, status, [*fields, kind, (b"content-length", b"%d" % len(data))], data)


async def _send_all(send: Send, status: int, fields: Fields, data: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": data})


async def send_text(send: Send, text: str) -> None:
    """Send plain text in the form Prometheus reads."""
    data = text.encode()
    kind = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
    await _send_all(send, 200, [kind, (b"content-length", b"%d" % len(data))], data)


def allow_page(origin: str, send: Send) -> Send:
    """Wrap *send* so that a page of *origin* may read the answers (CORS)."""
    added = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", _EXPOSED),
        (b"vary", b"origin"),
    ]

    async def send_readable(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return send_readable


_EXPOSED = b"mcp-session-id, mcp-protocol-version, www-authenticate, retry-after"
_ALLOWED = (
    b"content-type, accept, authorization, mcp-session-id, mcp-protocol-version, "
    b"mcp-method, mcp-name, last-event-id"
)
PREFLIGHT: Fields = [
    (b"access-control-allow-methods", b"POST, DELETE"),
    (b"access-control-allow-headers", _ALLOWED),
    (b"access-control-max-age", b"600"),
]
