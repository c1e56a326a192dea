"""Sessions of the handshake era as the other servers of a group find them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from redline.core.errors import StoreUnavailable
from redline.core.ports.shared import SharedSessions
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.sessions import HttpSession
from redline.server.rpc import wire

# How often a session in use is kept from expiring.
_TOUCH_SECONDS = 10.0


class SessionRecords:
    """Saves sessions, and finds those of other servers; HttpRefusal while the store is away.

    *process_session* is the session of every client where one handshake counts for all.
    """

    def __init__(self, store: SharedSessions, process_session: str) -> None:
        self._store = store
        self.process_session = process_session
        self._has_handshake = False
        # What was last saved of each open session, and when.
        self._saved: dict[str, tuple[Mapping[str, Any], float]] = {}

    async def save(self, session: HttpSession) -> None:
        """Save what another server must know, if it is new, and now and then what is not."""
        record = {"principal": session.principal, **session.conversation.record}
        saved, when = self._saved.get(session.name, ({}, 0.0))
        if record == saved and monotonic() - when < _TOUCH_SECONDS:
            return
        try:
            await asyncio.to_thread(self._store.save, session.name, record)
        except StoreUnavailable:
            if record != saved:
                raise _unavailable() from None
            return  # it was kept a moment ago
        self._saved[session.name] = record, monotonic()

    async def load(self, name: str, principal: str) -> Mapping[str, Any] | None:
        """Return what a server saved of a session of *principal*."""
        record = await _ask(lambda: self._store.load(name))
        return record if record is not None and record.get("principal") == principal else None

    async def remove(self, name: str) -> None:
        """End a session for every server."""
        self._saved.pop(name, None)
        await _ask(lambda: self._store.remove(name))

    async def note_handshake(self) -> None:
        """Remember that a handshake was made, for servers on which one counts for all."""
        if not self._has_handshake:
            await _ask(lambda: self._store.save(self.process_session, {"principal": ""}))
            self._has_handshake = True

    async def has_handshake(self) -> bool:
        """Return whether a handshake was made at any server."""
        if not self._has_handshake:
            found = await _ask(lambda: self._store.load(self.process_session))
            self._has_handshake = found is not None
        return self._has_handshake


async def _ask(action: Callable[[], Any]) -> Any:
    try:
        return await asyncio.to_thread(action)
    except StoreUnavailable:
        raise _unavailable() from None


def _unavailable() -> HttpRefusal:
    text = "The shared store cannot be reached, where sessions are\nhint: call again in a moment"
    data = {"reason": "shared_store_unavailable", "done": "nothing"}
    return HttpRefusal(503, wire.INTERNAL_ERROR, text, data, {"Retry-After": "1"})
