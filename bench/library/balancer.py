"""A plain TCP balancer: each connection goes to the next server that accepts it."""

from __future__ import annotations

import asyncio
import contextlib
import threading


class Balancer:
    """Listens on loopback and passes bytes on, knowing nothing of what they mean."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._turn = 0
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.port = 0
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def stop(self) -> None:
        """Close it and what still passes through."""
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in self._ports:
            self._turn = (self._turn + 1) % len(self._ports)
            try:
                there = await asyncio.open_connection("127.0.0.1", self._ports[self._turn])
            except OSError:
                continue
            await asyncio.gather(_pass_on(reader, there[1]), _pass_on(there[0], writer))
            return
        writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
