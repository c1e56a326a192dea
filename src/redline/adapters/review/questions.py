"""Questions about commands, in a SQLite file of the state directory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from redline.adapters.review.database import ReviewDatabase
from redline.core.errors import HeldDecided, LimitReached, UnknownHeld
from redline.core.ports.review import Decision, HeldState, PermissionQuestion

_SCHEMA = """
CREATE TABLE IF NOT EXISTS questions (
  id TEXT PRIMARY KEY, time REAL NOT NULL, expires REAL NOT NULL, tool TEXT NOT NULL,
  client TEXT NOT NULL, principal TEXT NOT NULL, session TEXT NOT NULL, message TEXT NOT NULL,
  decision TEXT, is_used INTEGER NOT NULL DEFAULT 0, is_delivered INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
"""
_SELECT = (
    "SELECT id, time, expires, tool, client, principal, session, message, decision FROM questions"
)
# A decided or expired question is kept this long, for the person who looks back.
_KEPT_SECONDS = 7 * 86400.0
MAX_WAITING = 100
# A session has at most this part of the places.
SESSION_SHARE = 4


class SqliteQuestions(ReviewDatabase):
    """See `core.ports.review.PermissionQuestions`."""

    def __init__(
        self,
        state_dir: str,
        *,
        clock: Callable[[], float] = time.time,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        super().__init__(state_dir, "questions.sqlite", _SCHEMA, "Questions")
        self._clock = clock
        self._max_waiting = max_waiting

    def ask(self, question: PermissionQuestion) -> PermissionQuestion:
        """Keep *question*, unless it waits or was decided and not used."""
        with self.transaction() as db:
            now = self._clock()
            is_fresh = "id = ? AND NOT is_used AND expires > ?"
            row = db.execute(f"{_SELECT} WHERE {is_fresh}", (question.id, now)).fetchone()
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
        """Every question that is kept, newest first."""
        if not self.exists():
            return []
        with self.reading() as db:
            rows = db.execute(f"{_SELECT} ORDER BY time DESC").fetchall()
        return [_question(row) for row in rows]

    def get(self, question_id: str) -> PermissionQuestion:
        """One question by its id."""
        row = None
        if self.exists():
            with self.reading() as db:
                row = db.execute(f"{_SELECT} WHERE id = ?", (question_id,)).fetchone()
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
            row = db.execute(f"{_SELECT} WHERE id = ?", (question_id,)).fetchone()
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
            rows = db.execute(f"{_SELECT} WHERE {wanted}", (session,)).fetchall()
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
