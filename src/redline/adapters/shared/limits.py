"""Limits of each person over all servers: requests in a second, and calls at once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Event, Lock, Thread, local

from redline.adapters.shared.store import GroupStore
from redline.core.errors import StoreUnavailable

# A call whose server was killed counts for this long.
_CALL_SECONDS = 15
_RENEW_SECONDS = 4.0
_POLL_SECONDS = 0.05
# A bucket that fills again, by the clock of Redis; returns the milliseconds to wait.
_TAKE_ONE = """
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local held = redis.call('HMGET', KEYS[1], 'level', 'since')
local level = math.min(burst, (held[1] or burst) + (now - (held[2] or now)) * rate)
local wait = 0
if level >= 1 then level = level - 1 else wait = math.ceil((1 - level) / rate * 1000) end
redis.call('HSET', KEYS[1], 'level', level, 'since', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / rate * 1000) + 1000)
return wait
"""
# Calls that run, each until a time by the clock of Redis.
_TAKE_SLOT = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""
_RENEW_SLOT = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
"""


class RedisRate:
    """See `core.ports.many.shared.SharedRate`; *alone* counts while Redis is away."""

    def __init__(
        self, store: GroupStore, kind: str, per_second: float, alone: Callable[..., float]
    ) -> None:
        self._store = store
        self._kind = kind
        self._rate = per_second
        self._alone = alone

    def wait_for(self, who: str, own: float | None = None) -> float:
        """Return 0 and count a request of *who*, or the seconds until the next one is allowed."""
        rate = self._rate if own is None else own
        if rate <= 0:
            return 0.0
        key = self._store.key(self._kind, who)
        try:
            found = self._store.redis.run(_TAKE_ONE, (key,), rate, max(1.0, 2 * rate))
        except StoreUnavailable:
            return self._alone(who, own)
        return int(found) / 1000


class RedisCallSlots:
    """See `core.ports.many.shared.CallSlots`; slots in use are renewed by a thread."""

    def __init__(self, store: GroupStore) -> None:
        self._store = store
        self._lock = Lock()
        # The key of each slot that is held.
        self._held: dict[str, str] = {}
        self._here = local()
        self._closing = Event()
        self._thread: Thread | None = None

    def run(self, who: str, limit: int, job: Callable[[], None]) -> None:
        """Run *job* once fewer than *limit* of this person run."""
        key = self._store.key("calls", who)
        self._here.slot = key, limit, self._take(key, limit)
        try:
            job()
        finally:
            slot, self._here.slot = self._here.slot, None
            self._release(slot[0], slot[2])

    def pause(self, wait: Callable[[], object]) -> None:
        """Run *wait* within a job without counting it as one that runs."""
        slot = getattr(self._here, "slot", None)
        if slot is None:
            wait()
            return
        key, limit, name = slot
        self._release(key, name)
        try:
            wait()
        finally:
            self._here.slot = key, limit, self._take(key, limit)

    def close(self) -> None:
        """Stop renewing."""
        self._closing.set()

    def _take(self, key: str, limit: int) -> str:
        name = os.urandom(8).hex()
        while True:
            try:
                if self._store.redis.run(_TAKE_SLOT, (key,), name, limit, _CALL_SECONDS):
                    break
            except StoreUnavailable:
                return ""  # each server has its own limit too
            time.sleep(_POLL_SECONDS)
        with self._lock:
            self._held[name] = key
            if self._thread is None:
                self._thread = Thread(target=self._renew, name="call-slots", daemon=True)
                self._thread.start()
        return name

    def _release(self, key: str, name: str) -> None:
        with self._lock:
            if self._held.pop(name, None) is None:
                return
        try:
            with self._store.redis.connect() as client:
                client.zrem(key, name)
        except StoreUnavailable:
            return

    def _renew(self) -> None:
        while not self._closing.wait(_RENEW_SECONDS):
            with self._lock:
                held = list(self._held.items())
            try:
                for name, key in held:
                    if name in self._held:
                        self._store.redis.run(_RENEW_SLOT, (key,), name, _CALL_SECONDS)
            except StoreUnavailable:
                continue
