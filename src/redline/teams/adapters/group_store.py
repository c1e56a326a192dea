"""The part of a Redis that one group of servers uses, and the secret that its servers share."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from redline.adapters.redis_connection import RedisConnection
from redline.core.errors import StoreUnavailable

# Less than a lease lasts, so that a Redis that does not answer is noticed before it ends.
_TIMEOUT = 1.0
_SIGNATURE = 32


class GroupStore:
    """Named values of one group; *name* keeps groups of one Redis apart.

    *secret* is not in Redis: what is stored carries a signature by it, so that access to Redis
    alone is not enough to give a permission or to have requests sent elsewhere.
    """

    def __init__(self, url: str, name: str, secret: bytes) -> None:
        self.redis = RedisConnection(url, "The shared store", "--shared", _TIMEOUT)
        self._name = name
        self._secret = secret

    def key(self, kind: str, *parts: str) -> str:
        """Return the key of a value; parts may be any text."""
        if not parts:
            return f"redline:{self._name}:{kind}"
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
        return f"redline:{self._name}:{kind}:{digest[:32]}"

    def sign(self, text: bytes) -> str:
        """Return a signature that only servers of the group can make."""
        whole = self._name.encode() + b"\0" + text
        return hmac.new(self._secret, whole, hashlib.sha256).hexdigest()

    def derive_key(self, purpose: str) -> bytes:
        """Return a key for one purpose, the same at every server of the group."""
        return hmac.new(self._secret, f"key {purpose}".encode(), hashlib.sha256).digest()

    def seal(self, key: str, value: Any) -> bytes:
        """Return *value* as it is stored at *key*, signed."""
        body = json.dumps(value).encode()
        return self._tag(key, body) + body

    def open(self, key: str, data: bytes) -> Any:
        """Return the value of what `seal` returned; StoreUnavailable for anything else."""
        if not hmac.compare_digest(data[:_SIGNATURE], self._tag(key, data[_SIGNATURE:])):
            raise StoreUnavailable(
                "The shared store holds a value that no server of this group wrote",
                hint="give every server the same state directory, and no one else this Redis",
            )
        return json.loads(data[_SIGNATURE:])

    def _tag(self, key: str, body: bytes) -> bytes:
        return bytes.fromhex(self.sign(key.encode() + b"\0" + body))

    def check_secret(self) -> None:
        """Refuse to join servers that have another secret; StoreUnavailable."""
        key = self.key("secret")
        mine = self.sign(b"which secret")
        with self.redis.connect() as client:
            client.set(key, mine, nx=True)
            found = client.get(key)
        if found is not None and found.decode() != mine:
            raise StoreUnavailable(
                "Servers of this group have another state directory than this one",
                hint="give every server the same --state-dir, or another database of the Redis",
            )
