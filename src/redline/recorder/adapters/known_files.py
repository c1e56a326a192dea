"""What is known of the workspace's files, in a database in the state directory.

A content is kept compressed, once; one that the repository has is only named.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from threading import Lock

from redline.core.changes import DirState, FileState, LinkState, State, digest_of
from redline.core.errors import RedlineError, WriteFailed
from redline.core.paths import WorkspacePath
from redline.core.ports.git import Git
from redline.core.ports.tree import PathResolver
from redline.recorder.ports import KnownEntry, Mark, SavedPosition

_VERSION = "1"
_SCHEMA = """
create table if not exists facts (name text primary key, value text) without rowid;
create table if not exists entries (
    root integer, directory blob, name blob, mark text, state text, digest text,
    primary key (root, directory, name)
) without rowid;
create index if not exists entries_by_digest on entries (digest);
create table if not exists contents (digest text primary key, size integer, git text, packed blob)
    without rowid;
"""
_FIND_ENTRY = "select digest from entries where root = ? and directory = ? and name = ?"
_DELETE_ENTRY = "delete from entries where root = ? and directory = ? and name = ?"
_DATABASE = "recorder.db"
_Row = tuple[str, int, str | None, bytes | None]


class DatabaseOfFiles:
    """See `recorder.ports.KnownFiles`."""

    def __init__(self, workspace: PathResolver, state_dir: str, git: Git) -> None:
        self._git = git
        self._roots = json.dumps([root.path for root in workspace.roots])
        self._lock = Lock()
        path = os.path.join(state_dir, _DATABASE)
        try:
            os.makedirs(state_dir, mode=0o700, exist_ok=True)
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            os.chmod(path, 0o600)
            self._database.execute("pragma journal_mode=wal")
            self._database.execute("pragma synchronous=normal")
            self._database.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise WriteFailed(f"The recorder's database cannot be opened: {error}") from error

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    def load(self, put: Callable[[WorkspacePath, KnownEntry], None]) -> SavedPosition | None:
        """Give *put* every entry that was saved; see `recorder.ports.KnownFiles`."""
        with self._lock:
            facts = dict(self._database.execute("select name, value from facts"))
            if facts.get("version") != _VERSION or facts.get("roots") != self._roots:
                # What a killed recorder left half learned, or of other roots, is not known here.
                self._database.executescript("delete from entries; delete from contents;")
                return None
            rows = self._database.execute(
                "select root, directory, name, mark, state from entries"
                " order by root, directory, name"
            )
            for root, directory, name, mark, state in rows:
                path = WorkspacePath(root, (*_parts(directory), os.fsdecode(name)))
                put(path, KnownEntry(_load_mark(mark), _load_state(state)))
            return SavedPosition(facts["position"], frozenset(json.loads(facts["own"])))

    def content(self, state: FileState) -> bytes | None:
        """The content of a file that is known in that state; None when it is not available."""
        with self._lock:
            row = self._database.execute(
                "select git, packed from contents where digest = ?", (state.digest,)
            ).fetchone()
        if row is None:
            return None
        git, packed = row
        content = zlib.decompress(packed) if packed is not None else self._from_git(git)
        return content if content is not None and digest_of(content) == state.digest else None

    def _from_git(self, name: str) -> bytes | None:
        root, _, blob = name.partition(":")
        try:
            return self._git.blob(WorkspacePath(int(root), ()), blob)
        except RedlineError:
            return None

    def save(
        self,
        changed: Mapping[WorkspacePath, KnownEntry | None],
        contents: Sequence[bytes],
        position: SavedPosition,
        *,
        is_whole: bool = True,
    ) -> None:
        """Keep what changed, all of it or nothing."""
        packed = list(self._pack(contents))
        with self._lock, closing(self._database.cursor()) as cursor:
            try:
                cursor.execute("begin immediate")
                cursor.executemany("insert or ignore into contents values (?, ?, ?, ?)", packed)
                # Looking at these alone, not at all contents, makes a change cheap.
                doubtful: set[str | None] = {digest for digest, *_ in packed}
                for path, entry in changed.items():
                    doubtful.add(_save_entry(cursor, path, entry))
                facts = {
                    "version": _VERSION, "roots": self._roots, "position": position.operation,
                    "own": json.dumps(sorted(position.own)),
                }  # fmt: skip
                if is_whole:
                    cursor.executemany("insert or replace into facts values (?, ?)", facts.items())
                cursor.executemany(
                    "delete from contents where digest = ? and not exists "
                    "(select 1 from entries where entries.digest = contents.digest)",
                    [(digest,) for digest in doubtful],
                )
                cursor.execute("commit")
            except sqlite3.Error as error:
                if self._database.in_transaction:
                    cursor.execute("rollback")
                raise WriteFailed(f"The recorder's database cannot be written: {error}") from error

    def _pack(self, contents: Sequence[bytes]) -> Iterator[_Row]:
        """Yield a row for each content: its name in the repository, or the content itself."""
        names = [_blob_name(content) for content in contents]
        try:
            held = self._git.holds(WorkspacePath(0, ()), names) if names else []
        except RedlineError:
            held = [False] * len(names)
        for content, name, is_held in zip(contents, names, held, strict=True):
            if is_held:
                yield digest_of(content), len(content), f"0:{name}", None
            else:
                yield digest_of(content), len(content), None, zlib.compress(content, 1)


def _save_entry(
    cursor: sqlite3.Cursor, path: WorkspacePath, entry: KnownEntry | None
) -> str | None:
    """Save what is at a path; return the digest of what was there before."""
    place = (path.root, os.fsencode("/".join(path.parts[:-1])), os.fsencode(path.name))
    row = cursor.execute(_FIND_ENTRY, place).fetchone()
    before = row[0] if row else None
    if entry is None:
        cursor.execute(_DELETE_ENTRY, place)
        return before
    digest = entry.state.digest if isinstance(entry.state, FileState) else None
    cursor.execute(
        "insert or replace into entries values (?, ?, ?, ?, ?, ?)",
        (*place, json.dumps(entry.mark), json.dumps(_dump_state(entry.state)), digest),
    )
    return before


def _blob_name(content: bytes) -> str:
    """Return the name git gives a file of that content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _parts(directory: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(directory).split("/")) if directory else ()


def _dump_state(state: State | None) -> object:
    if isinstance(state, FileState):
        return ["file", state.digest, state.size, state.mode]
    if isinstance(state, DirState):
        return ["directory", state.mode]
    if isinstance(state, LinkState):
        return ["link", state.target]
    return None


def _load_state(text: str) -> State | None:
    match json.loads(text):
        case ["file", digest, size, mode]:
            return FileState(digest, size, mode)
        case ["directory", mode]:
            return DirState(mode)
        case ["link", target]:
            return LinkState(target)
    return None


def _load_mark(text: str) -> Mark | None:
    match json.loads(text):
        case [mode, [device, number], size, written, changed]:
            return (mode, (device, number), size, written, changed)
    return None
