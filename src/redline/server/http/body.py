"""Reads the body of a POST within its time and size limits."""

from __future__ import annotations

import asyncio
from typing import Any

from redline.server.http.host_policy import HttpRefusal
from redline.server.http.request import Receive
from redline.server.rpc import wire
from redline.server.rpc.messages import MAX_BATCH
from redline.settings import Settings
from redline.toolsets.tool import ProtocolProfile

CLOSE = {"Connection": "close"}


async def read_body(
    headers: dict[str, str], receive: Receive, settings: Settings, *, needs_length: bool
) -> bytes:
    """Return the whole body; a declared size over the limit is refused before reading."""
    declared = headers.get("content-length")
    if declared is None and needs_length:
        raise HttpRefusal(411, wire.INVALID_REQUEST, "Content-Length is required")
    if declared is not None and int(declared) > settings.max_body:
        raise _too_big(settings.max_body)
    try:
        async with asyncio.timeout(settings.receive_timeout):
            return await _collect(receive, settings.max_body)
    except TimeoutError:
        text = "Request took too long to arrive"
        raise HttpRefusal(408, wire.INVALID_REQUEST, text, None, CLOSE) from None


async def _collect(receive: Receive, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise HttpRefusal(400, wire.INVALID_REQUEST, "Request was cut short")
        parts.append(event.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            raise _too_big(limit)
        if not event.get("more_body", False):
            return b"".join(parts)


def _too_big(limit: int) -> HttpRefusal:
    text = f"Request is over {limit} bytes"
    return HttpRefusal(413, wire.INVALID_REQUEST, text, {"max_bytes": limit}, CLOSE)


def check_batch(message: Any, profile: ProtocolProfile, version: str | None) -> None:
    """Refuse a body of the handshake era that is neither a message nor a batch it allows."""
    if isinstance(message, dict):
        return
    if not isinstance(message, list):
        raise HttpRefusal(400, wire.INVALID_REQUEST, "Body must be a JSON-RPC message")
    has_batches = profile.strict_handshake or version in (None, "2025-03-26")
    if not (profile.serves_batches and has_batches):
        raise HttpRefusal(400, wire.INVALID_REQUEST, "This revision has no batches")
    if not message or len(message) > MAX_BATCH:
        text = f"A batch holds 1 to {MAX_BATCH} messages"
        raise HttpRefusal(400, wire.INVALID_REQUEST, text, {"max_items": MAX_BATCH})
