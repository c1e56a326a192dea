"""Previews in this process: the default, gone when it ends."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from redline.core.errors import LimitReached
from redline.core.ports.previews import StoredPreview

MAX_PREVIEWS = 1000
MAX_BYTES = 256 << 20
MAX_OF_ONE = 64 << 20


class MemoryPreviews:
    """Keeps previews until they expire; the oldest go first when there are too many."""

    def __init__(
        self,
        clock: Callable[[], float] = time.time,
        *,
        max_previews: int = MAX_PREVIEWS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._clock = clock
        self._max_previews = max_previews
        self._max_bytes = max_bytes
        self._held: OrderedDict[str, StoredPreview] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""
        if len(preview.payload) > min(MAX_OF_ONE, self._max_bytes):
            raise LimitReached(f"Preview is too large to keep: {len(preview.payload)} bytes")
        with self._lock:
            self._drop(preview.id)
            self._held[preview.id] = preview
            self._bytes += len(preview.payload)
            self._evict()

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """The live preview of that principal, or None."""
        with self._lock:
            found = self._held.get(preview_id)
            if found is None or found.principal != principal:
                return None
            if found.expires_at <= self._clock():
                self._drop(preview_id)
                return None
            return found

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s."""
        with self._lock:
            found = self._held.get(old.id)
            if found is None or found.payload != old.payload or found.principal != old.principal:
                return False
            self._held[old.id] = new
            self._bytes += len(new.payload) - len(found.payload)
            return True

    def ping(self) -> None:
        """Memory can always be reached."""

    def _drop(self, preview_id: str) -> None:
        gone = self._held.pop(preview_id, None)
        if gone is not None:
            self._bytes -= len(gone.payload)

    def _evict(self) -> None:
        now = self._clock()
        for preview_id in [p.id for p in self._held.values() if p.expires_at <= now]:
            self._drop(preview_id)
        while len(self._held) > self._max_previews or self._bytes > self._max_bytes:
            self._drop(next(iter(self._held)))
