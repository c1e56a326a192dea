"""Permissions kept in memory for as long as they last."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from redline.core.ports.grants import Grant

_MOST = 1000


class MemoryGrants:
    """Grants of this process; safe from any thread. *clock* gives seconds since the epoch."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._grants: dict[str, Grant] = {}

    def add(self, grant: Grant) -> None:
        """Put *grant* in force."""
        with self._lock:
            self._drop_expired()
            while len(self._grants) >= _MOST:
                del self._grants[next(iter(self._grants))]
            self._grants[grant.id] = grant

    def consume(self, owner: str, tool: str, permission: str, digest: str) -> Grant | None:
        """The grant that covers this call, used up if it was for one call; None without one."""
        with self._lock:
            self._drop_expired()
            wanted = owner, tool, permission, digest
            for grant in self._grants.values():
                if (grant.owner, grant.tool, grant.permission, grant.digest) == wanted:
                    if grant.scope == "once":
                        del self._grants[grant.id]
                    return grant
        return None

    def _drop_expired(self) -> None:
        now = self._clock()
        for grant in [grant for grant in self._grants.values() if grant.expires_at <= now]:
            del self._grants[grant.id]
