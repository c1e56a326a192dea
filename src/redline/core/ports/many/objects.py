"""An object store: named bytes, each put whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class ObjectStore(Protocol):
    """Objects beneath one address; StoreUnavailable when it cannot be reached."""

    def put(self, name: str, data: bytes) -> None:
        """Store an object, in place of one with this name."""

    def get(self, name: str, limit: int) -> bytes | None:
        """The object of this name; None when there is none.

        StoreUnavailable when it has more than *limit* bytes; it is not read.
        """

    def has(self, name: str) -> bool:
        """Whether there is an object of this name."""

    def list(self, prefix: str) -> Sequence[str]:
        """The names that begin with *prefix*."""

    def delete(self, name: str) -> None:
        """Remove an object; one that is gone already is no failure."""
