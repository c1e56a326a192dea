"""Which sealed states have been used already: each is valid once."""

from __future__ import annotations

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
