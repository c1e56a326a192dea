"""The SQLite schema of the code index."""

from __future__ import annotations

import re
import sqlite3

VERSION = 12
# How many symbols of each file the table `best` holds, ready for a map of the repository.
BEST_PER_FILE = 8
MINOR_KINDS = (
    "('field','variable','constant','enum_member','key','rule','block','property','prototype',"
    "'alias')"
)

_TABLES = """
CREATE TABLE files (
  id INTEGER PRIMARY KEY, root INTEGER, path TEXT, size INTEGER, mtime INTEGER, digest TEXT,
  language TEXT, lines INTEGER, rank REAL DEFAULT 0, failed TEXT DEFAULT '',
  UNIQUE (root, path));
CREATE TABLE words (file INTEGER PRIMARY KEY, names BLOB, counts BLOB);
CREATE INDEX files_rank ON files (rank DESC, path);
CREATE INDEX files_failed ON files (root, path) WHERE failed != '';
CREATE TABLE names (
  id INTEGER PRIMARY KEY, name TEXT UNIQUE, rank REAL DEFAULT 0);
CREATE TABLE parts (part TEXT, name INTEGER, PRIMARY KEY (part, name)) WITHOUT ROWID;
CREATE TABLE symbols (
  id INTEGER PRIMARY KEY, file INTEGER, name INTEGER, qualified TEXT, kind TEXT, line INTEGER,
  start INTEGER, stop INTEGER, signature TEXT, doc TEXT);
CREATE INDEX symbols_name ON symbols (name);
CREATE INDEX symbols_file ON symbols (file);
CREATE TABLE best (
  file INTEGER, place INTEGER, symbol INTEGER, PRIMARY KEY (file, place)) WITHOUT ROWID;
CREATE TABLE uses (
  name INTEGER, file INTEGER, count INTEGER, lines BLOB, PRIMARY KEY (name, file)) WITHOUT ROWID;
CREATE TABLE facts (key TEXT PRIMARY KEY, value REAL);
"""


def connect(path: str) -> sqlite3.Connection:
    """Open the index at *path* and create its tables; an index of another version is emptied."""
    db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA cache_size=-8000")
    db.execute("PRAGMA temp_store=MEMORY")
    # With rare checkpoints, a page that many transactions change is copied to the database once.
    db.execute("PRAGMA wal_autocheckpoint=8000")
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
            db.execute(f'DROP TABLE IF EXISTS "{name}"')
        for statement in _TABLES.split(";"):
            if statement.strip():
                db.execute(statement)
        db.execute(f"PRAGMA user_version={VERSION}")
    db.execute("COMMIT")
    return db


_INSERT_BEST = (
    "INSERT INTO best SELECT file, place, id FROM (SELECT file, s.id, row_number() OVER "  # noqa: S608
    "(PARTITION BY file ORDER BY n.rank DESC, line) AS place"
    f" FROM symbols s JOIN names n ON n.id = s.name WHERE s.id > ? AND kind NOT IN {MINOR_KINDS})"
    f" WHERE place <= {BEST_PER_FILE}"
)


def insert_best(db: sqlite3.Connection, last: int) -> None:
    """Fill the table `best` for every file whose symbols have ids above *last*.

    The caller ensures that no file has symbols on both sides of *last*.
    """
    db.execute(_INSERT_BEST, (last,))


_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def parts_of(name: str) -> set[str]:
    """Return the words that a name consists of and the whole name, in lower case."""
    return {part.lower() for part in _PART.findall(name) if len(part) > 1} | {name.lower()}
