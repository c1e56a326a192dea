"""Limits the number of HTTP connections; the one idle longest is closed for a new one."""

from __future__ import annotations

from typing import Protocol

from redline.server.rpc import wire

# Half of all descriptors are left for the workspace, pipes and commands.
_RESERVED_SHARE = 2


class HttpConnection(Protocol):
    """A connection that counts: it knows since when it is idle, and can be closed."""

    @property
    def idle_since(self) -> float | None:
        """When it began to wait for a request; None while it serves one."""

    def drop(self) -> None:
        """Close it at once."""


class HttpConnections:
    """At most *limit* connections; a new one replaces the one idle longest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: set[HttpConnection] = set()

    def admit(self, connection: HttpConnection) -> bool:
        """Count *connection*; False when the limit is reached and every other one is busy."""
        if len(self._open) >= self._limit and not self._drop_one():
            return False
        self._open.add(connection)
        return True

    def release(self, connection: HttpConnection) -> None:
        """Stop counting *connection*."""
        self._open.discard(connection)

    def _drop_one(self) -> bool:
        idle = [(since, c) for c in self._open if (since := c.idle_since) is not None]
        if not idle:
            return False
        _, oldest = min(idle, key=lambda pair: pair[0])
        self._open.discard(oldest)
        oldest.drop()
        return True


def connection_limit(wanted: int) -> int:
    """Return *wanted*, or fewer where this process may not open that many descriptors."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, allowed // _RESERVED_SHARE))


def plain_response(status: str, message: str) -> bytes:
    """Build a whole HTTP response with a JSON-RPC error that closes the connection."""
    body = wire.encode(wire.error(None, wire.INVALID_REQUEST, message))
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
