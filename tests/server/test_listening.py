"""The listening socket is made so that answers are not held back."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import cast

from redline.server.http import _listen
from redline.server.http_options import HttpOptions


def test_accepted_connections_do_not_wait_for_acknowledgements() -> None:
    options = cast(HttpOptions, SimpleNamespace(host="127.0.0.1", port=0))

    async def accepted_without_delay() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            seen.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = _listen(options)
        async with await asyncio.start_server(serve, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            nodelay = await seen
            writer.close()
            await writer.wait_closed()
            return nodelay

    assert asyncio.run(accepted_without_delay()) == 1
