"""The head of a proxy request, read strictly: what is unusual is refused, never passed on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from redline.core.access.domains import format_target, normalize_name, split_port

_LINE = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]+) HTTP/1\.[01]\Z")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)\Z")
_URL = re.compile(r"http://([^/?#@]+)([/?][^#]*)?\Z", re.IGNORECASE)
# Meant for this hop, or written again below.
_NOT_PASSED_ON = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-connection",
        b"proxy-authorization",
        b"proxy-authenticate",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
        b"host",
    )
)


class BadRequest(Exception):
    """A request that is not passed on, with the status to answer."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks of the proxy: a tunnel, or one request with a body of *length* bytes."""

    name: str
    port: int
    is_tunnel: bool
    head: bytes = b""
    length: int = 0


def parse_head(raw: bytes) -> Request:
    """Read a request head, up to and with its empty line; BadRequest."""
    first, *lines = raw.removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = _LINE.match(first)
    fields = [_FIELD.match(line) for line in lines]
    if found is None or not all(fields):
        raise BadRequest("The request is not valid HTTP/1.1")
    method, target = found[1].decode(), found[2].decode()
    pairs = [(field[1], field[2].rstrip(b" \t")) for field in fields if field]
    if method == "CONNECT":
        name, port = _parse_authority(target, None)
        return Request(name, port, is_tunnel=True)
    url = _URL.match(target)
    if url is None:
        raise BadRequest("This proxy takes CONNECT and http:// requests only")
    name, port = _parse_authority(url[1], 80)
    path = url[2] or "/"
    path = path if path.startswith("/") else f"/{path}"
    host = format_target(name, None if port == 80 else port)
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n".encode()
    head += b"".join(
        key + b": " + value + b"\r\n" for key, value in pairs if key.lower() not in _NOT_PASSED_ON
    )
    return Request(name, port, False, head + b"Connection: close\r\n\r\n", _parse_length(pairs))


def _parse_authority(text: str, default: int | None) -> tuple[str, int]:
    try:
        host, port = split_port(text)
        name = normalize_name(host)
    except ValueError:
        raise BadRequest("The request names no valid host") from None
    port = port or default
    if port is None:
        raise BadRequest("CONNECT takes HOST:PORT")
    return name, port


def _parse_length(pairs: list[tuple[bytes, bytes]]) -> int:
    names = [key.lower() for key, _value in pairs]
    if b"transfer-encoding" in names:
        raise BadRequest("This proxy takes bodies with a Content-Length only", 411)
    lengths = {value for key, value in pairs if key.lower() == b"content-length"}
    if not lengths:
        return 0
    text = lengths.pop()
    if lengths or not re.fullmatch(rb"[0-9]{1,18}", text):
        raise BadRequest("The Content-Length is not valid")
    return int(text)
