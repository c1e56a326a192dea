"""Streamable HTTP at /mcp."""

from __future__ import annotations

import logging
import signal
import socket
import time
from collections.abc import Callable

import uvicorn

from redline.server.calls.dispatch import Dispatch
from redline.server.calls.workers import Workers
from redline.server.ending import end_process_within
from redline.server.http.app import Front
from redline.server.http.auth import Authenticator
from redline.server.http.connections import connection_limit
from redline.server.http.mcp_endpoint import Posts
from redline.server.http.options import HttpOptions
from redline.server.http.uvicorn_protocol import protocol_with_limits
from redline.server.observe.log import warn

_GRACE_SECONDS = 3
_THREADS = 32
_MAX_LOG_KINDS = 100


def serve_http(
    dispatch: Dispatch,
    options: HttpOptions,
    announce: Callable[[str, int], None],
) -> int:
    """Serve until a signal comes; *announce* hears the host and the port when we listen."""
    logging.basicConfig(handlers=[LibraryLog()], level=logging.WARNING, format="%(message)s")
    listening = _listen(options)
    port = listening.getsockname()[1]
    # One client alone never holds every thread.
    workers = Workers(max(_THREADS, 2 * options.max_calls), options.max_calls)
    posts = Posts(dispatch, workers, options)
    front = Front(posts, dispatch, options, port, _auth(options))
    server = _Server(_config(front, options), front)
    # Counts before uvicorn listens for signals; it raises them again when it is done, and by
    # then this changes nothing.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.end)
    announce(options.host, port)
    server.run(sockets=[listening])
    workers.drain(1.0)
    return 0


class LibraryLog(logging.Handler):
    """Passes on what libraries log: of each kind one line at a time, a traceback only once."""

    def __init__(self, seconds: float = 10.0) -> None:
        super().__init__()
        self._seconds = seconds
        self._kinds: dict[tuple[object, ...], list[float]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Log *record* unless one of its kind was logged a moment ago; those are counted."""
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


def _listen(options: HttpOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle's algorithm off for accepted connections; without
    # it every answer in two parts waits 40 ms for the client's acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((options.host, options.port))
    listening.listen(128)  # clients may come as soon as the address is announced
    return listening


def _auth(options: HttpOptions) -> Authenticator:
    return Authenticator(
        token=options.auth_token, issuer=options.oauth_issuer, audience=options.oauth_audience
    )


def _config(front: Front, options: HttpOptions) -> uvicorn.Config:
    limit = connection_limit(options.max_connections)
    return uvicorn.Config(
        front,
        http=protocol_with_limits(options.receive_timeout, limit),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


class _Server(uvicorn.Server):
    """Stops calls in flight as soon as it is told to end."""

    def __init__(self, config: uvicorn.Config, front: Front) -> None:
        super().__init__(config)
        self._front = front

    def end(self, _signal: int, _frame: object) -> None:
        """Stop as soon as possible."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse new work, cancel the old, then close as usual."""
        end_process_within()
        self._front.stop()
        await super().shutdown(sockets)
