"""Stores that several servers share, besides leases; StoreUnavailable where a docstring says so.

A server alone keeps the same things in its own memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from redline.core.ports.session_memory import Grants


class UsedOnce(Protocol):
    """Things that count once, such as the state of a question."""

    def take(self, principal: str, nonce: str, expires: float, now: float) -> bool:
        """Mark one as used; False when it was used before or has expired. StoreUnavailable."""


class SharedSessions(Protocol):
    """Sessions of the handshake era of one workspace, as far as another server must know them."""

    def save(self, name: str, record: Mapping[str, Any]) -> None:
        """Keep a session until it was idle for long. StoreUnavailable."""

    def load(self, name: str) -> Mapping[str, Any] | None:
        """Return what was saved, and keep it from now on as long again. StoreUnavailable."""

    def remove(self, name: str) -> None:
        """End a session. StoreUnavailable."""


class SharedRate(Protocol):
    """Requests of each person over all servers."""

    def wait_for(self, who: str, own: float | None = None) -> float:
        """See `server.http.people.rate.RateLimit`; while the store is away, this server alone
        counts."""


class CallSlots(Protocol):
    """How many calls of a person run at once over all servers."""

    def run(self, who: str, limit: int, job: Callable[[], None]) -> None:
        """Run *job* once fewer than *limit* of this person run; while the store is away, at
        once."""

    def pause(self, wait: Callable[[], object]) -> None:
        """Run *wait* within a job without counting it as one that runs."""


class SharedParts(NamedTuple):
    """What the servers of a group share about one workspace."""

    grants: Grants
    sessions: SharedSessions
    # The name of the session of all clients, where one handshake counts for all.
    process_session: str
    used: UsedOnce
    # Signs the states of questions; the same at every server.
    state_key: bytes
    # Returns a signature that only servers of the group can make.
    sign: Callable[[bytes], str]
