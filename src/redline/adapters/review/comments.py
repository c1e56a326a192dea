"""Comments in a SQLite file of the state directory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from redline.adapters.review.database import ReviewDatabase
from redline.core.errors import InvalidArgument

if TYPE_CHECKING:
    from redline.core.ports.pages import ReviewComment

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
_MAX_LISTED = 1000


class SqliteComments(ReviewDatabase):
    """See `core.ports.pages.ReviewComments`; without a file there are no comments."""

    def __init__(self, state_dir: str) -> None:
        super().__init__(state_dir, "comments.sqlite", _SCHEMA, "Comments")

    def add(self, comment: ReviewComment) -> None:
        """Keep a comment."""
        with self.transaction() as db:
            db.execute(_INSERT, astuple(comment))

    def list(self, *, operation: str = "", open_only: bool = False) -> Sequence[ReviewComment]:
        """Comments, oldest first."""
        if not self.exists():
            return []
        with self.reading() as db:
            rows = db.execute(_LIST, (operation, operation, open_only, _MAX_LISTED)).fetchall()
        return [_comment(row) for row in rows]

    def take_undelivered(self, session: str) -> Sequence[ReviewComment]:
        """Open comments for a session that were not returned before."""
        if not session or not self.exists():
            return []
        with self.transaction() as db:
            rows = db.execute(_UNDELIVERED, (session,)).fetchall()
            db.executemany(
                "UPDATE comments SET is_delivered = 1 WHERE id = ?", [(row[0],) for row in rows]
            )
        return [_comment(row) for row in rows]

    def resolve(self, comment_id: str, by: str, answer: str) -> ReviewComment:
        """Mark a comment as resolved."""
        found = None
        if self.exists():
            with self.transaction() as db:
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


def _comment(row: tuple[Any, ...]) -> ReviewComment:
    from redline.core.ports.pages import ReviewComment  # late: most processes read no comment

    found = ReviewComment(*row)
    return replace(found, is_delivered=bool(found.is_delivered))
