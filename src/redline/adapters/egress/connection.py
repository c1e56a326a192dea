"""One connection of a command to the proxy: one tunnel, or one plain request."""

from __future__ import annotations

import asyncio
import re
import struct
from collections.abc import Callable
from http import HTTPStatus

from redline.adapters.egress.dialing import Dialer, DialRefused, Unreachable, refuse
from redline.core.access.domains import format_target, normalize_name, split_port
from redline.core.records import dataclass

RECORD_HEADER = 5
_HANDSHAKE, _CLIENT_HELLO, _SERVER_NAME, _HOST_NAME = 22, 1, 0, 0
MAX_RECORD = 1 << 14


def is_handshake(data: bytes) -> bool:
    """Return whether *data* starts a TLS handshake record."""
    return data[:1] == bytes([_HANDSHAKE])


def record_length(data: bytes) -> int:
    """Return how long the record with that header is, header included; ValueError if too long."""
    length = struct.unpack("!H", data[3:RECORD_HEADER])[0]
    if length > MAX_RECORD:
        raise ValueError("a TLS record is too long")
    return RECORD_HEADER + int(length)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) != size:
            raise ValueError("the ClientHello is cut short")
        self._at += size
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        return self.take(self.number(size))

    def is_empty(self) -> bool:
        return self._at >= len(self._data)


def server_name(record: bytes) -> str | None:
    """Return the name a ClientHello asks for, None without one; ValueError if it cannot be read.

    A ClientHello that is spread over several records cannot be read.
    """
    message = _Reader(record[RECORD_HEADER:])
    if message.number(1) != _CLIENT_HELLO:
        raise ValueError("the first TLS message is no ClientHello")
    hello = _Reader(message.vector(3))
    hello.take(2 + 32)  # version and random
    for size in (1, 2, 1):  # session id, cipher suites, compression
        hello.vector(size)
    if hello.is_empty():
        return None
    extensions = _Reader(hello.vector(2))
    while not extensions.is_empty():
        kind, content = extensions.number(2), extensions.vector(2)
        if kind == _SERVER_NAME:
            return _host_name(_Reader(_Reader(content).vector(2)))
    return None


def _host_name(names: _Reader) -> str:
    if names.number(1) != _HOST_NAME:
        raise ValueError("the server name is of an unknown kind")
    return names.vector(2).decode("ascii")


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


MAX_HEAD = 32 << 10
HEAD_SECONDS = 15.0
IDLE_SECONDS = 180.0
_CHUNK = 64 << 10


class Connection:
    """Serves one accepted connection; *report* hears what was refused."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        dialer: Dialer,
        report: Callable[[str], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._dialer = dialer
        self._report = report
        self._last_moved = 0.0

    async def serve(self) -> None:
        """Answer the request; the caller closes the connection."""
        try:
            request = await self._read_request()
            made = await self._dialer.dial(request.name, request.port)
        except BadRequest as problem:
            await self.answer(problem.status, str(problem))
        except DialRefused as refused:
            self._report(str(refused))  # first: the command may end as soon as it is answered
            await self.answer(HTTPStatus.FORBIDDEN, str(refused))
        except Unreachable as problem:
            await self.answer(HTTPStatus.BAD_GATEWAY, str(problem))
        else:
            upstream, to_upstream = await asyncio.open_connection(sock=made, limit=_CHUNK)
            try:
                await self._pass_on(request, upstream, to_upstream)
            finally:
                to_upstream.transport.abort()

    async def answer(self, status: int, text: str) -> None:
        """Answer without any upstream; programs show the reason, people read the body."""
        body = f"{text}\n".encode()
        head = f"HTTP/1.1 {int(status)} {text}\r\nContent-Type: text/plain\r\n"
        head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        self._writer.write(head.encode() + body)
        async with asyncio.timeout(HEAD_SECONDS):
            await self._writer.drain()
            self._writer.write_eof()
            while await self._reader.read(_CHUNK):
                pass  # closing with unread input would reset the connection and lose the answer

    async def _read_request(self) -> Request:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                return parse_head(await self._reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            raise BadRequest(f"A request head has at most {MAX_HEAD} bytes", status) from None
        except TimeoutError:
            raise BadRequest("The request took too long", HTTPStatus.REQUEST_TIMEOUT) from None

    async def _pass_on(
        self, request: Request, upstream: asyncio.StreamReader, to_upstream: asyncio.StreamWriter
    ) -> None:
        self._last_moved = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as group:
            if request.is_tunnel:
                self._writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                group.create_task(self._send_tunnel(request, to_upstream))
                await self._move(upstream, self._writer)
            else:
                to_upstream.write(request.head)
                sending = group.create_task(
                    self._move(self._reader, to_upstream, request.length, keep_open=True)
                )
                await self._move(upstream, self._writer)
                sending.cancel()  # the answer is complete, whatever is left of the body

    async def _send_tunnel(self, request: Request, to_upstream: asyncio.StreamWriter) -> None:
        first = await self._read(self._reader, _CHUNK)
        if is_handshake(first):
            first = await self._check_hello(request, first)
        to_upstream.write(first)
        if first:
            await self._move(self._reader, to_upstream)
        else:
            to_upstream.write_eof()

    async def _check_hello(self, request: Request, data: bytes) -> bytes:
        """The start of the TLS handshake, once it is known to name the host of the tunnel."""
        try:
            while len(data) < RECORD_HEADER or len(data) < (record_length(data)):
                more = await self._read(self._reader, _CHUNK)
                if not more:
                    raise ValueError("the ClientHello is cut short")
                data += more
            asked = server_name(data[: record_length(data)])
            name = None if asked is None else normalize_name(asked)
        except ValueError:  # its text may hold what the client sent
            self._report(str(refuse(request.name, request.port, "its TLS greeting is not valid")))
            raise ConnectionAbortedError from None
        if name not in (None, request.name):
            why = f"the connection was made to {request.name}"
            self._report(str(refuse(str(name), request.port, why)))
            raise ConnectionAbortedError
        return data

    async def _move(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        left: int | None = None,
        *,
        keep_open: bool = False,
    ) -> None:
        """Copy to the end, or *left* bytes, never holding more than one chunk and the buffers."""
        while left != 0:
            data = await self._read(source, _CHUNK if left is None else min(left, _CHUNK))
            if not data:
                break
            target.write(data)
            async with asyncio.timeout(IDLE_SECONDS):
                await target.drain()
            self._last_moved = asyncio.get_running_loop().time()
            left = None if left is None else left - len(data)
        if not keep_open:
            target.write_eof()

    async def _read(self, source: asyncio.StreamReader, most: int) -> bytes:
        """Return some bytes; TimeoutError when neither direction has moved for long."""
        while True:
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    return await source.read(most)
            except TimeoutError:
                if asyncio.get_running_loop().time() - self._last_moved >= IDLE_SECONDS:
                    raise
