"""A store of previews in another one."""

from __future__ import annotations

from abc import ABC, abstractmethod

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
