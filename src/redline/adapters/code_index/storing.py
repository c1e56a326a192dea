"""Storing what was read of files in the code index, many files in one transaction."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from operator import itemgetter

from redline.adapters.code_index.reading import SourceRead, Stale
from redline.adapters.code_index.schema import insert_best, parts_of
from redline.code.index.facts import FileFacts
from redline.code.index.packing import count_packed

# Bounds the memory of a long build.
_MAX_NAMES = 200_000
_NAME = itemgetter(0)


class FactStore:
    """Writes files into the tables; the caller holds the lease, so that no other process does."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._names: dict[str, int] = {}
        # Names that are known to be findable by their parts.
        self._defined: set[str] = set()

    def store(self, read: Sequence[SourceRead], *, is_first: bool = False) -> None:
        """Store all of *read*, or nothing; a first build finds the best symbols when it ranks."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            parsed = [(item, item.facts) for item in read if item.facts is not None]
            self._db.executemany(
                "UPDATE files SET size=?, mtime=? WHERE id=?",
                [
                    (item.file.size, item.file.mtime_ns, item.file.known)
                    for item in read
                    if item.facts is None
                ],
            )
            last = self._last("symbols")
            self._store_facts(parsed)
            if not is_first:
                insert_best(self._db, last)
            self._db.execute("COMMIT")
        except BaseException:
            self.clear_names()
            self._db.execute("ROLLBACK")
            raise

    def drop(self, rows: Sequence[int]) -> None:
        """Remove the files of these row ids."""
        if not rows:
            return
        self._db.execute("BEGIN IMMEDIATE")
        self._clear(rows)
        self._db.executemany("DELETE FROM files WHERE id=?", ((row,) for row in rows))
        self._db.execute("COMMIT")

    def clear_names(self) -> None:
        """Release the memory that known names take."""
        self._names.clear()
        self._defined.clear()

    def _store_facts(self, read: Sequence[tuple[SourceRead, FileFacts]]) -> None:
        self._clear([item.file.known for item, _ in read if item.file.known is not None])
        defined = {symbol.name for _, facts in read for symbol in facts.symbols}
        self._know(defined.union(*(facts.uses for _, facts in read)))
        names = self._names
        uses: list[tuple[int, int, int, bytes]] = []
        symbols: list[tuple[object, ...]] = []
        for item, facts in read:
            row = self._store_file(item.file, item.digest, facts)
            words = [
                (names[word], row, count_packed(blob), blob) for word, blob in facts.uses.items()
            ]
            words.sort(key=_NAME)
            self._store_words(row, words)
            uses += words
            symbols += [(row, names[symbol.name], *symbol[1:8]) for symbol in facts.symbols]
        uses.sort(key=_NAME)  # neighbours in the table are written together
        self._db.executemany("INSERT OR REPLACE INTO uses VALUES (?,?,?,?)", uses)
        self._db.executemany(
            "INSERT INTO symbols (file, name, qualified, kind, line, start, stop, signature, doc)"
            " VALUES (?,?,?,?,?,?,?,?,?)",
            symbols,
        )
        self._define(defined)

    def _store_words(self, row: int, words: Sequence[tuple[int, int, int, bytes]]) -> None:
        """Keep the names that a file uses beside it: to rank, and to remove its uses again."""
        names = array("q", [name for name, *_ in words])
        counts = array("i", [count for _, _, count, _ in words])
        values = (row, names.tobytes(), counts.tobytes())
        self._db.execute("INSERT OR REPLACE INTO words VALUES (?,?,?)", values)

    def _store_file(self, file: Stale, digest: str, facts: FileFacts) -> int:
        """Return the row id of a file, stored without its uses and symbols."""
        row = self._db.execute(
            "INSERT OR REPLACE INTO files (id, root, path, size, mtime, digest, language, lines,"
            " failed, rank)"
            " VALUES (?,?,?,?,?,?,?,?,?, (SELECT rank FROM files WHERE id=?))"
            " RETURNING id",
            (
                file.known,
                file.path.root,
                file.path.relative,
                file.size,
                file.mtime_ns,
                digest,
                file.language.name,
                facts.lines,
                facts.failed,
                file.known,
            ),
        ).fetchone()
        return int(row[0])

    def _know(self, wanted: set[str]) -> None:
        """Have an id for each name."""
        if len(self._names) + len(wanted) > _MAX_NAMES:
            self.clear_names()
        unknown = sorted(wanted - self._names.keys())
        last = self._last("names")
        self._db.executemany("INSERT OR IGNORE INTO names (name) VALUES (?)", zip(unknown))
        self._names.update(self._db.execute("SELECT name, id FROM names WHERE id > ?", (last,)))
        for name in unknown:
            if name not in self._names:
                found = self._db.execute("SELECT id FROM names WHERE name=?", (name,)).fetchone()
                self._names[name] = found[0]

    def _define(self, names: Iterable[str]) -> None:
        """Make names findable by their parts."""
        new = [name for name in names if name not in self._defined]
        self._defined.update(new)
        parts = sorted((part, self._names[name]) for name in new for part in parts_of(name))
        self._db.executemany("INSERT OR IGNORE INTO parts VALUES (?,?)", parts)

    def _last(self, table: str) -> int:
        found = self._db.execute(f"SELECT max(id) FROM {table}").fetchone()[0]  # noqa: S608
        return int(found or 0)

    def _clear(self, rows: Iterable[int]) -> None:
        for row in rows:
            found = self._db.execute("SELECT names FROM words WHERE file=?", (row,)).fetchone()
            names = array("q", found[0] if found else b"")
            self._db.executemany(
                "DELETE FROM uses WHERE name=? AND file=?", ((name, row) for name in names)
            )
            self._db.execute("DELETE FROM symbols WHERE file=?", (row,))
            self._db.execute("DELETE FROM best WHERE file=?", (row,))
            self._db.execute("DELETE FROM words WHERE file=?", (row,))
