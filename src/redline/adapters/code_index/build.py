"""Bringing the code index up to date: walk, compare, parse what changed, rank."""

from __future__ import annotations

import os
import sqlite3
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby
from operator import itemgetter

from redline.adapters.code_index.schema import insert_best, parts_of
from redline.code.analysis import Analysis
from redline.code.index.facts import MAX_FILE_BYTES, FileFacts
from redline.code.index.packing import count_packed
from redline.code.index.rank import MAX_DEFINERS, edge_weight, file_ranks
from redline.code.syntax.languages import Language, language_of
from redline.core.changes import digest_of
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Grep
from redline.core.ports.tree import Kind, Tree
from redline.core.records import dataclass

# Bytes that a worker is given at once: asking for every file by itself costs more than parsing.
_CHUNK = 128 << 10
# At most as many as can all fail within one lease.
_CHUNK_FILES = 8
# From here on a second process to parse in is worth its start.
_MANY = 200
_PARSERS = 2
# Chunks that are read and parsed while others are stored; enough for the time a batch takes.
_AHEAD = 25


@dataclass(frozen=True, slots=True)
class Stale:
    """A file whose index entry is missing or old; `known` is its row id if it has one."""

    path: WorkspacePath
    language: Language
    size: int
    mtime_ns: int
    known: int | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SourceRead:
    """A file as it was read; without facts where only its time changed."""

    file: Stale
    digest: str
    content: bytes
    facts: FileFacts | None = None

    @property
    def needs_facts(self) -> bool:
        """Whether it must be parsed."""
        return self.facts is None and self.digest != self.file.digest


class SourceReader:
    """Reads and parses files; *between* is called from time to time."""

    def __init__(self, tree: Tree, analysis: Analysis, between: Callable[[], None]) -> None:
        self._tree, self._analysis, self._between = tree, analysis, between

    def read(self, stale: list[Stale], ends: float) -> Iterator[tuple[int, list[SourceRead]]]:
        """Yield the files with their facts, in order and a few at a time; see `_chunks`.

        Where there are many, some are parsed while others are stored.
        """
        if len(stale) < _MANY:
            for passed, chunk in self._chunks(stale):
                yield passed, self._with_facts(chunk, ends)
            return
        pool = ThreadPoolExecutor(_PARSERS)
        ahead: deque[tuple[int, Future[list[SourceRead]]]] = deque()
        try:
            for passed, chunk in self._chunks(stale):
                ahead.append((passed, pool.submit(self._with_facts, chunk, ends)))
                if len(ahead) > _AHEAD:
                    yield self._wait(*ahead.popleft())
            while ahead:
                yield self._wait(*ahead.popleft())
        finally:
            pool.shutdown(cancel_futures=True)

    def _wait(self, passed: int, chunk: Future[list[SourceRead]]) -> tuple[int, list[SourceRead]]:
        self._between()
        return passed, chunk.result()

    def _chunks(self, stale: list[Stale]) -> Iterator[tuple[int, list[SourceRead]]]:
        """Yield the files read, a few at a time, each time with how many were passed in all."""
        chunk: list[SourceRead] = []
        for number, item in enumerate(stale, 1):
            self._between()
            found = self._read(item)
            chunk += [found] if found is not None else []
            is_full = (
                sum(len(file.content) for file in chunk) >= _CHUNK or len(chunk) == _CHUNK_FILES
            )
            if is_full or number == len(stale):
                yield number, chunk
                chunk = []

    def _read(self, item: Stale) -> SourceRead | None:
        """Return the file with its digest; without content where there is nothing to parse."""
        try:
            if item.size > MAX_FILE_BYTES:
                return SourceRead(item, f"size:{item.size}", b"", FileFacts((), {}, 0))
            content = self._tree.read(item.path, MAX_FILE_BYTES)
        except RedlineError:
            return None
        digest = digest_of(content)
        return SourceRead(item, digest, b"" if digest == item.digest else content)

    def _with_facts(self, chunk: list[SourceRead], ends: float) -> list[SourceRead]:
        """Return the files with their facts; those are left out that there was no time for."""
        read: list[SourceRead] = []
        unparsed = [file for file in chunk if file.needs_facts]
        asked = [(file.content, file.file.language) for file in unparsed]
        facts = dict(zip(map(id, unparsed), self._analysis.facts(asked, ends), strict=True))
        for file in chunk:
            if not file.needs_facts:
                read.append(file)
            elif (found := facts[id(file)]) is not None:
                read.append(SourceRead(file.file, file.digest, b"", found))
        return read


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
        """Return whether this process may build now."""
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


_EDGES_PER_FILE = 300

_Definers = dict[int, tuple[int, ...]]
_Edges = dict[int, dict[int, float]]


def rank(db: sqlite3.Connection, hold_lease: Callable[[], None]) -> None:
    """Compute the ranks of files and names from who uses whose names."""
    definers = _definers(db)
    files = [row for (row,) in db.execute("SELECT id FROM files")]
    names, users, edges = _read_uses(db, definers)
    ranks = file_ranks(files, edges)
    edges.clear()
    hold_lease()
    totals: dict[int, float] = {}
    for name, user in zip(names, users, strict=True):
        totals[name] = totals.get(name, 0.0) + ranks.get(user, 0.0)
    db.execute("BEGIN IMMEDIATE")
    db.executemany(
        "UPDATE files SET rank=? WHERE id=?", ((rank, row) for row, rank in ranks.items())
    )
    db.execute("UPDATE names SET rank=0 WHERE rank!=0")
    db.executemany(
        "UPDATE names SET rank=? WHERE id=?",
        ((total / len(definers[name]), name) for name, total in totals.items()),
    )
    db.execute("DELETE FROM best")
    insert_best(db, 0)
    db.execute("COMMIT")


def _definers(db: sqlite3.Connection) -> _Definers:
    """Return the files that define a name, for each name that few define."""
    rows = db.execute(
        "SELECT DISTINCT s.name, s.file FROM symbols s JOIN names n ON n.id = s.name"
        " WHERE length(n.name) > 2 AND s.kind NOT IN ('key', 'rule', 'block', 'alias')"
        " ORDER BY s.name"
    )
    definers: _Definers = {}
    for name, found in groupby(rows, itemgetter(0)):
        where = tuple(file for _, file in found)
        if len(where) <= MAX_DEFINERS:
            definers[name] = where
    return definers


def _read_uses(
    db: sqlite3.Connection, definers: _Definers
) -> tuple[array[int], array[int], _Edges]:
    """Each use of one of the names in another file: the name, and the file; and who leans on whom.

    Read file by file: a row for each use would take longer than all that is computed from it.
    """
    names, users = array("q"), array("q")
    edges: _Edges = {}
    for file, used, counted in db.execute("SELECT file, names, counts FROM words ORDER BY file"):
        targets: dict[int, float] = {}
        for name, count in zip(array("q", used), array("i", counted), strict=True):
            where = definers.get(name)
            if where is not None and file not in where:
                names.append(name)
                users.append(file)
                _lean(targets, where, edge_weight(count, len(where)))
        if targets:
            edges[file] = targets
    return names, users, edges


def _lean(targets: dict[int, float], where: tuple[int, ...], weight: float) -> None:
    for definer in where:
        if definer in targets or len(targets) < _EDGES_PER_FILE:
            targets[definer] = targets.get(definer, 0.0) + weight
