"""Sessions of the handshake era, in Redis: another server can go on with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.adapters.shared.store import GroupStore


class RedisSessions:
    """See `core.ports.many.shared.SharedSessions`."""

    def __init__(self, store: GroupStore, workspace: str, idle_seconds: float) -> None:
        self._store = store
        self._workspace = workspace
        self._milliseconds = max(1, int(idle_seconds * 1000))

    def save(self, name: str, record: Mapping[str, Any]) -> None:
        """Keep a session until it was idle for long."""
        key = self._key(name)
        with self._store.redis.connect() as client:
            client.set(key, self._store.seal(key, dict(record)), px=self._milliseconds)

    def load(self, name: str) -> Mapping[str, Any] | None:
        """Return what was saved, and keep it as long again."""
        key = self._key(name)
        with self._store.redis.connect() as client:
            found = client.getex(key, px=self._milliseconds)
        if found is None:
            return None
        record: Mapping[str, Any] = self._store.open(key, found)
        return record

    def remove(self, name: str) -> None:
        """End a session."""
        with self._store.redis.connect() as client:
            client.delete(self._key(name))

    def _key(self, name: str) -> str:
        return self._store.key("session", self._workspace, name)
