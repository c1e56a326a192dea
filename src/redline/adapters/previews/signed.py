"""Previews in a store that others may write to: only what this server's group kept is found."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import replace

from redline.core.ports.previews import Previews, StoredPreview


class SignedPreviews:
    """Keeps each preview with a signature over its id, its principal and what it holds."""

    def __init__(self, store: Previews, sign: Callable[[bytes], str]) -> None:
        self._store = store
        self._sign = sign

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""
        self._store.save(self._seal(preview))

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """The live preview of that principal, or None."""
        found = self._store.get(preview_id, principal)
        if found is None:
            return None
        length = len(self._sign(b""))
        opened = replace(found, payload=found.payload[length:])
        is_ours = hmac.compare_digest(found.payload, self._seal(opened).payload)
        return opened if is_ours else None

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s; False when another call was first."""
        return self._store.replace(self._seal(old), self._seal(new))

    def ping(self) -> None:
        """Raise StoreUnavailable when the store cannot be reached."""
        self._store.ping()

    def close(self) -> None:
        """Close the store."""
        close = getattr(self._store, "close", None)
        if close is not None:
            close()

    def _seal(self, preview: StoredPreview) -> StoredPreview:
        bound = f"{preview.id}\n{preview.principal}\n".encode() + preview.payload
        return replace(preview, payload=self._sign(bound).encode() + preview.payload)
