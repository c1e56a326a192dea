"""HTTP clients for the benchmarks: sessions opened, calls sent over kept connections."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


@dataclass
class Connection:
    """One kept connection with one session."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    port: int
    session: str = ""

    async def post(self, message: dict[str, Any]) -> bytes:
        """One request and the body of its answer."""
        body = json.dumps(message).encode()
        session = f"Mcp-Session-Id: {self.session}\r\n" if self.session else ""
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: 2025-06-18\r\n{session}Content-Length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        return await self._answer()

    async def _answer(self) -> bytes:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:] if line)
        }
        self.session = headers.get("mcp-session-id", self.session)
        if headers.get("transfer-encoding") == "chunked":
            return await self._chunks()
        return await self.reader.readexactly(int(headers.get("content-length", 0)))

    async def _chunks(self) -> bytes:
        parts = []
        while True:
            size = int((await self.reader.readline()).strip(), 16)
            parts.append(await self.reader.readexactly(size))
            await self.reader.readexactly(2)
            if not size:
                return b"".join(parts)


async def open_session(port: int) -> Connection:
    """A connection that has shaken hands."""
    connection = Connection(*await asyncio.open_connection("127.0.0.1", port), port)
    answer = await connection.post(HANDSHAKE)
    assert b'"result"' in answer, answer
    await connection.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return connection


async def call_many(port: int, clients: int, total: int, tool: str) -> tuple[float, list[float]]:
    """Seconds for *total* calls by *clients* at once, and each call's milliseconds."""
    # All at once: one that waits for the others longer than a server keeps it open is reset.
    connections = await asyncio.gather(*(open_session(port) for _ in range(clients)))
    walls: list[float] = []

    async def work(connection: Connection, calls: int) -> None:
        for number in range(calls):
            params = {"name": tool, "arguments": {}}
            message = {"jsonrpc": "2.0", "id": number + 1, "method": "tools/call", "params": params}
            start = time.perf_counter()
            answer = await connection.post(message)
            walls.append((time.perf_counter() - start) * 1000)
            assert b'"result"' in answer, answer

    await asyncio.gather(*(work(connection, 2) for connection in connections))
    walls.clear()
    start = time.perf_counter()
    await asyncio.gather(*(work(connection, total // clients) for connection in connections))
    seconds = time.perf_counter() - start
    for connection in connections:
        connection.writer.close()
    return seconds, walls
