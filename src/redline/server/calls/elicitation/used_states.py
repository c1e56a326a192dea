"""Which sealed states were handed in already: each is good once."""

from __future__ import annotations

from threading import Lock

# So many of one principal are told apart; older ones count as spent, whoever they were.
_MOST = 4096


class Spent:
    """The states that principals used; what one of them does costs no other's."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: dict[str, dict[str, float]] = {}
        # What expires by then may have been used: it was forgotten whether it was.
        self._forgotten: dict[str, float] = {}

    def take(self, principal: str, nonce: str, expires: float, now: float) -> bool:
        """Whether this is the first use of a state, and in time."""
        with self._lock:
            used = self._used.setdefault(principal, {})
            is_known = nonce in used or expires <= self._forgotten.get(principal, 0.0)
            if is_known or now > expires:
                return False
            used[nonce] = expires
            if len(used) > _MOST:
                self._forget(now)
            return True

    def _forget(self, now: float) -> None:
        for principal, used in list(self._used.items()):
            for nonce in [nonce for nonce, expires in used.items() if expires < now]:
                del used[nonce]
            if len(used) > _MOST:
                soonest = sorted(used, key=used.__getitem__)[: _MOST // 2]
                self._forgotten[principal] = max(used.pop(nonce) for nonce in soonest)
            if not used:
                del self._used[principal]
                self._forgotten.pop(principal, None)
