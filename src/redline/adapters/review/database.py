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
        return self._connection is not None or os.path.exists(self._path)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Read or write, all of it or nothing; StoreUnavailable."""
        import sqlite3

        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                with self._connection as db:
                    yield db
            except (sqlite3.Error, OSError) as failure:
                message = f"{self._what} cannot be read or written: {failure}"
                raise StoreUnavailable(message) from None

    def version(self) -> str:
        """Return the times and sizes of the file and of what SQLite keeps beside it."""
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
        import sqlite3

        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.close(descriptor)
        db = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        if self._is_log:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
        db.executescript(self._schema)
        return db
