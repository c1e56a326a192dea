"""Previews of one workspace in a store that many share."""

from __future__ import annotations

from dataclasses import replace

from redline.core.ports.previews import Previews, StoredPreview


class NamedPreviews:
    """Keeps each preview for a principal of one workspace: under another name it is not found."""

    def __init__(self, store: Previews, workspace: str) -> None:
        self._store = store
        self._workspace = workspace

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""
        self._store.save(self._name(preview))

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """The live preview of that principal, or None."""
        found = self._store.get(preview_id, self._owner(principal))
        return None if found is None else replace(found, principal=principal)

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s; False when another call was first."""
        return self._store.replace(self._name(old), self._name(new))

    def ping(self) -> None:
        """Raise StoreUnavailable when the store cannot be reached."""
        self._store.ping()

    def close(self) -> None:
        """Close the store."""
        close = getattr(self._store, "close", None)
        if close is not None:
            close()

    def _name(self, preview: StoredPreview) -> StoredPreview:
        return replace(preview, principal=self._owner(preview.principal))

    def _owner(self, principal: str) -> str:
        return f"{self._workspace}\n{principal}"
