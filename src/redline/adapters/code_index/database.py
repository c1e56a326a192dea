"""The code index: symbols and uses of the workspace in SQLite, beside the journal."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from threading import Lock
from typing import Any

from redline.adapters.code_index.build import LEASE, IndexBuilder
from redline.adapters.code_index.schema import BEST_PER_FILE, MINOR_KINDS, connect
from redline.code.analysis import Analysis
from redline.core.paths import WorkspacePath
from redline.core.ports.code import IndexedFile, IndexedSymbol, IndexedUses
from redline.core.ports.search import Grep
from redline.core.ports.tree import Tree

# How many stale files are read before answering; more are left to the background build.
INLINE_FILES = 150
# Workspaces up to this size are compared with the disk before every answer.
WATCHED_FILES = 2_000
RECHECK = 5.0
# Seconds an answer waits for stale files; parsers that fail take most of theirs.
INLINE_SECONDS = 5.0
# A well-used symbol beats one whose name merely fits better.
_RANK_WEIGHT = 50.0
# Longer words lose a plural s before they are looked up.
_STEM = 4
_SYMBOL = (
    "f.root, f.path, n.name, s.qualified, s.kind, s.line, s.start, s.stop, s.signature,"
    " s.doc, f.language, n.rank, f.digest, s.name FROM symbols s JOIN files f ON f.id = s.file"
    " JOIN names n ON n.id = s.name "
)
_COUNT = "SELECT count(*) FROM files f "
_FILE = "SELECT f.id, f.root, f.path, f.language, f.digest, f.lines, f.rank FROM files f "


class SqliteIndex:
    """CodeIndex over one database; a background process does what takes long.

    `worker` is the command that runs `build` elsewhere; without one everything is done here.
    """

    def __init__(
        self,
        directory: str,
        tree: Tree,
        grep: Grep,
        roots: int,
        analysis: Analysis,
        worker: Sequence[str] = (),
        *,
        watched_files: int = WATCHED_FILES,
        recheck: float = RECHECK,
    ) -> None:
        for place in (os.path.dirname(directory), directory):
            os.makedirs(place, mode=0o700, exist_ok=True)
        self._path = os.path.join(directory, "index.sqlite")
        self._db = self._open()
        self._builder = IndexBuilder(self._db, tree, grep, roots, analysis)
        self._worker = tuple(worker)
        self._process: subprocess.Popen[bytes] | None = None
        self._checked = 0.0
        self._total = 0
        self._watched_files = watched_files
        self._recheck = recheck
        self._lock = Lock()

    def _open(self) -> sqlite3.Connection:
        try:
            return connect(self._path)
        except sqlite3.DatabaseError:
            # Only a cache: a damaged one is built again.
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(self._path + suffix)
            return connect(self._path)

    def close(self) -> None:
        """Close the database; a running background build continues."""
        with self._lock:
            self._db.close()

    def refresh(self, recent: Sequence[WorkspacePath] = ()) -> str:
        """Bring the index up to date as far as that is quick, the rest in the background."""
        with self._lock:
            complete = self._fact("complete") is not None
            if self._is_building():
                return "ready" if complete else "building"
            if self._worker and complete and self._count() > self._watched_files:
                self._builder.update_only(recent[:INLINE_FILES])
                if time.monotonic() - self._checked > self._recheck:
                    self._checked = time.monotonic()
                    self._start()
                return "ready"
            return self._catch_up(complete)

    def progress(self) -> tuple[int, int]:
        """How many files are indexed, and how many there were at the last look; 0 before one."""
        with self._lock:
            return self._count(), self._total

    def _catch_up(self, complete: bool) -> str:
        survey = self._builder.survey()
        self._total = survey.total
        if self._worker and len(survey.stale) > INLINE_FILES:
            self._start()
            return "ready" if complete and len(survey.stale) < survey.total // 4 else "building"
        if (survey.stale or survey.gone or not complete) and self._builder.take_lease():
            ends = time.monotonic() + INLINE_SECONDS if self._worker else float("inf")
            if self._builder.update(survey, ends=ends) < len(survey.stale):
                self._start()
                return "building"
        return "ready"

    def build(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Bring the index up to date here and now; how many files were read."""
        with self._lock:
            if not self._builder.take_lease():
                return 0
            return self._builder.update(self._builder.survey(), progress)

    def definitions(
        self, name: str, limit: int = 50, folder: WorkspacePath | None = None
    ) -> list[IndexedSymbol]:
        """Definitions of a plain name, best first; only in files right in *folder*, if given."""
        where, values = _right_in(folder)
        order = " ORDER BY s.kind = 'alias', s.id LIMIT ?"
        return self._symbols(f"WHERE n.name = ?{where}{order}", (name, *values, limit))

    def uses(self, name: str, limit: int = 50) -> tuple[list[IndexedUses], int]:
        """Files that use a name, best first, and how many lines use it in all."""
        with self._lock:
            key = self._db.execute("SELECT id FROM names WHERE name = ?", (name,)).fetchone()
            if key is None:
                return [], 0
            total = self._db.execute("SELECT sum(count) FROM uses WHERE name = ?", key).fetchone()
            rows = self._db.execute(
                "SELECT f.root, f.path, u.lines, f.digest, f.rank"
                " FROM uses u JOIN files f ON f.id = u.file"
                " WHERE u.name = ? ORDER BY f.rank DESC, f.id LIMIT ?",
                (*key, limit),
            ).fetchall()
        found = [
            IndexedUses(_path(root, path), packed, digest, rank)
            for root, path, packed, digest, rank in rows
        ]
        return found, total[0] or 0

    def matching(self, words: Sequence[str], limit: int = 50) -> list[IndexedSymbol]:
        """Definitions whose names hold the words, best first."""
        scores: dict[int, float] = {}
        for word in words:
            hits = self._find_named(word.lower())
            weight = 1.0 + 4.0 / (1 + len(hits)) ** 0.5
            for row, share in hits.items():
                scores[row] = scores.get(row, 0.0) + weight * share
        best = sorted(scores, key=lambda row: -scores[row])[: 2 * limit]
        if not best:
            return []
        marks = ",".join("?" * len(best))
        rows = self._rows(f"WHERE s.name IN ({marks}) LIMIT 1000", best)
        rows.sort(key=lambda row: -scores[row[-1]] - _RANK_WEIGHT * row[11])
        return [_symbol(row) for row in rows[:limit]]

    def _find_named(self, word: str) -> dict[int, float]:
        """Defined names one of whose parts begins with *word*, and how much of it that is."""
        stem = word.removesuffix("s") if len(word) > _STEM else word
        with self._lock:
            rows = self._db.execute(
                "SELECT p.name, p.part FROM parts p WHERE p.part >= ? AND p.part < ? LIMIT 4000",
                (stem, stem + "\U0010ffff"),
            ).fetchall()
        found: dict[int, float] = {}
        for name, part in rows:
            found[name] = max(found.get(name, 0.0), len(stem) / len(part))
        return found

    def symbols(self, path: WorkspacePath, name: str) -> list[IndexedSymbol]:
        """The types and functions of one file, and what has *name*, as of its indexed digest."""
        return self._symbols(
            f"WHERE f.root = ? AND f.path = ? AND (s.kind NOT IN {MINOR_KINDS} OR n.name = ?)",
            (path.root, path.relative, name),
        )

    def structure(
        self, beneath: WorkspacePath | None = None, files: int = 200, per_file: int = 8
    ) -> tuple[list[tuple[IndexedFile, list[IndexedSymbol]]], int]:
        """Return the best-connected files with their best symbols, and how many files there are."""
        where, values = _beneath(beneath)
        count = _COUNT + where
        best = _FILE + where + " ORDER BY f.rank DESC, f.path LIMIT ?"
        with self._lock:
            total = self._db.execute(count, values).fetchone()[0]
            rows = self._db.execute(best, (*values, files)).fetchall()
        symbols: dict[int, list[IndexedSymbol]] = {row[0]: [] for row in rows}
        for file, found in self._best(list(symbols), per_file):
            symbols[file].append(found)
        return [
            (IndexedFile(_path(root, path), language, digest, lines, rank), symbols[row])
            for row, root, path, language, digest, lines, rank in rows
        ], total

    def _best(self, files: list[int], per_file: int) -> list[tuple[int, IndexedSymbol]]:
        """Return the best symbols of some files, in order; slower for more than the table has."""
        found: list[tuple[int, IndexedSymbol]] = []
        with self._lock:
            is_complete = self._fact("complete") is not None
        if per_file > BEST_PER_FILE or not is_complete:
            clause = (
                f"WHERE s.file = ? AND s.kind NOT IN {MINOR_KINDS}"
                " ORDER BY n.rank DESC, s.line LIMIT ?"
            )
            for file in files:
                found += [(file, symbol) for symbol in self._symbols(clause, (file, per_file))]
            return found
        marks = ",".join("?" * len(files))
        chosen = f"JOIN best b ON b.symbol = s.id WHERE b.file IN ({marks}) AND b.place <= ?"
        rows = self._rows(chosen + " ORDER BY b.file, b.place", (*files, per_file), "b.file, ")
        return [(row[0], _symbol(row[1:])) for row in rows]

    def left_out(self, limit: int = 20) -> list[tuple[WorkspacePath, str]]:
        """Files of which nothing is known because a parser failed on them, and why."""
        with self._lock:
            rows = self._db.execute(
                "SELECT root, path, failed FROM files WHERE failed != ''"
                " ORDER BY root, path LIMIT ?",
                (limit,),
            ).fetchall()
        return [(_path(root, path), reason) for root, path, reason in rows]

    def _symbols(self, clause: str, values: Sequence[Any]) -> list[IndexedSymbol]:
        return [_symbol(row) for row in self._rows(clause, values)]

    def _rows(self, clause: str, values: Sequence[Any], more: str = "") -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(f"SELECT {more}{_SYMBOL}{clause}", values).fetchall()

    def _fact(self, key: str) -> float | None:
        row = self._db.execute("SELECT value FROM facts WHERE key=?", (key,)).fetchone()
        return row[0] if row else None

    def _count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM files").fetchone()[0])

    def _is_building(self) -> bool:
        if self._process is not None and self._process.poll() is None:
            return True
        lease = self._fact("lease")
        return lease is not None and time.time() - lease < LEASE

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._worker,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
        )


def _symbol(row: tuple[Any, ...]) -> IndexedSymbol:
    return IndexedSymbol(_path(row[0], row[1]), *row[2:-1])


@lru_cache(4096)
def _path(root: int, relative: str) -> WorkspacePath:
    return WorkspacePath(root, tuple(relative.split("/")))


def _right_in(folder: WorkspacePath | None) -> tuple[str, tuple[object, ...]]:
    if folder is None:
        return "", ()
    inside = "/".join((*folder.parts, ""))
    return (
        " AND f.root = ? AND substr(f.path, 1, ?) = ? AND instr(substr(f.path, ?), '/') = 0",
        (folder.root, len(inside), inside, len(inside) + 1),
    )


def _beneath(path: WorkspacePath | None) -> tuple[str, tuple[object, ...]]:
    if path is None:
        return "", ()
    if not path.parts:
        return "WHERE f.root = ?", (path.root,)
    inside = path.relative + "/"
    return (
        "WHERE f.root = ? AND (f.path = ? OR substr(f.path, 1, ?) = ?)",
        (path.root, path.relative, len(inside), inside),
    )
