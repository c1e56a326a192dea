"""Proposals that wait to be applied."""

from __future__ import annotations

from typing import Protocol

from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class StoredPreview:
    """A proposal as bytes, owned by one principal."""

    id: str
    principal: str
    payload: bytes
    expires_at: float


class Previews(Protocol):
    """Where proposals wait: memory, SQLite or Redis. Raises StoreUnavailable."""

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """Return the live preview of that principal, or None."""

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s; False when another call was first."""

    def ping(self) -> None:
        """Raise StoreUnavailable when the store cannot be reached."""
