"""Read the journal: newest first, filtered and paged; and who changed what in the last minutes."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock

from redline.core.changes import ChangeSet, FileState
from redline.core.errors import PathError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports import history
from redline.core.ports.store import Position, Store
from redline.core.ports.tree import PathResolver

# Seconds in which a change counts as recent; a session without one is not at work.
RECENT = 600.0
_MAX_STEPS = 1000
_MAX_FILES = 20_000
# What one look at new operations gives at most; with more, the journal is read again.
_MAX_ARRIVALS = 50


class RecentWork:
    """Keeps the latest change of each session for each file. There is nothing to lock or to end."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._position: Position | None = None
        self._newest: dict[WorkspacePath, dict[str, history.Operation]] = {}
        # Files that a session changed since its overlaps were taken, and overlaps taken before.
        self._changed: dict[str, dict[WorkspacePath, None]] = {}
        self._said: dict[tuple[str, WorkspacePath, str], float] = {}
        self._lock = Lock()

    def take_overlaps(self, session: str) -> list[history.Overlap]:
        """Return what others changed lately of what *session* changed since this was last called.

        Each change of another session is returned once.
        """
        with self._lock:
            self._follow()
            found = []
            for path in self._changed.pop(session, ()):
                for other in self._of_others(path, session):
                    key = session, path, other.origin.session
                    if self._said.get(key, 0.0) < other.time:
                        self._said[key] = other.time
                        found.append(history.Overlap(path, other))
            return found

    def of_others(self, session: str) -> list[history.Overlap]:
        """Return the recent changes of other sessions, the newest first."""
        with self._lock:
            self._follow()
            found = [
                history.Overlap(path, other)
                for path in self._newest
                for other in self._of_others(path, session)
            ]
        return sorted(found, key=lambda each: -each.operation.time)

    def _of_others(self, path: WorkspacePath, session: str) -> Iterator[history.Operation]:
        since = time.time() - RECENT
        for name, operation in self._newest.get(path, {}).items():
            if name != session and operation.time >= since:
                yield operation

    def _follow(self) -> None:
        position, found = self._store.arrivals(self._position, "")
        if self._position is None or len(found) >= _MAX_ARRIVALS:
            self._newest.clear()
            found = list(self._read_recent())
        self._position = position
        self._take_in(found)

    def _read_recent(self) -> Iterator[history.Operation]:
        since = time.time() - RECENT
        recent = []
        for operation in self._store.newest_first(steps=_MAX_STEPS):
            if operation.time < since:
                break
            recent.append(operation)
        return reversed(recent)

    def _take_in(self, operations: Iterable[history.Operation]) -> None:
        for operation in operations:
            session = operation.origin.session
            if not session or operation.kind in history.SILENT_KINDS:
                continue
            for path in operation.change_set.paths:
                self._newest.setdefault(path, {})[session] = operation
                self._changed.setdefault(session, {})[path] = None
        if len(self._newest) > _MAX_FILES:
            since = time.time() - RECENT
            for path, by_session in list(self._newest.items()):
                if all(each.time < since for each in by_session.values()):
                    del self._newest[path]
            self._said = {key: at for key, at in self._said.items() if at >= since}


_MAX_SESSIONS = 1000


class JournalHistory:
    """See `core.ports.history.History`."""

    def __init__(self, workspace: PathResolver, store: Store) -> None:
        self._workspace = workspace
        self._store = store
        # How much of the journal each session knows; the oldest is forgotten first.
        self._known: OrderedDict[str, Position] = OrderedDict()
        self._lock = Lock()
        self._recent = RecentWork(store)

    def list(self, query: history.HistoryQuery) -> Sequence[history.Operation]:
        """Matching operations, newest first, contents not loaded."""
        wanted = self._place(query.path) if query.path else None
        found: list[history.Operation] = []
        if query.limit <= 0:
            return found
        for operation in self._operations(query, wanted):
            if query.since is not None and operation.time < query.since:
                break
            if _matches(operation, query):
                found.append(operation)
                if len(found) >= query.limit:
                    break
        return found

    def get(self, operation_id: str, steps: int | None = None) -> history.Operation:
        """Return one operation with the contents of its ChangeSet, or of its first *steps*."""
        return self._store.load(operation_id, steps)

    def find(self, prefix: str) -> str:
        """Return the one operation whose id starts with *prefix*."""
        return self._store.find(prefix)

    def changed_since(self, operation_id: str | None, by: history.Author | None) -> Sequence[str]:
        """Return the changes made, undone or redone behind an operation, newest first."""
        return self._store.changed_since(operation_id, by)

    def take_arrivals(self, session: str) -> Sequence[history.Operation]:
        """The latest operations of other sessions since this was last asked for *session*."""
        with self._lock:
            known = self._known.get(session)
            now, found = self._store.arrivals(known, session)
            if now != known:
                self._known[session] = now
                self._known.move_to_end(session)
                if len(self._known) > _MAX_SESSIONS:
                    self._known.popitem(last=False)
            return found

    def take_overlaps(self, session: str) -> Sequence[history.Overlap]:
        """What others changed lately of the files that *session* changed since the last call."""
        return self._recent.take_overlaps(session)

    def recent_of_others(self, session: str) -> Sequence[history.Overlap]:
        """Return the changes of other sessions in the last minutes, the newest first."""
        return self._recent.of_others(session)

    def marks(self) -> Sequence[history.Operation]:
        """Checkpoints and, for each session, its first operation, newest first."""
        return self._store.marks()

    def touching(self, path: WorkspacePath, before_id: str | None) -> Iterator[history.Operation]:
        """Operations that touch *path* or move it, newest first, contents not loaded."""
        return self._store.newest_first(before_id, around=path)

    def fill(self, change_set: ChangeSet) -> ChangeSet:
        """Return a change set with contents, up to a limit."""
        return self._store.fill(change_set)

    def load_content(self, state: FileState) -> FileState:
        """Return a file's state with its content."""
        return self._store.load_content(state)

    def prune(self, *, days: float, size: int) -> int:
        """Drop the oldest operations over either limit; how many. What stays can be undone."""
        return self._store.prune(days=days, size=size)

    def _place(self, raw: str) -> WorkspacePath | str:
        """Return the place itself or, where nothing of the kind can be reached now, the text."""
        try:
            return self._workspace.resolve(raw, Access.READ, follow=False)
        except PathError:
            if os.path.isabs(raw):
                return raw
            parts = (part for part in raw.split("/") if part not in ("", "."))
            return show_name(self._workspace.absolute(WorkspacePath(0, tuple(parts))))

    def _operations(
        self, query: history.HistoryQuery, wanted: WorkspacePath | str | None
    ) -> Iterator[history.Operation]:
        """Those that touch what is wanted."""
        read = self._store.newest_first
        if wanted is None or isinstance(wanted, WorkspacePath):
            yield from read(query.before_id, beneath=wanted, steps=query.steps)
            return
        for operation in read(query.before_id, naming=_last_part(wanted)):
            paths = (show_name(self._workspace.absolute(p)) for p in operation.change_set.paths)
            if any(path == wanted or path.startswith(wanted + os.sep) for path in paths):
                yield operation


def _matches(operation: history.Operation, query: history.HistoryQuery) -> bool:
    if operation.kind == history.PROMPT and not query.prompts:
        return False
    if query.tool is not None and operation.origin.tool != query.tool:
        return False
    if query.by is not None and not query.by.matches(operation.origin):
        return False
    return query.until is None or operation.time <= query.until


def _last_part(path: str) -> str:
    return path.replace(os.sep, "/").rpartition("/")[2]
