"""Paths that every server answers alike: health, readiness, metrics, and where tokens come from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from redline.server.http.gate import Gate
from redline.server.http.replies import Send, send_json, send_text
from redline.server.http.request import METADATA, Scope


async def answer_probe(
    scope: Scope,
    headers: dict[str, str],
    send: Send,
    gate: Gate,
    find_problem: Callable[[], str | None],
) -> bool:
    """Answer a request about the server itself; False when it is about something else.

    *find_problem* returns why calls would fail now; it may block.
    """
    path = scope["path"]
    if path == "/healthz":
        await send_json(send, 200, {"status": "ok"}, {})
    elif path == "/readyz":
        problem = await asyncio.to_thread(find_problem)
        await send_json(send, 503 if problem else 200, {"status": problem or "ok"}, {})
    elif path == "/metrics":
        await gate.authenticate(scope, headers)
        await send_text(send, gate.counts.metrics.render())
    elif path.startswith(METADATA) and gate.auth.uses_oauth:
        await send_json(send, 200, gate.auth.metadata(), {"Cache-Control": "max-age=3600"})
    else:
        return False
    return True
