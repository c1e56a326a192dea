"""The state of a question, which its client holds until the person has answered.

The client could change it: it is authenticated, bound to the call and to the principal, and valid
once, for ten minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.server.rpc.messages import StateRefused
from redline.toolsets.tool import Json

if TYPE_CHECKING:
    from redline.core.ports.shared import UsedOnce
from threading import Lock

# Per principal; when more are in use, the ones that expire first all count as used.
_MAX_STATES = 4096


class UsedStates:
    """Remembers the states that each principal used; principals do not affect one another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: dict[str, dict[str, float]] = {}
        # States of a principal that expire by this time may have been used: they were dropped.
        self._dropped_until: dict[str, float] = {}

    def take(self, principal: str, nonce: str, expires: float, now: float) -> bool:
        """Mark a state as used; False when it was used before or has expired."""
        with self._lock:
            used = self._used.setdefault(principal, {})
            is_known = nonce in used or expires <= self._dropped_until.get(principal, 0.0)
            if is_known or now > expires:
                return False
            used[nonce] = expires
            if len(used) > _MAX_STATES:
                self._shrink(now)
            return True

    def _shrink(self, now: float) -> None:
        for principal, used in list(self._used.items()):
            for nonce in [nonce for nonce, expires in used.items() if expires < now]:
                del used[nonce]
            if len(used) > _MAX_STATES:
                soonest = sorted(used, key=used.__getitem__)[: _MAX_STATES // 2]
                self._dropped_until[principal] = max(used.pop(nonce) for nonce in soonest)
            if not used:
                del self._used[principal]
                self._dropped_until.pop(principal, None)


_LIFETIME = 600.0


class SealedStates:
    """Seals and opens states; those of another server with the same *key* too.

    Without a key one is made when the first question is asked.
    """

    def __init__(self, key: bytes | None = None, used: UsedOnce | None = None) -> None:
        self._key = key
        self._used: UsedOnce = used or UsedStates()

    def seal(self, binding: bytes, answers: Json, asked: str) -> str:
        """Return the state of the question *asked*, with the answers given so far."""
        import base64
        import json
        import secrets
        import time

        body = json.dumps([asked, answers, time.time() + _LIFETIME, secrets.token_hex(8)]).encode()
        return base64.urlsafe_b64encode(self._tag(binding, body) + body).decode()

    def open(self, binding: bytes, state: str, principal: str) -> tuple[str, Json]:
        """Return the question and the answers before it, and use the state up; StateRefused."""
        import base64
        import hmac
        import json
        import time

        try:
            sealed = base64.urlsafe_b64decode(state.encode())
        except ValueError:
            raise StateRefused from None
        if base64.urlsafe_b64encode(sealed).decode() != state:
            raise StateRefused  # other base64 text for the same bytes is an altered state too
        if not hmac.compare_digest(sealed[:32], self._tag(binding, sealed[32:])):
            raise StateRefused
        asked, answers, expires, nonce = json.loads(sealed[32:])
        if not self._used.take(principal, nonce, expires, time.time()):
            raise StateRefused
        return asked, answers

    def _tag(self, binding: bytes, body: bytes) -> bytes:
        import hashlib
        import hmac

        if self._key is None:
            import secrets

            self._key = secrets.token_bytes(32)
        return hmac.new(self._key, binding + body, hashlib.sha256).digest()


# Of a process that shares nothing with another; an answer counts in the workspace that asked.
OWN_STATES = SealedStates()
