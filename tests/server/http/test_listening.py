"""Sockets are set up so that answers leave at once and in one piece."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any, cast

from redline.server.http.serve import listen
from redline.server.http.uvicorn_protocol import CoalescingTransport
from redline.settings import Settings


def test_accepted_connections_do_not_wait_for_acknowledgements() -> None:
    options = cast(Settings, SimpleNamespace(host="127.0.0.1", port=0))

    async def accepted_without_delay() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            seen.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening, _ = listen(options)
        async with await asyncio.start_server(serve, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            nodelay = await seen
            writer.close()
            await writer.wait_closed()
            return nodelay

    assert asyncio.run(accepted_without_delay()) == 1


class Wire:
    """Stands for the transport of a socket: what was sent, piece by piece."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.sent.append(b"(closed)")

    def is_closing(self) -> bool:
        return b"(closed)" in self.sent


def test_what_is_written_in_one_turn_leaves_in_one_piece_and_before_the_end() -> None:
    async def written() -> list[bytes]:
        wire = Wire()
        gathered = CoalescingTransport(cast(Any, wire), asyncio.get_running_loop(), lambda: False)
        for part in (b"head ", b"", b"body"):
            gathered.write(part)
        assert wire.sent == []
        await asyncio.sleep(0)
        gathered.write(b"more")
        await asyncio.sleep(0)
        gathered.write(b"last ")
        gathered.write(b"words")
        gathered.close()
        assert gathered.is_closing()
        await asyncio.sleep(0)
        return wire.sent

    assert asyncio.run(written()) == [b"head body", b"more", b"last words", b"(closed)"]
