"""Bringing the code index up to date: walk, compare, parse what changed, rank."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from redline.adapters.code_index.rank import rank
from redline.adapters.code_index.reading import (
    FILES_AT_ONCE,
    SourceRead,
    SourceReader,
    Stale,
)
from redline.adapters.code_index.schema import BEST, MINOR, pack, parts_of, unpack
from redline.code.analysis import Analysis
from redline.code.index.facts import FileFacts
from redline.code.syntax.languages import Language, language_of
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Grep
from redline.core.ports.tree import Kind, Tree

# The share of changed files after which ranks are worth computing again.
RERANK_SHARE = 0.01
# A build that has not renewed its lease for this many seconds has died.
LEASE = 30.0
_BEST_OF_FILE = (
    "INSERT INTO best SELECT file, row_number() OVER (ORDER BY line), id FROM symbols "  # noqa: S608
    f"WHERE file=? AND kind NOT IN {MINOR} ORDER BY line LIMIT {BEST}"
)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a walk found: files to read, rows to drop, how many files there are."""

    stale: list[Stale]
    gone: list[int]
    total: int


class IndexBuilder:
    """Writes the index; one at a time across processes, by a lease in the database."""

    def __init__(
        self, db: sqlite3.Connection, tree: Tree, grep: Grep, roots: int, analysis: Analysis
    ) -> None:
        self._db, self._tree, self._grep, self._roots = db, tree, grep, roots
        self._reader = SourceReader(tree, analysis, self._keep_lease)
        self._names: dict[str, int] = {}
        # Names that are known to be findable by their parts.
        self._defined: set[int] = set()
        self._lease_written = 0.0

    def survey(self) -> Survey:
        """Compare the workspace with the index by size and time."""
        known = {
            (root, path): (row, size, mtime, digest)
            for row, root, path, size, mtime, digest in self._db.execute(
                "SELECT id, root, path, size, mtime, digest FROM files"
            )
        }
        stale: list[Stale] = []
        total = 0
        for path, language in self._sources():
            entry = self._tree.stat(path)
            if entry is None or entry.kind is not Kind.FILE:
                continue
            total += 1
            row = known.pop((path.root, path.relative), None)
            if row is None:
                stale.append(Stale(path, language, entry, None, ""))
            elif (row[1], row[2]) != (entry.size, entry.mtime_ns):
                stale.append(Stale(path, language, entry, row[0], row[3]))
        return Survey(stale, [row[0] for row in known.values()], total)

    def update_only(self, paths: Sequence[WorkspacePath]) -> None:
        """Bring the entries of these files up to date, if no build is under way."""
        stale: list[Stale] = []
        gone: list[int] = []
        for path in paths:
            language = language_of(path.name)
            row = self._db.execute(
                "SELECT id, size, mtime, digest FROM files WHERE root=? AND path=?",
                (path.root, path.relative),
            ).fetchone()
            entry = self._tree.stat(path) if language is not None else None
            if language is None or entry is None or entry.kind is not Kind.FILE:
                gone += [row[0]] if row else []
            elif row is None:
                stale.append(Stale(path, language, entry, None, ""))
            elif (row[1], row[2]) != (entry.size, entry.mtime_ns):
                stale.append(Stale(path, language, entry, row[0], row[3]))
        if (stale or gone) and self.take_lease():
            self._drop(gone)
            self._store_all(
                [f for _, found in self._reader.read(stale, float("inf")) for f in found]
            )
            self.release_lease()

    def _sources(self) -> Iterator[tuple[WorkspacePath, Language]]:
        for root in range(self._roots):
            top = WorkspacePath(root, ())
            for path in self._grep.files(top, (), hidden=False, ignored=False):
                language = language_of(path.name)
                if language is not None:
                    yield path, language

    def update(
        self,
        survey: Survey,
        progress: Callable[[int, int], None] | None = None,
        ends: float = float("inf"),
    ) -> int:
        """Read what is stale, drop what is gone, rank again when enough has changed.

        How many files were read: fewer than are stale when the moment *ends* came first.
        """
        self._drop(survey.gone)
        done = stored = 0
        read: list[SourceRead] = []
        for passed, found in self._reader.read(survey.stale, ends):
            read += found
            is_late = time.monotonic() > ends
            if len(read) < FILES_AT_ONCE and passed < len(survey.stale) and not is_late:
                continue
            self._store_all(read)
            stored += len(read)
            done, read = stored if is_late else passed, []
            self.hold_lease()
            if is_late and done < len(survey.stale):
                self.release_lease()
                return done
            if progress is not None:
                progress(done, len(survey.stale))
        changed = len(survey.stale) + len(survey.gone)
        if changed and changed >= RERANK_SHARE * survey.total:
            self._clear_names()  # ranking takes memory of its own
            rank(self._db, self.hold_lease)
        self._db.execute("INSERT OR REPLACE INTO facts VALUES ('complete', ?)", (time.time(),))
        self.release_lease()
        return done

    def take_lease(self) -> bool:
        """Whether this process may build now."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            row = self._db.execute("SELECT value FROM facts WHERE key='lease'").fetchone()
            if row is not None and time.time() - row[0] < LEASE:
                return False
            self.hold_lease()
            return True
        finally:
            self._db.execute("COMMIT")

    def hold_lease(self) -> None:
        """Say that the build is alive."""
        self._lease_written = time.time()
        values = (self._lease_written,)
        self._db.execute("INSERT OR REPLACE INTO facts VALUES ('lease', ?)", values)

    def _keep_lease(self) -> None:
        if time.time() - self._lease_written > LEASE / 4:  # parsers that fail take long
            self.hold_lease()

    def release_lease(self) -> None:
        """Let another process build."""
        self._db.execute("DELETE FROM facts WHERE key='lease'")

    def _store_all(self, read: list[SourceRead]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for item in read:
                self._store(item.file, item.digest, item.facts)
            self._db.execute("COMMIT")
        except BaseException:
            self._clear_names()
            self._db.execute("ROLLBACK")
            raise

    def _store(self, item: Stale, digest: str, facts: FileFacts | None) -> None:
        entry = item.entry
        if facts is None:
            self._db.execute(
                "UPDATE files SET size=?, mtime=? WHERE id=?",
                (entry.size, entry.mtime_ns, item.known),
            )
            return
        if item.known is not None:
            self._clear(item.known)
        words = sorted(
            (self._name(word), len(lines), pack(lines)) for word, lines in facts.uses.items()
        )
        row = self._db.execute(
            "INSERT OR REPLACE INTO files (id, root, path, size, mtime, digest, language, lines,"
            " words, failed, rank)"
            " VALUES (?,?,?,?,?,?,?,?,?,?, (SELECT rank FROM files WHERE id=?))"
            " RETURNING id",
            (
                item.known,
                item.path.root,
                item.path.relative,
                entry.size,
                entry.mtime_ns,
                digest,
                item.language.name,
                facts.lines,
                pack(name for name, _, _ in words),
                facts.failed,
                item.known,
            ),
        ).fetchone()[0]
        self._db.executemany(
            "INSERT OR REPLACE INTO uses VALUES (?,?,?,?)",
            ((name, row, count, blob) for name, count, blob in words),
        )
        self._store_symbols(row, facts)

    def _store_symbols(self, row: int, facts: FileFacts) -> None:
        ids = [self._name(symbol.name) for symbol in facts.symbols]
        self._db.executemany(
            "INSERT INTO symbols (file, name, qualified, kind, line, start, stop, signature, doc)"
            " VALUES (?,?,?,?,?,?,?,?,?)",
            (
                (row, name, s.qualified, s.kind, s.line, s.start, s.end, s.signature, s.doc)
                for name, s in zip(ids, facts.symbols, strict=True)
            ),
        )
        for name, symbol in zip(ids, facts.symbols, strict=True):
            self._define(name, symbol.name)
        self._db.execute(_BEST_OF_FILE, (row,))

    def _define(self, name: int, text: str) -> None:
        """Make a name findable by its parts, once."""
        if name in self._defined:
            return
        self._defined.add(name)
        done = self._db.execute("UPDATE names SET defined=1 WHERE id=? AND defined=0", (name,))
        if done.rowcount:
            self._db.executemany(
                "INSERT OR IGNORE INTO parts VALUES (?,?)",
                ((part, name) for part in parts_of(text)),
            )

    def _name(self, name: str) -> int:
        known = self._names.get(name)
        if known is not None:
            return known
        if len(self._names) > 400_000:  # bound the memory of a long build
            self._clear_names()
        row = self._db.execute("SELECT id FROM names WHERE name=?", (name,)).fetchone()
        if row is None:
            row = self._db.execute(
                "INSERT INTO names (name) VALUES (?) RETURNING id", (name,)
            ).fetchone()
        self._names[name] = int(row[0])
        return int(row[0])

    def _clear_names(self) -> None:
        self._names.clear()
        self._defined.clear()

    def _clear(self, row: int) -> None:
        blob = self._db.execute("SELECT words FROM files WHERE id=?", (row,)).fetchone()
        names = unpack(blob[0]) if blob and blob[0] else ()
        self._db.executemany(
            "DELETE FROM uses WHERE name=? AND file=?", ((name, row) for name in names)
        )
        self._db.execute("DELETE FROM symbols WHERE file=?", (row,))
        self._db.execute("DELETE FROM best WHERE file=?", (row,))

    def _drop(self, rows: list[int]) -> None:
        if not rows:
            return
        self._db.execute("BEGIN IMMEDIATE")
        for row in rows:
            self._clear(row)
            self._db.execute("DELETE FROM files WHERE id=?", (row,))
        self._db.execute("COMMIT")


def be_nice() -> None:
    """Leave the processor to others where the system knows how."""
    if hasattr(os, "nice"):
        os.nice(10)
