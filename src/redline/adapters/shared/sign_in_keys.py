"""Keys that sign in one browser, once, at any server."""

from __future__ import annotations

from redline.adapters.shared.store import GroupStore

# As long as the visit that a key begins.
_SECONDS = 7 * 86400


class RedisSignInKeys:
    """Only a digest of each key is in Redis, signed by a server of the group."""

    def __init__(self, store: GroupStore) -> None:
        self._store = store

    def offer(self, key: str) -> None:
        """Let *key* sign in; StoreUnavailable."""
        name = self._store.key("sign-in", key)
        with self._store.redis.connect() as client:
            client.set(name, self._store.seal(name, "key"), ex=_SECONDS)

    def take(self, key: str) -> bool:
        """Use a key up; whether it was one. StoreUnavailable."""
        name = self._store.key("sign-in", key)
        with self._store.redis.connect() as client:
            found = client.getdel(name)
        return found is not None and self._store.open(name, found) == "key"
