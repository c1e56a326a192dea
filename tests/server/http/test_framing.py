"""Where one request ends and the next begins: judged by h11, a parser that shares no code."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.http.exchange import KB, Exchange, comparable, exchange, judge
from tests.server.http.framing_fuzz import run
from tests.support import LONG

CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

NAMES = (b"Host", b"Content-Length", b"Transfer-Encoding", b"Connection", b"Upgrade", b"X-a", b"x ")
VALUES = (b"x", b"3", b"0", b"3, 3", b"+3", b"chunked", b"Chunked", b"gzip, chunked", b"close",
          b"Upgrade, HTTP2-Settings", b"h2c", b"websocket", b" a\t b \t", b"", b"\xe9", b"a\0b",
          b"a\rb", b"a\r\n b")  # fmt: skip
LINES = st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES))
BODIES = (b"", b"abc", b"3\r\nabc\r\n0\r\n\r\n", b"3;x=y\r\nabc\r\n0\r\nX-T: t\r\n\r\n",
          b"3\r\nabcd\r\n0\r\n\r\n", b"0x3\r\nabc\r\n0\r\n\r\n", b"-1\r\n\r\n")  # fmt: skip
STARTS = (b"POST /mcp HTTP/1.1", b"GET /a?b HTTP/1.1", b"POST /mcp HTTP/1.0", b"GET /", b"G@T / x",
          b"POST http://x/mcp HTTP/1.1", b"CONNECT x:1 HTTP/1.1", b"GET / HTTP/1.2",
          b"GET /a#b HTTP/1.1")  # fmt: skip


@pytest.mark.requirement("server-framing")
@settings(max_examples=200)
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
def test_mutated_requests_are_refused_or_served_as_an_independent_parser_reads_them() -> None:
    found = asyncio.run(run(1_000_000 if LONG else 800, 1))
    assert min(found["served"], found["refused"]) > 150


@pytest.mark.requirement("server-framing")
@settings(max_examples=50)
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


@pytest.mark.parametrize(
    "behind", [b"no request\r\n\r\n", b"\0" * 70 * KB, CHUNKED + b"no chunk\r\n"]
)
def test_what_comes_behind_a_request_and_is_none_does_not_cost_its_answer(behind: bytes) -> None:
    found = exchange(b"GET /1 HTTP/1.1\r\nHost: x\r\n\r\n" + behind)
    assert [one.path for one in found.seen] == ["/1"]
    assert found.wire.sent.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" in found.wire.sent
    assert found.wire.sent.count(b"HTTP/1.1") == 1
    assert found.protocol.transport.is_closing()


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
