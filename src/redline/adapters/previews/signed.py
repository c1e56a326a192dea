"""Previews in a store that others may write to: only what this server's group kept is found."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import replace

from redline.adapters.previews.wrapped import WrappedPreviews
from redline.core.ports.previews import Previews, StoredPreview


class SignedPreviews(WrappedPreviews):
    """Keeps each preview with a signature over its id, its principal and what it holds."""

    def __init__(self, store: Previews, sign: Callable[[bytes], str]) -> None:
        super().__init__(store)
        self._sign = sign

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """The live preview of that principal, or None."""
        found = self._store.get(preview_id, principal)
        if found is None:
            return None
        opened = replace(found, payload=found.payload[len(self._sign(b"")) :])
        is_ours = hmac.compare_digest(found.payload, self._wrap(opened).payload)
        return opened if is_ours else None

    def _wrap(self, preview: StoredPreview) -> StoredPreview:
        bound = f"{preview.id}\n{preview.principal}\n".encode() + preview.payload
        return replace(preview, payload=self._sign(bound).encode() + preview.payload)
