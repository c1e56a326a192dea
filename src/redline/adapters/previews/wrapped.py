"""Previews in a store that others use as well: of one workspace, or signed by one group."""

from __future__ import annotations

import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from redline.core.ports.previews import Previews, StoredPreview


class WrappedPreviews(ABC):
    """Keeps each preview in *store* as `_wrap` makes it."""

    def __init__(self, store: Previews) -> None:
        self._store = store

    @abstractmethod
    def _wrap(self, preview: StoredPreview) -> StoredPreview:
        """Return *preview* as the other store has it."""

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""
        self._store.save(self._wrap(preview))

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


class NamedPreviews(WrappedPreviews):
    """Keeps each preview for a principal of one workspace: under another name it is not found."""

    def __init__(self, store: Previews, workspace: str) -> None:
        super().__init__(store)
        self._workspace = workspace

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """The live preview of that principal, or None."""
        found = self._store.get(preview_id, self._owner(principal))
        return None if found is None else replace(found, principal=principal)

    def _wrap(self, preview: StoredPreview) -> StoredPreview:
        return replace(preview, principal=self._owner(preview.principal))

    def _owner(self, principal: str) -> str:
        return f"{self._workspace}\n{principal}"


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
