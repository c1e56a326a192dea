"""Previews in a SQLite file: they outlive the process and are shared by those on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable

from redline.adapters.files.private_database import PrivateDatabase
from redline.adapters.previews.opening import MAX_BYTES, MAX_OF_ONE, MAX_PREVIEWS
from redline.core.errors import LimitReached
from redline.core.ports.previews import StoredPreview

_SCHEMA = """
CREATE TABLE IF NOT EXISTS waiting (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, expires_at REAL NOT NULL, payload BLOB NOT NULL
)
"""
# The oldest, where there are too many or they are too large.
_EVICT = """
DELETE FROM waiting WHERE rowid IN (
  SELECT place FROM (
    SELECT rowid AS place, row_number() OVER newest AS number,
      sum(length(payload)) OVER newest AS size
    FROM waiting WINDOW newest AS (ORDER BY rowid DESC)
  ) WHERE number > ? OR size > ?
)
"""


class SqlitePreviews(PrivateDatabase):
    """Keeps previews until they expire; the oldest go first when there are too many."""

    def __init__(
        self,
        path: str,
        clock: Callable[[], float] = time.time,
        *,
        max_previews: int = MAX_PREVIEWS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        hint = "check that the file given to --sessions can be written"
        super().__init__(path, _SCHEMA, f"The session store {path}", hint=hint)
        self._clock = clock
        self._max_previews = max_previews
        self._max_bytes = max_bytes

    def save(self, preview: StoredPreview) -> None:
        """Keep *preview* until it expires."""
        if len(preview.payload) > min(MAX_OF_ONE, self._max_bytes):
            raise LimitReached(f"Preview is too large to keep: {len(preview.payload)} bytes")
        facts = preview.id, preview.principal, preview.expires_at, preview.payload
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?)", facts)
            db.execute("DELETE FROM waiting WHERE expires_at <= ?", (self._clock(),))
            db.execute(_EVICT, (self._max_previews, self._max_bytes))

    def get(self, preview_id: str, principal: str) -> StoredPreview | None:
        """Return the live preview of that principal, or None."""
        with self.reading() as db:
            row = db.execute(
                "SELECT payload, expires_at FROM waiting WHERE id = ? AND principal = ?",
                (preview_id, principal),
            ).fetchone()
        if row is None or row[1] <= self._clock():
            return None
        return StoredPreview(preview_id, principal, bytes(row[0]), row[1])

    def replace(self, old: StoredPreview, new: StoredPreview) -> bool:
        """Swap the payload if it still is *old*'s."""
        with self.transaction() as db:
            changed = db.execute(
                "UPDATE waiting SET payload = ?, expires_at = ? "
                "WHERE id = ? AND principal = ? AND payload = ?",
                (new.payload, new.expires_at, old.id, old.principal, old.payload),
            )
            return changed.rowcount == 1

    def ping(self) -> None:
        """Raise StoreUnavailable when the file cannot be used."""
        with self.transaction() as db:
            db.execute("SELECT 1 FROM waiting LIMIT 1")
