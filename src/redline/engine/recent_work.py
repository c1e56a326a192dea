"""Which sessions changed what in the last minutes, followed through the journal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from threading import Lock

from redline.core.paths import WorkspacePath
from redline.core.ports.history import SILENT_KINDS, Operation, Overlap
from redline.core.ports.store import Position, Store

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
        self._newest: dict[WorkspacePath, dict[str, Operation]] = {}
        # Files that a session changed since its overlaps were taken, and overlaps taken before.
        self._changed: dict[str, dict[WorkspacePath, None]] = {}
        self._said: dict[tuple[str, WorkspacePath, str], float] = {}
        self._lock = Lock()

    def take_overlaps(self, session: str) -> list[Overlap]:
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
                        found.append(Overlap(path, other))
            return found

    def of_others(self, session: str) -> list[Overlap]:
        """Return the recent changes of other sessions, the newest first."""
        with self._lock:
            self._follow()
            found = [
                Overlap(path, other)
                for path in self._newest
                for other in self._of_others(path, session)
            ]
        return sorted(found, key=lambda each: -each.operation.time)

    def _of_others(self, path: WorkspacePath, session: str) -> Iterator[Operation]:
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

    def _read_recent(self) -> Iterator[Operation]:
        since = time.time() - RECENT
        recent = []
        for operation in self._store.newest_first(steps=_MAX_STEPS):
            if operation.time < since:
                break
            recent.append(operation)
        return reversed(recent)

    def _take_in(self, operations: Iterable[Operation]) -> None:
        for operation in operations:
            session = operation.origin.session
            if not session or operation.kind in SILENT_KINDS:
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
