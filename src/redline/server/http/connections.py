"""How many HTTP connections there are, and which one goes when there are too many."""

from __future__ import annotations

from typing import Protocol

from redline.server.rpc import wire

# Descriptors that files, pipes and commands need beside the connections.
_RESERVED_SHARE = 2


class Connection(Protocol):
    """What has a place: it knows since when it waits for a request, and can be ended."""

    @property
    def idle_since(self) -> float | None:
        """When it began to wait for a request; None while it has one."""

    def drop(self) -> None:
        """Close it at once."""


class Connections:
    """At most *limit* connections; a newcomer takes the place of the one idle longest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: set[Connection] = set()

    def admit(self, connection: Connection) -> bool:
        """Give *connection* a place; False when all are taken by connections with a request."""
        if len(self._open) >= self._limit and not self._drop_one():
            return False
        self._open.add(connection)
        return True

    def release(self, connection: Connection) -> None:
        """Free the place of *connection*, if it has one."""
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
    """*wanted*, or fewer where this process may not open so many descriptors."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, allowed // _RESERVED_SHARE))


def plain_response(status: str, message: str) -> bytes:
    """A whole HTTP response with a JSON-RPC error, after which the connection is closed."""
    body = wire.encode(wire.error(None, wire.INVALID_REQUEST, message))
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
