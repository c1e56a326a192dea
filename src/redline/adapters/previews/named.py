"""Previews of one workspace in a store that many share."""

from __future__ import annotations

from dataclasses import replace

from redline.adapters.previews.wrapped import WrappedPreviews
from redline.core.ports.previews import Previews, StoredPreview


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
