"""Previews in Redis: shared by every server that names the same one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from redline.adapters.previews.opening import MAX_OF_ONE
from redline.adapters.redis_connection import RedisConnection
from redline.core.errors import LimitReached
from redline.core.ports.previews import StoredPreview

MAX_PREVIEWS = 10_000
_PREFIX = "redline:preview:"
_ORDER = "redline:previews"
# Swap only what is still there unchanged; its remaining lifetime stays.
_SWAP = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
  return 1
end
return 0
"""
# Store with a lifetime, and let the oldest go when there are too many.
_PUT = """
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], KEYS[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
local extra = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[5])
if extra > 0 then
  for _, old in ipairs(redis.call('ZRANGE', KEYS[2], 0, extra - 1)) do
    redis.call('DEL', old)
    redis.call('ZREM', KEYS[2], old)
  end
end
return 1
"""


class RedisPreviews:
    """Keeps one key per preview with its lifetime; the client reconnects by itself."""

    def __init__(
        self,
        url: str,
        clock: Callable[[], float] = time.time,
        *,
        max_previews: int = MAX_PREVIEWS,
    ) -> None:
        self._redis = RedisConnection(url, "Session store", "--sessions")
        self._clock = clock
        self._max_previews = max_previews

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""
        if len(preview.payload) > MAX_OF_ONE:
            raise LimitReached(f"Preview is too large to keep: {len(preview.payload)} bytes")
        now = self._clock()
        lifetime = int((preview.expires_at - now) * 1000)
        if lifetime <= 0:
            return
        self._redis.run(
            _PUT,
            (_PREFIX + preview.id, _ORDER),
            _pack(preview),
            lifetime,
            preview.expires_at,
            now,
            self._max_previews,
        )

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """Return the live preview of that principal, or None."""
        with self._redis.connect() as client:
            data = client.get(_PREFIX + preview_id)
        if data is None:
            return None
        found = _unpack(preview_id, data)
        if found.principal != principal or found.expires_at <= self._clock():
            return None
        return found

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s."""
        return bool(self._redis.run(_SWAP, (_PREFIX + old.id,), _pack(old), _pack(new)))

    def ping(self) -> None:
        """Raise StoreUnavailable when Redis cannot be reached."""
        self._redis.ping()

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()


def _pack(preview: StoredPreview) -> bytes:
    head = json.dumps([preview.principal, preview.expires_at]).encode()
    return head + b"\n" + preview.payload


def _unpack(preview_id: str, data: bytes) -> StoredPreview:
    head, _, payload = data.partition(b"\n")
    principal, expires_at = json.loads(head)
    return StoredPreview(preview_id, principal, payload, expires_at)
