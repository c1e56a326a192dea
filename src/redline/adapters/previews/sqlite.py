"""Previews in a SQLite file: they outlive the process and are shared by those on this machine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from redline.adapters.files.private_database import open_private_database, write_transaction
from redline.adapters.previews.memory import MAX_BYTES, MAX_OF_ONE, MAX_PREVIEWS
from redline.core.errors import LimitReached, StoreUnavailable
from redline.core.ports.previews import StoredPreview

_SCHEMA = """
CREATE TABLE IF NOT EXISTS previews (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, payload BLOB NOT NULL, expires_at REAL NOT NULL,
  place INTEGER NOT NULL
) WITHOUT ROWID
"""
_BUSY_SECONDS = 2.0


class SqlitePreviews:
    """Keeps previews in one file; every call is one transaction."""

    def __init__(
        self,
        path: str,
        clock: Callable[[], float] = time.time,
        *,
        max_previews: int = MAX_PREVIEWS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._path = path
        self._clock = clock
        self._max_previews = max_previews
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires; the oldest go first when there are too many."""
        if len(preview.payload) > min(MAX_OF_ONE, self._max_bytes):
            raise LimitReached(f"Preview is too large to keep: {len(preview.payload)} bytes")
        with self._transaction() as db:
            place = db.execute("SELECT coalesce(max(place), 0) + 1 FROM previews").fetchone()[0]
            db.execute(
                "INSERT OR REPLACE INTO previews VALUES (?, ?, ?, ?, ?)",
                (preview.id, preview.principal, preview.payload, preview.expires_at, place),
            )
            self._evict(db)

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """The live preview of that principal, or None."""
        with self._transaction() as db:
            row = db.execute(
                "SELECT payload, expires_at FROM previews WHERE id = ? AND principal = ?",
                (preview_id, principal),
            ).fetchone()
        if row is None or row[1] <= self._clock():
            return None
        return StoredPreview(preview_id, principal, bytes(row[0]), row[1])

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s."""
        with self._transaction() as db:
            changed = db.execute(
                "UPDATE previews SET payload = ?, expires_at = ? "
                "WHERE id = ? AND principal = ? AND payload = ?",
                (new.payload, new.expires_at, old.id, old.principal, old.payload),
            )
            return changed.rowcount == 1

    def ping(self) -> None:
        """Raise StoreUnavailable when the file cannot be used."""
        with self._transaction() as db:
            db.execute("SELECT 1 FROM previews LIMIT 1")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _evict(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM previews WHERE expires_at <= ?", (self._clock(),))
        rows = db.execute("SELECT id, length(payload) FROM previews ORDER BY place DESC").fetchall()
        kept = size = 0
        for preview_id, length in rows:
            kept, size = kept + 1, size + length
            if kept > self._max_previews or size > self._max_bytes:
                db.execute("DELETE FROM previews WHERE id = ?", (preview_id,))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                with write_transaction(self._open()) as db:
                    yield db
            except (OSError, sqlite3.Error) as error:
                self._close()
                reason = error.strerror if isinstance(error, OSError) else error
                raise StoreUnavailable(
                    f"Session store failed: {reason}: {self._path}",
                    hint="check that the file given to --sessions can be written",
                ) from None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_private_database(self._path, _SCHEMA, _BUSY_SECONDS)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
