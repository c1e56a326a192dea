"""The runs of commands: a small SQLite file that several processes share."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from redline.adapters.files.private_database import PrivateDatabase
from redline.core.ports.commands import CommandRun, RunEnd, RunQuery

_RUNS = """
CREATE TABLE IF NOT EXISTS runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, tool TEXT NOT NULL,
  client TEXT NOT NULL, principal TEXT NOT NULL, session TEXT NOT NULL, line TEXT NOT NULL,
  cwd TEXT NOT NULL, sandbox TEXT NOT NULL, is_dry INTEGER NOT NULL, process TEXT NOT NULL,
  status TEXT NOT NULL, exit_code INTEGER, signal TEXT NOT NULL, elapsed REAL NOT NULL,
  change TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_change ON runs (change);
CREATE TABLE IF NOT EXISTS outputs (number INTEGER PRIMARY KEY, output TEXT NOT NULL);
"""
_COLUMNS = "time, tool, client, principal, session, line, cwd, sandbox, is_dry, process"
_INSERT_RUNS = f"INSERT INTO runs ({_COLUMNS}, status, signal, elapsed, change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '', 0, '')"  # noqa: E501, S608 - names of our own
_END = "UPDATE runs SET status = ?, exit_code = ?, signal = ?, elapsed = ?, change = ?"
_OUTPUT = "(SELECT output FROM outputs WHERE outputs.number = runs.number)"
_SELECT_RUNS = f"SELECT number, {_COLUMNS}, status, exit_code, signal, elapsed, change, IFNULL({_OUTPUT}, '') FROM runs"  # noqa: E501, S608
# Runs beyond these are removed, the oldest first.
MAX_KEPT = 20_000
_MAX_OUTPUTS = 2_000
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
                db.execute("DELETE FROM outputs WHERE number <= ?", (number - _MAX_OUTPUTS,))
        return number

    def end(self, number: int, end: RunEnd) -> None:
        """Note how it ended."""
        with self.transaction() as db:
            db.execute(f"{_END} WHERE number = ?", (*end[:-1], number))
            if end.output:
                db.execute("INSERT OR REPLACE INTO outputs VALUES (?, ?)", (number, end.output))

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
        """Return one run; None where there is none."""
        return self._find("number = ?", number)

    def of_change(self, operation_id: str) -> CommandRun | None:
        """Return the run that made a change; None where no command did."""
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
