"""What the proxy reads of a client: request heads and TLS greetings."""

from __future__ import annotations

import ssl
import struct

import pytest

from redline.adapters.egress.connection import (
    BadRequest,
    is_handshake,
    parse_head,
    record_length,
    server_name,
)


def test_a_tunnel_names_host_and_port() -> None:
    request = parse_head(b"CONNECT Example.ORG.:443 HTTP/1.1\r\nHost: other.test\r\n\r\n")
    assert (request.name, request.port, request.is_tunnel) == ("example.org", 443, True)


@pytest.mark.requirement("egress-requests")
def test_a_plain_request_is_passed_on_for_the_host_of_its_url_alone() -> None:
    request = parse_head(
        b"POST http://example.org:81/a?b HTTP/1.1\r\nHost: other.test\r\nAccept: x\r\n"
        b"Proxy-Authorization: Basic c2VjcmV0\r\nConnection: keep-alive, accept\r\n"
        b"Content-Length: 3\r\nhOst: third.test\r\n\r\n"
    )
    assert (request.name, request.port, request.is_tunnel) == ("example.org", 81, False)
    assert request.length == 3
    assert request.head == (
        b"POST /a?b HTTP/1.1\r\nHost: example.org:81\r\nAccept: x\r\nContent-Length: 3\r\n"
        b"Connection: close\r\n\r\n"
    )


@pytest.mark.requirement("egress-requests")
@pytest.mark.parametrize(
    "head",
    [
        *(
            b"",
            b"GET",
            b"GET / HTTP/1.1",
            b"GET https://a.test/ HTTP/1.1",
            b"CONNECT a.test HTTP/1.1",
        ),
        *(
            b"GET ftp://a.test/ HTTP/1.1",
            b"CONNECT a.test:0 HTTP/1.1",
            b"get http://a.test/ HTTP/1.1",
        ),
        *(b"GET http://u@a.test/ HTTP/1.1", b"CONNECT :443 HTTP/1.1", b"GET http:///x HTTP/1.1"),
        *(
            b"GET http://a.test/ HTTP/2",
            b"GET  http://a.test/ HTTP/1.1",
            b"CONNECT 127.1:80 HTTP/1.1",
        ),
        b"GET http://a.test/ HTTP/1.1\r\nX: a\nY: b",
        b"GET http://a.test/ HTTP/1.1\r\nX: a\r\n folded",
        b"GET http://a.test/ HTTP/1.1\r\nX : a",
        b"GET http://a.test/ HTTP/1.1\r\nX: a\0b",
        b"GET http://a.test/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
        b"GET http://a.test/ HTTP/1.1\r\nContent-Length: +1",
        b"GET http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1",
        b"GET http://a.test/\xff HTTP/1.1",
    ],
)
def test_what_is_unusual_is_refused(head: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_head(head + b"\r\n\r\n")


def greeting(name: str | None) -> bytes:
    """The first bytes a TLS client sends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    out = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return out.read()


@pytest.mark.parametrize("name", ["example.org", None])
def test_the_name_of_a_real_greeting_is_read(name: str | None) -> None:
    data = greeting(name)
    assert is_handshake(data)
    assert record_length(data) == len(data)
    assert server_name(data) == name


@pytest.mark.requirement("egress-requests")
def test_a_greeting_cut_anywhere_is_refused() -> None:
    data = greeting("example.org")
    for end in range(5, len(data)):
        with pytest.raises(ValueError, match="cut short"):
            server_name(data[:end])


def test_a_record_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        record_length(b"\x16\x03\x01" + struct.pack("!H", (1 << 14) + 1))
