"""Bringing the code index up to date: walk, compare, parse what changed, rank."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from redline.adapters.code_index.rank import rank
from redline.adapters.code_index.reading import SourceRead, SourceReader, Stale
from redline.adapters.code_index.storing import FactStore
from redline.code.analysis import Analysis
from redline.code.syntax.languages import Language, language_of
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Grep
from redline.core.ports.tree import Kind, Tree

# The share of changed files after which ranks are worth computing again.
RERANK_SHARE = 0.01
# Files that are stored in one transaction: few at first, so that there is something to ask, then
# more, as each transaction writes nearly every page of a table that is ordered by name.
_MIN_AT_ONCE, _MAX_AT_ONCE = 100, 400
# A build that has not renewed its lease for this many seconds has died.
LEASE = 30.0


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
        self._store = FactStore(db)
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
                stale.append(Stale(path, language, entry.size, entry.mtime_ns))
            elif (row[1], row[2]) != (entry.size, entry.mtime_ns):
                facts = (entry.size, entry.mtime_ns, row[0], row[3])
                stale.append(Stale(path, language, *facts))
        return Survey(stale, [row[0] for row in known.values()], total)

    def update_only(self, paths: Sequence[WorkspacePath]) -> None:
        """Bring the entries of these files up to date, if no build is under way."""
        stale: list[Stale] = []
        gone: list[int] = []
        for path in dict.fromkeys(paths):  # one that changed twice is named twice
            language = language_of(path.name)
            row = self._db.execute(
                "SELECT id, size, mtime, digest FROM files WHERE root=? AND path=?",
                (path.root, path.relative),
            ).fetchone()
            entry = self._tree.stat(path) if language is not None else None
            if language is None or entry is None or entry.kind is not Kind.FILE:
                gone += [row[0]] if row else []
            elif row is None:
                stale.append(Stale(path, language, entry.size, entry.mtime_ns))
            elif (row[1], row[2]) != (entry.size, entry.mtime_ns):
                facts = (entry.size, entry.mtime_ns, row[0], row[3])
                stale.append(Stale(path, language, *facts))
        if (stale or gone) and self.take_lease():
            self._store.drop(gone)
            self._store.store(
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
        self._store.drop(survey.gone)
        is_first = self._db.execute("SELECT 1 FROM facts WHERE key='complete'").fetchone() is None
        done = stored = 0
        read: list[SourceRead] = []
        for passed, found in self._reader.read(survey.stale, ends):
            read += found
            is_late = time.monotonic() > ends
            enough = min(max(_MIN_AT_ONCE, stored // 4), _MAX_AT_ONCE)
            if len(read) < enough and passed < len(survey.stale) and not is_late:
                continue
            self._store.store(read, is_first=is_first)
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
            self._store.clear_names()  # ranking takes memory of its own
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


def be_nice() -> None:
    """Leave the processor to others where the system knows how."""
    if hasattr(os, "nice"):
        os.nice(10)
