"""Comments, questions and runs of commands: small SQLite files that several processes share."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, replace
from typing import TYPE_CHECKING, Any

from redline.adapters.files.private_database import PrivateDatabase
from redline.core.errors import (
    HeldDecided,
    InvalidArgument,
    LimitReached,
    UnknownHeld,
)
from redline.core.ports.commands import CommandRun, RunEnd, RunQuery
from redline.core.ports.review import Decision, HeldState, PermissionQuestion

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
        super().__init__(os.path.join(state_dir, "comments.sqlite"), _COMMENTS, "Comments")

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
        super().__init__(os.path.join(state_dir, "questions.sqlite"), _QUESTIONS, "Questions")
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
        """Every question that is kept, newest first."""
        if not self.exists():
            return []
        with self.reading() as db:
            rows = db.execute(f"{_SELECT_QUESTIONS} ORDER BY time DESC").fetchall()
        return [_question(row) for row in rows]

    def get(self, question_id: str) -> PermissionQuestion:
        """One question by its id."""
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


_RUNS = """
CREATE TABLE IF NOT EXISTS runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, tool TEXT NOT NULL,
  client TEXT NOT NULL, principal TEXT NOT NULL, session TEXT NOT NULL, line TEXT NOT NULL,
  cwd TEXT NOT NULL, sandbox TEXT NOT NULL, is_dry INTEGER NOT NULL, process TEXT NOT NULL,
  status TEXT NOT NULL, exit_code INTEGER, signal TEXT NOT NULL, elapsed REAL NOT NULL,
  change TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_change ON runs (change);
"""
_COLUMNS = "time, tool, client, principal, session, line, cwd, sandbox, is_dry, process"
_INSERT_RUNS = f"INSERT INTO runs ({_COLUMNS}, status, signal, elapsed, change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '', 0, '')"  # noqa: E501, S608 - names of our own
_END = "UPDATE runs SET status = ?, exit_code = ?, signal = ?, elapsed = ?, change = ?"
_SELECT_RUNS = f"SELECT number, {_COLUMNS}, status, exit_code, signal, elapsed, change FROM runs"  # noqa: S608
# Runs beyond these are removed, the oldest first.
MAX_KEPT = 20_000
_TRIM_EVERY = 200
_MAX_LINE = 8_000
_LOST = "lost"


class SqliteRuns(PrivateDatabase):
    """See `core.ports.commands.CommandRuns`."""

    def __init__(self, state_dir: str, *, max_kept: int = MAX_KEPT) -> None:
        super().__init__(
            os.path.join(state_dir, "runs.sqlite"), _RUNS, "The list of commands", is_log=True
        )
        self._process = _name_process(os.getpid())
        self._max_kept = max_kept

    def begin(self, run: CommandRun) -> int:
        """Note that a command was started; its number."""
        line = run.line if len(run.line) <= _MAX_LINE else f"{run.line[:_MAX_LINE]}..."
        values = (run.time or time.time(), run.tool, run.client, run.principal, run.session, line,
                  run.cwd, run.sandbox, run.is_dry, self._process)  # fmt: skip
        with self.transaction() as db:
            number = db.execute(_INSERT_RUNS, values).lastrowid or 0
            if number % _TRIM_EVERY == 0:
                db.execute("DELETE FROM runs WHERE number <= ?", (number - self._max_kept,))
        return number

    def end(self, number: int, end: RunEnd) -> None:
        """Note how it ended."""
        with self.transaction() as db:
            db.execute(f"{_END} WHERE number = ?", (*end, number))

    def list(self, query: RunQuery) -> Sequence[CommandRun]:
        """Runs, the newest first."""
        if not self.exists():
            return []
        found = ["1"]
        values: list[object] = []
        for clause, value in (
            ("number < ?", query.before),
            ("number > ?", query.after),
            ("tool = ?", query.tool),
            ("session = ?", query.session),
            ("principal = ?", query.principal),
            ("time >= ?", query.since),
            ("time < ?", query.until),
        ):
            if value is not None:
                found.append(clause)
                values.append(value)
        if query.client is not None:
            found.append("(client = ? OR client LIKE ? || ' %')")
            values += [query.client, query.client]
        if query.only_failed:
            found.append("status != 'running' AND (exit_code IS NULL OR exit_code != 0)")
        if query.without_changes:
            found.append("change = ''")
        where = " AND ".join(found)
        with self.reading() as db:
            rows = db.execute(
                f"{_SELECT_RUNS} WHERE {where} ORDER BY number DESC LIMIT ?", (*values, query.limit)
            ).fetchall()
        return [self._run(row) for row in rows]

    def get(self, number: int) -> CommandRun | None:
        """One run; None where there is none."""
        return self._find("number = ?", number)

    def of_change(self, operation_id: str) -> CommandRun | None:
        """The run that made a change; None where no command did."""
        return self._find("change = ?", operation_id)

    def _find(self, clause: str, value: object) -> CommandRun | None:
        if not self.exists():
            return None
        with self.reading() as db:
            row = db.execute(f"{_SELECT_RUNS} WHERE {clause}", (value,)).fetchone()
        return None if row is None else self._run(row)

    def _run(self, row: tuple[Any, ...]) -> CommandRun:
        number, process, status = row[0], row[10], row[11]
        if status == "running" and process not in (self._process, _name_process(process)):
            status = _LOST  # the server that would have noted its end is gone
        values = (*row[1:9], bool(row[9]), number, status, *row[12:])
        return CommandRun(*values)


def _name_process(pid: int | str) -> str:
    """Return a process by its number and when it started, which no other has; "" if it is gone."""
    bare = str(pid).partition("@")[0]
    try:
        with open(f"/proc/{bare}/stat", encoding="utf-8", errors="replace") as stream:
            fields = stream.read().rpartition(")")[2].split()
    except OSError:
        return "" if os.path.isdir("/proc/self") else str(pid)
    return f"{bare}@{fields[19]}"
