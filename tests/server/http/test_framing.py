"""Where one request ends and the next begins: judged by h11, a parser that shares no code."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple, cast

import h11
import pytest
import uvicorn
from hypothesis import given, settings
from hypothesis import strategies as st
from uvicorn.server import ServerState

from redline.server.http.uvicorn_protocol import protocol_with_limits

KB = 1 << 10
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


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
    path = found.target.decode().partition("?")[0]
    return Seen(found.method.decode(), path, list(found.headers), body)


def comparable(seen: Seen) -> Seen:
    """Without an offer to upgrade, which is not passed on, and without letter case."""
    return seen._replace(headers=[(n, v.lower()) for n, v in seen.headers if n != b"upgrade"])


NAMES = (b"Host", b"Content-Length", b"Transfer-Encoding", b"Connection", b"Upgrade", b"X-a", b"x ")
VALUES = (b"x", b"3", b"0", b"3, 3", b"+3", b"chunked", b"Chunked", b"gzip, chunked", b"close",
          b"Upgrade, HTTP2-Settings", b"h2c", b"websocket", b" a\t b \t", b"", b"\xe9", b"a\0b",
          b"a\rb", b"a\r\n b")  # fmt: skip
LINES = st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES))
BODIES = (b"", b"abc", b"3\r\nabc\r\n0\r\n\r\n", b"3;x=y\r\nabc\r\n0\r\nX-T: t\r\n\r\n",
          b"3\r\nabcd\r\n0\r\n\r\n", b"0x3\r\nabc\r\n0\r\n\r\n", b"-1\r\n\r\n")  # fmt: skip
STARTS = (b"POST /mcp HTTP/1.1", b"GET /a?b HTTP/1.1", b"POST /mcp HTTP/1.0", b"GET /", b"G@T / x",
          b"POST http://x/mcp HTTP/1.1", b"CONNECT x:1 HTTP/1.1", b"GET / HTTP/1.2")  # fmt: skip


@pytest.mark.requirement("server-framing")
@settings(max_examples=200, deadline=None)
@given(st.sampled_from(STARTS), st.lists(LINES, max_size=4), st.sampled_from(BODIES), st.data())
def test_what_is_served_is_what_an_independent_parser_reads(
    start: bytes, lines: list[tuple[bytes, bytes]], body: bytes, data: st.DataObject
) -> None:
    fields = [(b"Host", b"x"), *lines]
    head = b"".join(name + b": " + value + b"\r\n" for name, value in fields)
    sent = start + b"\r\n" + head + b"\r\n" + body
    cut = data.draw(st.integers(0, len(sent)))
    served = exchange(*filter(None, (sent[:cut], sent[cut:])))
    for one in served.seen[:1]:
        expected = judge(sent)
        assert expected is not None
        assert comparable(one) == comparable(expected)


@pytest.mark.requirement("server-framing")
@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300), st.integers(1, 200), st.booleans(), st.booleans())
def test_a_body_arrives_whole_however_it_is_cut(
    body: bytes, size: int, chunked: bool, offers: bool
) -> None:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    encoded = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % len(body)
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" if offers else b""
    head = b"POST /mcp HTTP/1.1\r\nHost: x\r\n" + offer + length + b"\r\n\r\n"
    sent = head + (encoded if chunked else body)
    pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
    found = exchange(*pieces, *pieces)
    assert [(one.path, one.body) for one in found.seen] == [("/mcp", body)] * 2
    assert found.wire.sent.count(b"HTTP/1.1 200 OK") == 2


def test_requests_sent_behind_each_other_are_answered_in_order() -> None:
    sent = b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number for number in range(5))
    assert [one.path for one in exchange(sent).seen] == ["/0", "/1", "/2", "/3", "/4"]


def test_who_hangs_up_is_noticed_also_when_requests_wait_behind() -> None:
    async def hang_up() -> int:
        opened = Exchange()
        opened.is_answering = False
        await opened.send(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % 1 * 3)
        opened.protocol.connection_lost(None)
        for _ in range(12):
            await asyncio.sleep(0)
        return opened.hung_up

    assert asyncio.run(hang_up()) == 1


@pytest.mark.requirement("server-framing")
def test_a_trailer_is_no_header() -> None:
    (seen,) = exchange(CHUNKED + b"1\r\na\r\n0\r\nAuthorization: Bearer t\r\n\r\n").seen
    assert [name for name, _ in seen.headers] == [b"host", b"transfer-encoding"]


@pytest.mark.requirement("server-framing")
@pytest.mark.parametrize(
    "sent",
    [
        [b"GET /" + b"a" * 70 * KB + b" HTTP/1.1\r\nHost: x\r\n\r\n"],
        [b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 70 * KB + b"\r\n\r\n"],
        [b"GET / HTTP/1.1\r\nHost: x\r\nA: ", *[b"a" * KB] * 70],
        [b"GET / HTTP/1.1\r\nHost: x\r\n", *[b"A: b\r\n" * 200] * 70],
        [CHUNKED + b"0\r\nA: ", *[b"a" * KB] * 70],
        [CHUNKED + b"1;", *[b"a" * KB] * 70],
        [b"\r\n" * 40 * KB],
    ],
    ids=["target", "header", "header in pieces", "headers", "trailer", "extension", "nothing"],
)
def test_a_head_without_end_is_refused(sent: list[bytes]) -> None:
    found = exchange(*sent)
    assert found.is_refused
    assert found.seen == []
