"""Streamable HTTP at /mcp."""

from __future__ import annotations

import logging
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol

import uvicorn

from redline.core.ports.pages import WebPages
from redline.core.ports.shared import CallSlots
from redline.server.calls.thread_bridge import LoopTurns
from redline.server.calls.tool_server import ToolServer
from redline.server.calls.workers import Workers
from redline.server.ending import end_process_within
from redline.server.http.app import HttpApp
from redline.server.http.auth import UsersSource, open_authenticator
from redline.server.http.connections import connection_limit
from redline.server.http.gate import Gate, HttpCounts
from redline.server.http.mcp_endpoint import McpEndpoint
from redline.server.http.pages import PageEndpoint, PagesAlone
from redline.server.http.uvicorn_protocol import protocol_with_limits
from redline.server.observe.log import warn
from redline.settings import Settings

_GRACE_SECONDS = 3
_THREADS = 32
_MAX_LOG_KINDS = 100


class ServedApp(Protocol):
    """An ASGI application with a way to stop it."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request."""

    def stop(self) -> None:
        """Refuse new calls and cancel running ones."""


def serve_http(
    server: ToolServer,
    settings: Settings,
    announce: Callable[[str, int], None],
    pages: WebPages | None = None,
    users: UsersSource | None = None,
) -> int:
    """Serve until a signal; *announce* is called with host and port when the server listens.

    *pages* answer browsers, at every path that is not the protocol's.
    """
    listening, port = listen(settings)
    workers = build_workers(settings)
    endpoint = McpEndpoint(server, workers, settings)
    auth = open_authenticator(settings, users)
    counts = HttpCounts(settings)
    shown = (
        None if pages is None else PageEndpoint(pages, settings, auth, server.audit, counts.streams)
    )
    gate = Gate(auth, settings, server.audit, counts)
    app = HttpApp(endpoint, server, settings, port, gate, shown)
    run_app(app, settings, listening, lambda: announce(settings.host, port))
    workers.drain(1.0)
    return 0


def build_workers(settings: Settings, slots: CallSlots | None = None) -> Workers:
    """Return the threads that run calls; *slots* count those of a person over several servers."""
    # One client alone never occupies every thread.
    limit = max(_THREADS, 2 * settings.max_calls)
    workers = Workers(limit, settings.max_calls, slots)
    workers.turns = LoopTurns(workers)
    return workers


def serve_pages(pages: WebPages, settings: Settings, announce: Callable[[str, int], None]) -> int:
    """Serve pages alone until a signal; see `serve_http`."""
    listening, port = listen(settings)
    app = PagesAlone(pages, settings, port)
    run_app(app, settings, listening, lambda: announce(settings.host, port))
    return 0


def run_app(
    app: ServedApp,
    settings: Settings,
    listening: socket.socket,
    announce: Callable[[], None],
) -> None:
    """Answer requests until a signal; *announce* is called before the first one."""
    uvicorn_server = _Server(_config(app, settings), app)
    # In force before uvicorn handles signals; uvicorn raises them again at its end, when this
    # has no effect.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, uvicorn_server.end)
    announce()
    uvicorn_server.run(sockets=[listening])


class LibraryLog(logging.Handler):
    """Logs what libraries log: one line per kind and interval, a traceback only once."""

    def __init__(self, seconds: float = 10.0) -> None:
        super().__init__()
        self._seconds = seconds
        self._kinds: dict[tuple[object, ...], list[float]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Log *record*, or only count it when one of its kind was just logged."""
        failure = record.exc_info[1] if record.exc_info else None
        kind = (record.name, record.msg, type(failure))
        now = time.monotonic()
        known = kind in self._kinds
        if not known and len(self._kinds) >= _MAX_LOG_KINDS:
            self._kinds.clear()
        last, left_out = self._kinds.setdefault(kind, [-self._seconds, 0])
        if now - last < self._seconds:
            self._kinds[kind][1] += 1
            return
        self._kinds[kind] = [now, 0]
        if failure is None or not known:
            text = self.format(record)
        else:
            text = f"{record.getMessage().strip()}: {failure!r}"[:500]
        warn(text + (f" ({left_out:.0f} more like it before)" if left_out else ""))


def listen(settings: Settings) -> tuple[socket.socket, int]:
    """Return the socket that clients may connect to from now on, and its port."""
    logging.basicConfig(handlers=[LibraryLog()], level=logging.WARNING, format="%(message)s")
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle's algorithm off for accepted connections; without
    # that, every answer in two parts waits 40 ms for the client's acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((settings.host, settings.port))
    listening.listen(128)  # clients may connect as soon as the address is announced
    return listening, listening.getsockname()[1]


def _config(app: ServedApp, settings: Settings) -> uvicorn.Config:
    limit = connection_limit(settings.max_connections)
    return uvicorn.Config(
        app,
        http=protocol_with_limits(settings.receive_timeout, limit),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


class _Server(uvicorn.Server):
    """Cancels running calls as soon as a signal asks the process to end."""

    def __init__(self, config: uvicorn.Config, app: ServedApp) -> None:
        super().__init__(config)
        self._app = app

    def end(self, _signal: int, _frame: object) -> None:
        """Stop as soon as possible."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse new calls, cancel running ones, then close as usual."""
        end_process_within()
        self._app.stop()
        await super().shutdown(sockets)
