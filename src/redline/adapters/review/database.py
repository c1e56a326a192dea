"""A small SQLite file of the state directory, which several servers and pages share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from redline.core.errors import StoreUnavailable

if TYPE_CHECKING:  # every call looks whether there is something to read, and rarely there is
    import sqlite3

_BUSY_SECONDS = 5.0
_LOG = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"


class ReviewDatabase:
    """Tables of *schema* in the file *name*; *what* is in it, for errors. Made when first written.

    With *is_log* the last writes may be lost when the machine fails; they are never torn.
    """

    def __init__(
        self, state_dir: str, name: str, schema: str, what: str, *, is_log: bool = False
    ) -> None:
        self._path = os.path.join(state_dir, name)
        self._schema = schema
        self._what = what
        self._is_log = is_log
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self._connection is not None or os.access(self._path, os.F_OK)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read; StoreUnavailable."""
        import sqlite3

        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                yield self._connection
            except (sqlite3.Error, OSError) as failure:
                message = f"{self._what} cannot be read or written: {failure}"
                raise StoreUnavailable(message) from None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Read and write, all of it or nothing, alone; StoreUnavailable."""
        from redline.adapters.files.private_database import write_transaction

        with self.reading() as db, write_transaction(db):
            yield db

    def version(self) -> str:
        """Return a version token for polling: it differs after every change."""
        found = []
        for name in (self._path, f"{self._path}-wal"):
            try:
                facts = os.stat(name)
                found.append(f"{facts.st_mtime_ns}.{facts.st_size}")
            except OSError:
                continue
        return " ".join(found)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        from redline.adapters.files.private_database import open_private_database

        schema = f"{_LOG}{self._schema}" if self._is_log else self._schema
        return open_private_database(self._path, schema, _BUSY_SECONDS)
