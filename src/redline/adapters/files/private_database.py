"""SQLite files that only their owner can read: they hold parts of people's files."""

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


class PrivateDatabase:
    """Tables of *schema* in the file at *path*; *what* is in it, for errors. Made when first used.

    With *is_log* the last writes may be lost when the machine fails; they are never torn.
    """

    def __init__(
        self, path: str, schema: str, what: str, *, hint: str | None = None, is_log: bool = False
    ) -> None:
        self._path = path
        self._schema = f"{_LOG}{schema}" if is_log else schema
        self._what = what
        self._hint = hint
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def exists(self) -> bool:
        """Return whether anything was ever written."""
        return self._connection is not None or os.access(self._path, os.F_OK)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read; StoreUnavailable. After a failure the file is opened again."""
        import sqlite3

        with self._lock:
            try:
                if self._connection is None:
                    self._connection = open_private_database(
                        self._path, self._schema, _BUSY_SECONDS
                    )
                yield self._connection
            except (sqlite3.Error, OSError) as failure:
                self._close()
                message = f"{self._what} cannot be read or written: {failure}"
                raise StoreUnavailable(message, hint=self._hint) from None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Read and write, all of it or nothing, alone; StoreUnavailable."""
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
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def open_private_database(path: str, schema: str, busy_seconds: float) -> sqlite3.Connection:
    """Open the database at *path*, created if missing, with the tables of *schema*.

    OSError, sqlite3.Error. Another process may hold it for *busy_seconds*.
    """
    import sqlite3

    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    os.close(os.open(path, flags, 0o600))
    db = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    db.executescript(schema)
    return db


@contextmanager
def write_transaction(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run a block as one transaction that keeps other writers out from its start."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
    except BaseException:
        db.rollback()
        raise
    db.commit()
