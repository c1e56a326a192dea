"""Which states of questions have been used, at any server."""

from __future__ import annotations

from redline.adapters.shared.store import GroupStore


class RedisUsedOnce:
    """See `core.ports.many.shared.UsedOnce`; each is remembered for as long as it is valid."""

    def __init__(self, store: GroupStore) -> None:
        self._store = store

    def take(self, principal: str, nonce: str, expires: float, now: float) -> bool:
        """Mark one as used; False when it was used before or has expired."""
        milliseconds = int((expires - now) * 1000)
        if milliseconds <= 0:
            return False
        key = self._store.key("used", principal, nonce)
        with self._store.redis.connect() as client:
            return bool(client.set(key, b"1", nx=True, px=milliseconds))
