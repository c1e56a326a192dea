"""Comments in a SQLite file of the state directory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from redline.core.errors import InvalidArgument, StoreUnavailable
from redline.core.ports.pages import ReviewComment

if TYPE_CHECKING:  # every call asks for comments, and few workspaces have any
    import sqlite3

_SCHEMA = """
CREATE TABLE IF NOT EXISTS comments (
  id TEXT PRIMARY KEY, time REAL NOT NULL, operation TEXT NOT NULL, session TEXT NOT NULL,
  path TEXT NOT NULL, side TEXT NOT NULL, line INTEGER NOT NULL, quote TEXT NOT NULL,
  text TEXT NOT NULL, author TEXT NOT NULL, is_delivered INTEGER NOT NULL,
  resolved_by TEXT NOT NULL, answer TEXT NOT NULL
)
"""
_INSERT = "INSERT INTO comments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LIST = """
SELECT * FROM (
  SELECT * FROM comments WHERE (? = '' OR operation = ?) AND (NOT ? OR resolved_by = '')
  ORDER BY time DESC LIMIT ?
) ORDER BY time
"""
_UNDELIVERED = """
SELECT * FROM comments WHERE session = ? AND NOT is_delivered AND resolved_by = '' ORDER BY time
"""
_BUSY_SECONDS = 5.0
_MAX_LISTED = 1000


class SqliteComments:
    """See `core.ports.pages.ReviewComments`; without a file there are no comments."""

    def __init__(self, state_dir: str) -> None:
        self._path = os.path.join(state_dir, "comments.sqlite")
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def add(self, comment: ReviewComment) -> None:
        """Keep a comment."""
        with self._transaction() as db:
            db.execute(_INSERT, astuple(comment))

    def list(self, *, operation: str = "", open_only: bool = False) -> Sequence[ReviewComment]:
        """Comments, oldest first."""
        if not self._exists():
            return []
        with self._transaction() as db:
            rows = db.execute(_LIST, (operation, operation, open_only, _MAX_LISTED)).fetchall()
        return [_comment(row) for row in rows]

    def take_undelivered(self, session: str) -> Sequence[ReviewComment]:
        """Open comments for a session that were not returned before."""
        if not session or not self._exists():
            return []
        with self._transaction() as db:
            rows = db.execute(_UNDELIVERED, (session,)).fetchall()
            db.executemany(
                "UPDATE comments SET is_delivered = 1 WHERE id = ?", [(row[0],) for row in rows]
            )
        return [_comment(row) for row in rows]

    def resolve(self, comment_id: str, by: str, answer: str) -> ReviewComment:
        """Mark a comment as resolved."""
        found = None
        if self._exists():
            with self._transaction() as db:
                changed = db.execute(
                    "UPDATE comments SET resolved_by = ?, answer = ?"
                    " WHERE id = ? AND resolved_by = ''",
                    (by, answer, comment_id),
                )
                if changed.rowcount:
                    query = "SELECT * FROM comments WHERE id = ?"
                    found = db.execute(query, (comment_id,)).fetchone()
        if found is None:
            raise InvalidArgument(
                f"No open comment has this id: {comment_id}", field="resolve",
                hint="list the open comments first",
            )  # fmt: skip
        return _comment(found)

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

    def _exists(self) -> bool:
        return self._connection is not None or os.path.exists(self._path)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                with self._connection as db:
                    yield db
            except sqlite3.Error as failure:
                raise StoreUnavailable(f"Comments cannot be read or written: {failure}") from None

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.close(descriptor)
        db = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        db.execute(_SCHEMA)
        return db


def _comment(row: tuple[Any, ...]) -> ReviewComment:
    found = ReviewComment(*row)
    return replace(found, is_delivered=bool(found.is_delivered))
