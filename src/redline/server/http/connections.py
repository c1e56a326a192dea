"""Limits the number of HTTP connections; the one idle longest is closed for a new one."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from redline.server.rpc import wire

# Half of all descriptors are left for the workspace, pipes and commands.
_RESERVED_SHARE = 2
# Connections beyond the limit that only ask whether the server lives.
_PROBES = 16


class HttpConnection(Protocol):
    """A connection that counts: it knows since when it waits for its client, and can be closed."""

    @property
    def idle_since(self) -> float | None:
        """When it began to wait for a request or the rest of one; None while it answers."""

    def drop(self) -> None:
        """Close it at once."""


class Admission(Enum):
    """What a new connection may do."""

    ALL = "all"
    PROBES = "probes"  # the server has as many as it takes; it says whether it lives
    NOTHING = "nothing"


class HttpConnections:
    """At most *limit* connections; a new one replaces the one idle longest.

    When all are busy, some more are let in to ask whether the server lives.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: set[HttpConnection] = set()
        self._probes: set[HttpConnection] = set()

    def admit(self, connection: HttpConnection) -> Admission:
        """Count *connection*, if it may do anything."""
        for admission, counted, limit in (
            (Admission.ALL, self._open, self._limit),
            (Admission.PROBES, self._probes, _PROBES),
        ):
            if len(counted) < limit or _drop_one(counted):
                counted.add(connection)
                return admission
        return Admission.NOTHING

    def release(self, connection: HttpConnection) -> None:
        """Stop counting *connection*."""
        self._open.discard(connection)
        self._probes.discard(connection)


def _drop_one(counted: set[HttpConnection]) -> bool:
    """Close the connection that is idle longest; False when none is."""
    idle = [(since, c) for c in counted if (since := c.idle_since) is not None]
    if not idle:
        return False
    _, oldest = min(idle, key=lambda pair: pair[0])
    counted.discard(oldest)
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
