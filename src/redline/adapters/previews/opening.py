"""Previews that wait to be applied: in memory, or in the store that a setting names."""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from redline.core.errors import InvalidArgument, LimitReached
from redline.core.ports.previews import Previews, StoredPreview
from redline.core.records import replace


class SharedPreviews:
    """Keeps each preview for a principal of *workspace*: under another name it is not found.

    With *sign*, each is kept with a signature over its id, its principal and what it holds.
    """

    def __init__(
        self, store: Previews, workspace: str, sign: Callable[[bytes], str] | None = None
    ) -> None:
        self._store = store
        self._workspace = workspace
        self._sign = sign or (lambda _: "")

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""
        self._store.save(self._wrap(preview))

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """Return the live preview of that principal, or None."""
        found = self._store.get(preview_id, self._owner(principal))
        if found is None:
            return None
        payload = found.payload[len(self._sign(b"")) :]
        opened = replace(found, principal=principal, payload=payload)
        is_ours = hmac.compare_digest(found.payload, self._wrap(opened).payload)
        return opened if is_ours else None

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s; False when another call was first."""
        return self._store.replace(self._wrap(old), self._wrap(new))

    def ping(self) -> None:
        """Raise StoreUnavailable when the store cannot be reached."""
        self._store.ping()

    def close(self) -> None:
        """Close the store."""
        close = getattr(self._store, "close", None)
        if close is not None:
            close()

    def _owner(self, principal: str) -> str:
        return f"{self._workspace}\n{principal}" if self._workspace else principal

    def _wrap(self, preview: StoredPreview) -> StoredPreview:
        bound = f"{preview.id}\n{preview.principal}\n".encode() + preview.payload
        payload = self._sign(bound).encode() + preview.payload
        return replace(preview, principal=self._owner(preview.principal), payload=payload)


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
        """Return the live preview of that principal, or None."""
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


def open_previews(
    setting: str, workspace: str = "", sign: Callable[[bytes], str] | None = None
) -> Previews:
    """Return the store for `--sessions`; nothing is connected before it is used.

    *workspace* keeps the previews of one of many apart from those of the others. With *sign* only
    previews that carry its signature are found.
    """
    if sign is not None or (workspace and setting not in ("", "memory")):
        return SharedPreviews(open_previews(setting), workspace, sign)
    if setting in ("", "memory"):
        return MemoryPreviews()
    if setting.startswith("sqlite:"):
        from redline.adapters.previews.sqlite import SqlitePreviews

        return SqlitePreviews(setting.removeprefix("sqlite:").removeprefix("//"))
    if setting.startswith(("redis://", "rediss://", "unix://")):
        from redline.adapters.previews.redis import RedisPreviews

        return RedisPreviews(setting)
    raise InvalidArgument(
        f"Unknown session store: {setting.split('@')[-1]}",
        field="sessions",
        hint="use memory, sqlite:PATH or redis://HOST:PORT/DB",
    )
