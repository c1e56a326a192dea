"""One connection of a command to the proxy: one tunnel, or one plain request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus

from redline.adapters.egress import client_hello
from redline.adapters.egress.dialing import Dialer, DialRefused, Unreachable, refuse
from redline.adapters.egress.http_head import BadRequest, Request, parse_head
from redline.core.access.domains import normalize_name

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
        if client_hello.is_handshake(first):
            first = await self._check_hello(request, first)
        to_upstream.write(first)
        if first:
            await self._move(self._reader, to_upstream)
        else:
            to_upstream.write_eof()

    async def _check_hello(self, request: Request, data: bytes) -> bytes:
        """The start of the TLS handshake, once it is known to name the host of the tunnel."""
        try:
            while len(data) < client_hello.RECORD_HEADER or len(data) < (
                client_hello.record_length(data)
            ):
                more = await self._read(self._reader, _CHUNK)
                if not more:
                    raise ValueError("the ClientHello is cut short")
                data += more
            asked = client_hello.server_name(data[: client_hello.record_length(data)])
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
        """Some bytes; TimeoutError when neither direction has moved for long."""
        while True:
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    return await source.read(most)
            except TimeoutError:
                if asyncio.get_running_loop().time() - self._last_moved >= IDLE_SECONDS:
                    raise
