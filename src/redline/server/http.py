"""Streamable HTTP at /mcp."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable

import uvicorn

from redline.server.auth import Authenticator
from redline.server.dispatch import Dispatch
from redline.server.http_front import Front
from redline.server.http_options import HttpOptions
from redline.server.http_posts import Posts
from redline.server.http_socket import protocol_with_deadline
from redline.server.log import warn
from redline.server.workers import Workers

_GRACE_SECONDS = 3
_THREADS = 32


def serve_http(
    dispatch: Dispatch,
    options: HttpOptions,
    announce: Callable[[str, int], None],
) -> int:
    """Serve until a signal comes; *announce* hears the host and the port when we listen."""
    logging.basicConfig(handlers=[_Said()], level=logging.WARNING, format="%(message)s")
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


class _Said(logging.Handler):
    """What libraries have to say goes the way of our own words."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line, and the story of a failure."""
        warn(self.format(record))


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
    return uvicorn.Config(
        front,
        http=protocol_with_deadline(options.receive_timeout),
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
        self._front.stop()
        await super().shutdown(sockets)
