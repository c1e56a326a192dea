"""A Redis that is connected when first used, and again after it was away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

from redline.core.errors import StoreUnavailable
from redline.core.extras import install_extra

TIMEOUT = 2.0


class RedisConnection:
    """Connections to one address; *what* is kept there and the *flag* that names it, for errors."""

    def __init__(self, url: str, what: str, flag: str, timeout: float = TIMEOUT) -> None:
        self._url = url
        self._what = what
        self._flag = flag
        self._timeout = timeout
        self._lock = Lock()
        self._client: Any = None

    @contextmanager
    def connect(self) -> Iterator[Any]:
        """Use the client; StoreUnavailable."""
        try:
            import redis
        except ModuleNotFoundError:
            raise StoreUnavailable(
                "The redis package is not installed", hint=install_extra("redis")
            ) from None
        try:
            yield self._make_client(redis)
        except (redis.RedisError, ValueError, OSError) as error:
            raise StoreUnavailable(
                f"{self._what} cannot be reached: {_reason(error)}",
                hint=f"check that Redis is running and the address given to {self._flag}",
            ) from None

    def run(self, script: str, keys: Sequence[str], *values: str | bytes | float) -> Any:
        """Run a Lua script, which is one step for everybody else; StoreUnavailable."""
        with self.connect() as client:
            return client.eval(script, len(keys), *keys, *values)

    def ping(self) -> None:
        """Raise StoreUnavailable when Redis cannot be reached."""
        with self.connect() as client:
            client.ping()

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _make_client(self, redis: Any) -> Any:
        with self._lock:
            if self._client is None:
                from redis.backoff import NoBackoff
                from redis.retry import Retry

                self._client = redis.Redis.from_url(
                    self._url,
                    socket_timeout=self._timeout,
                    socket_connect_timeout=self._timeout,
                    health_check_interval=15,
                    # Once more, for a connection that ended while it was not used.
                    retry=Retry(NoBackoff(), 1),
                )
            return self._client


def _reason(error: Exception) -> str:
    """The first line of what went wrong; an address may hold a password, so it is left out."""
    kind = type(error).__name__
    return {"ConnectionError": "connection refused or lost", "TimeoutError": "timed out"}.get(
        kind, kind
    )
