"""Uvicorn's HTTP/1.1 protocol with limits.

Requests that never finish and answers that the client does not read have a deadline, connections
are counted, ambiguous framing is refused, an answer is sent in one piece, and an answer sent before
the whole request is read still reaches its client.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from redline.server.http.connections import Admission, HttpConnections, plain_response

# How long to keep reading from a client that still sends after the answer.
_LINGER_SECONDS = 2.0
_MAX_HEAD_BYTES = 64 << 10


class CoalescingTransport:
    """A transport that sends everything written in one turn of the loop together.

    The head and the body of an answer are written one after the other; sent separately, they would
    wake the client twice. Closing while the client still sends would reset the connection and lose
    the answer that says why, so this side ends first and the connection closes a little later.
    """

    __slots__ = ("_held", "_is_sent_to", "_loop", "_transport", "left")

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        is_sent_to: Callable[[], bool],
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._is_sent_to = is_sent_to
        self._held: list[bytes] = []
        # Whether this side has ended.
        self.left = False

    def write(self, data: bytes) -> None:
        """Send *data* before the loop waits again."""
        if data and not self.left:
            if not self._held:
                self._loop.call_soon(self._flush)
            self._held.append(data)

    def _flush(self) -> None:
        held, self._held = self._held, []
        if held:
            self._transport.write(b"".join(held))

    def close(self) -> None:
        """Send what is held, then close."""
        if self.left:
            return
        self._flush()
        self.left = True
        if self._is_sent_to() and not self._transport.is_closing():
            self._transport.write_eof()
            self._transport.resume_reading()
            self._loop.call_later(_LINGER_SECONDS, self._transport.close)
        else:
            self._transport.close()

    def is_closing(self) -> bool:
        """Return whether nothing more can be sent."""
        return self.left or self._transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class StrictParsing(HttpToolsProtocol):
    """HTTP/1.1 parsing that refuses messages with an ambiguous length, and heads without end."""

    # Whether the parser is within the head of a request, and whether a body is still arriving.
    _in_head = False
    is_arriving = False
    # Bytes read since the parser last had something for us.
    _unparsed = 0
    # What is being answered: `cycle` may be a request that was sent behind it.
    _answering: RequestResponseCycle | None = None

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._unparsed += len(data)
        try:
            self._feed(data)
            if self._unparsed > _MAX_HEAD_BYTES:
                raise httptools.HttpParserError("head or trailer too long")
        except httptools.HttpParserError:
            refused = "Invalid HTTP request received."
            self.logger.warning(refused)
            is_behind = self._answering is not self.cycle or not self.is_arriving
            if self._answering is not None and self._has_to_answer and is_behind:
                self._answering.keep_alive = False  # the answer to the request before is the last
            else:
                self.send_400_response(refused)

    def _feed(self, data: bytes) -> None:
        while data:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as offer:
                # The parser stops behind such a head, as if no body came: it gets the same head
                # again without the offer.
                self._in_head = True
                data = self._head_without_offer() + data[offer.args[0] :]

    def _head_without_offer(self) -> bytes:
        version = self.parser.get_http_version().encode()
        lines = [self.parser.get_method() + b" " + self.url + b" HTTP/" + version]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        return b"\r\n".join([*lines, b"\r\n"])

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # a trailer is no header
            super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        self._check_head()
        self._in_head = False
        self._unparsed = 0
        if not self.parser.should_upgrade():
            self.is_arriving = True
            super().on_headers_complete()

    def _check_head(self) -> None:
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1") or self.parser.get_method() == b"CONNECT":
            raise ValueError("not HTTP/1.1")
        if not self.url.startswith(b"/") or b"#" in self.url:
            raise ValueError("the target is not a path")
        size = sum(len(name) + len(value) for name, value in self.headers) + len(self.url)
        if size > _MAX_HEAD_BYTES:
            raise ValueError("head too long")
        hosts = len(self._values(b"host"))
        if hosts > 1 or (hosts == 0 and version == "1.1"):
            raise ValueError("not one Host")
        codings = self._values(b"transfer-encoding")
        if codings and (codings != [b"chunked"] or version == "1.0"):
            raise ValueError("unknown Transfer-Encoding")
        if codings and self._values(b"content-length"):
            raise ValueError("Content-Length and Transfer-Encoding together")

    def _values(self, name: bytes) -> list[bytes]:
        return [value.lower() for named, value in self.headers if named == name]

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    @property
    def _has_to_answer(self) -> bool:
        return self._answering is not None and not self._answering.response_complete

    def on_body(self, body: bytes) -> None:
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unparsed = 0
        if not self.parser.should_upgrade():
            self.is_arriving = False
            super().on_message_complete()


class DeadlineProtocol(StrictParsing):
    """Limits the time until a request's last header, and the time an answer makes no progress."""

    seconds = 30.0
    open_connections = HttpConnections(sys.maxsize)
    _idle_since = 0.0
    _admission = Admission.ALL
    _deadline: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _coalescing: CoalescingTransport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._coalescing = CoalescingTransport(transport, self.loop, lambda: self.is_arriving)
        super().connection_made(cast(asyncio.Transport, self._coalescing))
        self._idle_since = self.loop.time()
        self._admission = self.open_connections.admit(self)
        if self._admission is Admission.NOTHING:
            self._refuse()
        else:
            self._arm()

    def _refuse(self) -> None:
        busy = "The server has as many connections as it takes; try again later"
        self.transport.write(plain_response("503 Service Unavailable", busy))
        self.transport.close()

    def on_headers_complete(self) -> None:
        path = self.url.partition(b"?")[0]
        if self._admission is Admission.PROBES and path not in (b"/healthz", b"/readyz"):
            self._refuse()
            return
        self._idle_since = self.loop.time()
        super().on_headers_complete()

    @property
    def idle_since(self) -> float | None:
        """When this connection began to wait for its client; None while it answers one."""
        waits = self.cycle is None or self.cycle.response_complete or self.is_arriving
        return self._idle_since if waits else None

    def drop(self) -> None:
        """Close this connection immediately, to make room for another one."""
        self._coalescing.abort()

    def data_received(self, data: bytes) -> None:
        if self._coalescing.left:
            return  # the answer has been sent
        if self.is_arriving:
            self._idle_since = self.loop.time()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._disarm()  # the head has arrived; the body has its own deadline
        else:
            self._arm()

    def on_response_complete(self) -> None:
        self._disarm()  # from here the keep-alive timeout applies
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_connections.release(self)
        self._disarm()
        self._stop_watching()
        if self._answering is not None and self._has_to_answer:
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the deadline: the client must read before more is written."""
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        """End the deadline: the client has read nearly everything."""
        self._stop_watching()
        super().resume_writing()

    def _watch_reader(self) -> None:
        unread = _unread(self.transport)
        self._reading = self.loop.call_later(self.seconds, self._check_reader, unread)

    def _check_reader(self, unread: int) -> None:
        if _unread(self.transport) < unread:
            self._watch_reader()
        else:  # else the answer and its session would stay in memory forever
            self.transport.abort()

    def _stop_watching(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request with JSON, like everything else."""
        text = f"{msg} Check the request line, Content-Length and headers."
        self.transport.write(plain_response("400 Bad Request", text))
        self.transport.close()

    def _arm(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self._expire)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


def _unread(transport: asyncio.Transport) -> int:
    """Return how many bytes the client has not read yet: in this process and in the kernel."""
    held = transport.get_write_buffer_size()
    try:
        import fcntl
        import termios

        queued = fcntl.ioctl(transport.get_extra_info("socket"), termios.TIOCOUTQ, bytes(4))
    except (ImportError, AttributeError, OSError):
        return held
    return held + int.from_bytes(queued, sys.byteorder)


def protocol_with_limits(seconds: float, connections: int) -> type[asyncio.Protocol]:
    """Return the protocol class with its deadline and connection limit set."""
    settings = {"seconds": seconds, "open_connections": HttpConnections(connections)}
    return type("LimitedProtocol", (DeadlineProtocol,), settings)
