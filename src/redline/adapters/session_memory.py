"""What connections were shown and what people permitted, in memory; the oldest is dropped first."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from redline.core.changes import digest_of
from redline.core.paths import WorkspacePath
from redline.core.ports.session_memory import Grant, Seen

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


MAX_BYTES = 64 << 20
MAX_FILE = 4 << 20
MAX_FILES = 20_000


class MemoryReads:
    """Reads in one process; forgetting one only means an edit is checked less."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._held = 0
        self._seen: OrderedDict[tuple[str, WorkspacePath], Seen] = OrderedDict()
        self._made: OrderedDict[tuple[str, WorkspacePath], tuple[str, str]] = OrderedDict()
        self._lock = Lock()

    def note(self, connection: str, path: WorkspacePath, content: bytes, cause: str = "") -> None:
        """Remember that *connection* was shown, or by *cause* edited, the file with *content*."""
        digest, kept = digest_of(content), content if len(content) <= MAX_FILE else None
        with self._lock:
            before = self._drop((connection, path))
            was_read = not cause or (before is not None and before.was_read)
            seen = Seen(digest, kept if was_read else None, cause, was_read)
            self._seen[connection, path] = seen
            self._held += len(seen.content or b"")
            while self._held > self._max_bytes or len(self._seen) > MAX_FILES:
                self._drop(next(iter(self._seen)))

    def note_change(self, connection: str, path: WorkspacePath, made: tuple[str, str]) -> None:
        """Remember which call of *connection* last changed the file, and to which digest."""
        with self._lock:
            self._made[connection, path] = made
            self._made.move_to_end((connection, path))
            if len(self._made) > MAX_FILES:
                self._made.popitem(last=False)

    def last_change(self, connection: str, path: WorkspacePath) -> tuple[str, str] | None:
        """Return the call that last changed the file for *connection*, and the digest it left."""
        with self._lock:
            return self._made.get((connection, path))

    def last_seen(self, connection: str, path: WorkspacePath) -> Seen | None:
        """Return the file as *connection* was last shown it, or None."""
        with self._lock:
            return self._seen.get((connection, path))

    def _drop(self, key: tuple[str, WorkspacePath]) -> Seen | None:
        old = self._seen.pop(key, None)
        if old is not None:
            self._held -= len(old.content or b"")
        return old
