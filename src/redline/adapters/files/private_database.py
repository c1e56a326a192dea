"""SQLite files that only their owner can read: they hold parts of people's files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


def open_private_database(path: str, schema: str, busy_seconds: float) -> sqlite3.Connection:
    """Open the database at *path*, created if missing, with the tables of *schema*.

    OSError, sqlite3.Error. Another process may hold it for *busy_seconds*.
    """
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
