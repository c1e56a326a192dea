"""Comments and questions: small SQLite files that several processes share."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from redline.adapters.files.private_database import PrivateDatabase
from redline.core.errors import (
    HeldDecided,
    InvalidArgument,
    LimitReached,
    UnknownHeld,
)
from redline.core.ports.review import (
    COMMENTS_FILE,
    QUESTIONS_FILE,
    Decision,
    HeldState,
    PermissionQuestion,
)
from redline.core.records import asdict, astuple, replace

if TYPE_CHECKING:
    from redline.core.ports.pages import ReviewComment


_COMMENTS = """
CREATE TABLE IF NOT EXISTS comments (
  id TEXT PRIMARY KEY, time REAL NOT NULL, operation TEXT NOT NULL, session TEXT NOT NULL,
  path TEXT NOT NULL, side TEXT NOT NULL, line INTEGER NOT NULL, quote TEXT NOT NULL,
  text TEXT NOT NULL, author TEXT NOT NULL, is_delivered INTEGER NOT NULL,
  resolved_by TEXT NOT NULL, answer TEXT NOT NULL
)
"""
_INSERT_COMMENTS = "INSERT INTO comments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LIST_COMMENTS = """
SELECT * FROM (
  SELECT * FROM comments WHERE (? = '' OR operation = ?) AND (NOT ? OR resolved_by = '')
  ORDER BY time DESC LIMIT ?
) ORDER BY time
"""
_UNDELIVERED = """
SELECT * FROM comments WHERE session = ? AND NOT is_delivered AND resolved_by = '' ORDER BY time
"""
_MAX_LISTED = 1000


class SqliteComments(PrivateDatabase):
    """See `core.ports.pages.ReviewComments`; without a file there are no comments."""

    def __init__(self, state_dir: str) -> None:
        super().__init__(os.path.join(state_dir, COMMENTS_FILE), _COMMENTS, "Comments")

    def add(self, comment: ReviewComment) -> None:
        """Keep a comment."""
        with self.transaction() as db:
            db.execute(_INSERT_COMMENTS, astuple(comment))

    def list(self, *, operation: str = "", open_only: bool = False) -> Sequence[ReviewComment]:
        """Comments, oldest first."""
        if not self.exists():
            return []
        with self.reading() as db:
            rows = db.execute(
                _LIST_COMMENTS, (operation, operation, open_only, _MAX_LISTED)
            ).fetchall()
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


_QUESTIONS = """
CREATE TABLE IF NOT EXISTS questions (
  id TEXT PRIMARY KEY, time REAL NOT NULL, expires REAL NOT NULL, tool TEXT NOT NULL,
  client TEXT NOT NULL, principal TEXT NOT NULL, session TEXT NOT NULL, message TEXT NOT NULL,
  decision TEXT, is_used INTEGER NOT NULL DEFAULT 0, is_delivered INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
"""
_SELECT_QUESTIONS = (
    "SELECT id, time, expires, tool, client, principal, session, message, decision FROM questions"
)
# A decided or expired question is kept this long, for the person who looks back.
_KEPT_SECONDS = 7 * 86400.0
MAX_WAITING = 100
# A session has at most this part of the places.
SESSION_SHARE = 4


class SqliteQuestions(PrivateDatabase):
    """See `core.ports.review.PermissionQuestions`."""

    def __init__(
        self,
        state_dir: str,
        *,
        clock: Callable[[], float] = time.time,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        super().__init__(os.path.join(state_dir, QUESTIONS_FILE), _QUESTIONS, "Questions")
        self._clock = clock
        self._max_waiting = max_waiting

    def ask(self, question: PermissionQuestion) -> PermissionQuestion:
        """Keep *question*, unless it waits or was decided and not used."""
        with self.transaction() as db:
            now = self._clock()
            is_fresh = "id = ? AND NOT is_used AND expires > ?"
            row = db.execute(f"{_SELECT_QUESTIONS} WHERE {is_fresh}", (question.id, now)).fetchone()
            if row is not None:
                return _question(row)
            db.execute("DELETE FROM questions WHERE expires < ?", (now - _KEPT_SECONDS,))
            count = "SELECT count(*) FROM questions WHERE decision IS NULL AND expires > ?"
            mine = db.execute(f"{count} AND session = ?", (now, question.session)).fetchone()[0]
            every = db.execute(count, (now,)).fetchone()[0]
            if mine >= max(1, self._max_waiting // SESSION_SHARE) or every >= self._max_waiting:
                raise LimitReached("Too many questions wait for a person", hint="wait for some")
            facts = (question.id, question.time, question.expires, question.tool, question.client,
                     question.principal, question.session, question.message)  # fmt: skip
            db.execute(
                "INSERT OR REPLACE INTO questions (id, time, expires, tool, client, principal,"
                " session, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                facts,
            )
        return question

    def list(self) -> Sequence[PermissionQuestion]:
        """Return every question that is kept, newest first."""
        if not self.exists():
            return []
        with self.reading() as db:
            rows = db.execute(f"{_SELECT_QUESTIONS} ORDER BY time DESC").fetchall()
        return [_question(row) for row in rows]

    def get(self, question_id: str) -> PermissionQuestion:
        """Return one question by its id."""
        row = None
        if self.exists():
            with self.reading() as db:
                row = db.execute(f"{_SELECT_QUESTIONS} WHERE id = ?", (question_id,)).fetchone()
        if row is None:
            raise UnknownHeld(f"No question has this id: {question_id[:40]}")
        return _question(row)

    def decide(
        self,
        question_id: str,
        decision: Decision,
        note: Callable[[PermissionQuestion], object],
    ) -> PermissionQuestion:
        """Write the first decision down, after *note* has."""
        self.get(question_id)
        with self.transaction() as db:
            row = db.execute(f"{_SELECT_QUESTIONS} WHERE id = ?", (question_id,)).fetchone()
            found = _question(row)
            state = found.state(self._clock())
            if state is not HeldState.WAITING:
                raise HeldDecided(
                    f"The question was decided before: it is {state.value}",
                    details={"question_id": question_id, "state": state.value},
                )
            note(found)
            text = json.dumps(asdict(decision))
            db.execute("UPDATE questions SET decision = ? WHERE id = ?", (text, question_id))
        return replace(found, decision=decision)

    def use(self, question_id: str) -> bool:
        """Use the permission up; whether this call was the first to."""
        with self.transaction() as db:
            done = db.execute(
                "UPDATE questions SET is_used = 1, is_delivered = 1 WHERE id = ? AND NOT is_used"
                " AND decision IS NOT NULL AND expires > ?",
                (question_id, self._clock()),
            )
            return done.rowcount == 1

    def withdraw(self, question_id: str) -> None:
        """Drop a question that still waits."""
        with self.transaction() as db:
            db.execute("DELETE FROM questions WHERE id = ? AND decision IS NULL", (question_id,))

    def take_decisions(self, session: str) -> Sequence[PermissionQuestion]:
        """Decided questions of *session* that it does not know of; each once."""
        if not session or not self.exists():
            return []
        with self.transaction() as db:
            wanted = "session = ? AND NOT is_delivered AND decision IS NOT NULL ORDER BY time"
            rows = db.execute(f"{_SELECT_QUESTIONS} WHERE {wanted}", (session,)).fetchall()
            db.executemany(
                "UPDATE questions SET is_delivered = 1 WHERE id = ?", [(row[0],) for row in rows]
            )
        return [_question(row) for row in rows]


def _question(row: tuple[Any, ...]) -> PermissionQuestion:
    decision = row[-1]
    given = None
    if decision is not None:
        fields = json.loads(decision)
        given = Decision(**{**fields, "state": HeldState(fields["state"])})
    values = (*row[:-1], given)
    return PermissionQuestion(*values)
