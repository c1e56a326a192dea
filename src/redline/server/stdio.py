"""MCP over stdin and stdout: one JSON message per line, no asyncio (its import alone costs more
CPU than everything else a first tools/list needs)."""

from __future__ import annotations

from threading import Lock
from typing import Any, BinaryIO

from redline.server.calls.tool_server import ToolServer
from redline.server.calls.workers import Workers
from redline.server.conversation import Conversation
from redline.server.ending import Terminated, end_on_signal, end_process_within
from redline.server.rpc import wire
from redline.server.rpc.messages import Channel
from redline.toolsets.tool import Json

MAX_LINE = 64 << 20
_GRACE_SECONDS = 3.0
# How long calls may still run after the client has closed its end.
DRAIN_SECONDS = 60.0
# A long answer goes through a larger pipe in fewer writes, each of which waits for the reader.
_PIPE_BYTES, _LARGE_PIPE_BYTES = 1 << 16, 1 << 20


def serve_stdio(
    server: ToolServer,
    reader: BinaryIO,
    writer: BinaryIO,
    *,
    cap: str | None = None,
    max_line: int = MAX_LINE,
    drain_seconds: float = DRAIN_SECONDS,
) -> int:
    """Serve one client until it closes its end; then running calls get *drain_seconds*."""
    in_order = server.profile.one_at_a_time
    workers = Workers(share=1 if in_order else None)
    pipe = _Pipe(writer)
    talk = Conversation(server, workers.submit, cap=cap, in_order=in_order)
    channel = Channel(pipe.send, pipe.send)
    with end_on_signal():
        try:
            for line in _lines(reader, max_line):
                if line is None:
                    size = f"message is over {max_line} bytes"
                    pipe.send(wire.error(None, wire.INVALID_REQUEST, f"Invalid request: {size}"))
                elif not line.isspace():
                    talk.receive_bytes(line, channel)
                line = None  # or a large line stays in memory until the next one
                if pipe.broken:
                    break
            talk.close(cancel=pipe.broken)
            if not workers.drain(drain_seconds):
                end_process_within()
                talk.close(cancel=True)
                workers.drain(_GRACE_SECONDS)
        except Terminated:
            end_process_within()
            talk.close(cancel=True)
            workers.drain(_GRACE_SECONDS)
    return 0


def _lines(reader: BinaryIO, limit: int) -> Any:
    """Yield each line; None for one over *limit*, which is skipped."""
    while True:
        line = reader.readline(limit)
        if not line:
            return
        if len(line) < limit or line.endswith(b"\n"):
            yield line
            line = b""
            continue
        while line and not line.endswith(b"\n"):
            line = reader.readline(1 << 20)
        yield None


class _Pipe:
    """Writes whole lines, one at a time, from any thread."""

    __slots__ = ("_is_large", "_lock", "_writer", "broken")

    def __init__(self, writer: BinaryIO) -> None:
        self._writer = writer
        self._lock = Lock()
        self._is_large = False
        self.broken = False

    def send(self, message: Json) -> None:
        """Write one message as one line; nothing for an empty one."""
        if not message:
            return
        data = wire.encode_line(message)
        with self._lock:
            if self.broken:
                return
            if len(data) > _PIPE_BYTES and not self._is_large:
                self._is_large = True
                _enlarge(self._writer)
            try:
                self._writer.write(data)
                self._writer.flush()
            except (OSError, ValueError):
                self.broken = True  # the client is gone; the reader sees its end soon


def _enlarge(writer: BinaryIO) -> None:
    try:
        import fcntl

        fcntl.fcntl(writer.fileno(), fcntl.F_SETPIPE_SZ, _LARGE_PIPE_BYTES)
    except (ImportError, AttributeError, OSError, ValueError):
        pass  # not a pipe, or not on Linux: it works without
