"""Object stores by address: s3://, gs://, az://, file:// (through obstore)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from redline.core.errors import InvalidArgument, StoreUnavailable
from redline.core.extras import install_extra
from redline.teams.ports import ObjectStore

T = TypeVar("T")


def open_objects(address: str) -> ObjectStore:
    """Open the store at *address*; credentials come from the environment, as each vendor has it."""
    try:
        import obstore
        from obstore.store import LocalStore, from_url
    except ImportError:
        raise InvalidArgument(
            "Object stores need the extra teams", hint=install_extra("teams")
        ) from None
    if "://" not in address:
        raise InvalidArgument(
            f"Not the address of an object store: {address}",
            field="url",
            hint="such as s3://bucket/prefix, gs://..., az://... or file:///directory",
        )
    try:
        if address.startswith("file://"):
            path = address.removeprefix("file://")
            if not os.path.isabs(path):
                raise InvalidArgument(f"file:// takes a whole path: {address}", field="url")
            return Obstore(LocalStore(path, mkdir=True))
        return Obstore(from_url(address))
    except obstore.exceptions.BaseError as failure:
        raise InvalidArgument(
            f"Not the address of an object store: {address}: {_first_line(failure)}", field="url"
        ) from None


class Obstore:
    """See `teams.ports.ObjectStore`; obstore itself tries again when a server fails."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def put(self, name: str, data: bytes) -> None:
        """Store an object."""
        import obstore

        _reach(lambda: obstore.put(self._store, name, data))

    def get(self, name: str, limit: int) -> bytes | None:
        """Return the object of this name."""
        import obstore

        def fetch() -> bytes:
            found = obstore.get(self._store, name)
            if found.meta["size"] > limit:
                raise StoreUnavailable(f"The object store holds something too large: {name[:100]}")
            return bytes(found.bytes())

        try:
            return _reach(fetch)
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        """Return whether there is an object of this name."""
        import obstore

        try:
            _reach(lambda: obstore.head(self._store, name))
        except FileNotFoundError:
            return False
        return True

    def list(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with *prefix*."""
        import obstore

        pages = _reach(lambda: list(obstore.list(self._store, prefix)))
        return sorted(each["path"] for page in pages for each in page)

    def delete(self, name: str) -> None:
        """Remove an object."""
        import obstore

        try:
            _reach(lambda: obstore.delete(self._store, name))
        except FileNotFoundError:
            pass


def _reach(ask: Callable[[], T]) -> T:
    import obstore

    try:
        return ask()
    except FileNotFoundError:
        raise
    except (obstore.exceptions.BaseError, OSError) as failure:
        raise StoreUnavailable(f"The object store failed: {_first_line(failure)}") from None


def _first_line(failure: Exception) -> str:
    return str(failure).partition("\n")[0][:300]
