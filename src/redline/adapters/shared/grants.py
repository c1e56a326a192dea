"""Permissions that people gave, in Redis: they count at whichever server has the workspace."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict

from redline.adapters.shared.store import GroupStore
from redline.core.ports.grants import Grant

_MAX_OF_ONE_CALL = 100
_ADD = """
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
"""


class RedisGrants:
    """See `core.ports.grants.Grants`: one hash for each call that is allowed."""

    def __init__(
        self, store: GroupStore, workspace: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._workspace = workspace
        self._clock = clock

    def add(self, grant: Grant) -> None:
        """Put *grant* in force."""
        left = int((grant.expires_at - self._clock()) * 1000)
        if left <= 0:
            return
        key = self._key(grant.owner, grant.tool, grant.permission, grant.digest)
        value = self._store.seal(key, asdict(grant))
        self._store.redis.run(_ADD, (key,), grant.id, value, left, _MAX_OF_ONE_CALL)

    def consume(self, owner: str, tool: str, permission: str, digest: str) -> Grant | None:
        """The grant that covers this call, used up if it was for one call; None without one."""
        key = self._key(owner, tool, permission, digest)
        with self._store.redis.connect() as client:
            for name, value in client.hgetall(key).items():
                grant = Grant(**self._store.open(key, value))
                if grant.expires_at <= self._clock():
                    client.hdel(key, name)
                elif grant.scope != "once" or client.hdel(key, name):
                    return grant  # of two calls at once, one removes it
        return None

    def _key(self, owner: str, tool: str, permission: str, digest: str) -> str:
        return self._store.key("grant", self._workspace, owner, tool, permission, digest)
