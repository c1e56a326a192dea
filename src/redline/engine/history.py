"""The journal for reading: newest first, filtered and paged."""

from __future__ import annotations

import os
from collections.abc import Sequence

from redline.core.errors import PathError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.history import HistoryQuery, Operation, Store
from redline.core.ports.tree import Workspace


class JournalHistory:
    """See `core.ports.history.History`."""

    def __init__(self, workspace: Workspace, store: Store) -> None:
        self._workspace = workspace
        self._store = store

    def list(self, query: HistoryQuery) -> Sequence[Operation]:
        """Matching operations, newest first, contents not loaded."""
        wanted = self._place(query.path) if query.path else None
        found: list[Operation] = []
        if query.limit <= 0:
            return found
        name = wanted.name if isinstance(wanted, WorkspacePath) else _last_part(wanted or "")
        for operation in self._store.newest_first(query.before_id, name):
            if query.since is not None and operation.time < query.since:
                break
            if self._matches(operation, query, wanted):
                found.append(operation)
                if len(found) >= query.limit:
                    break
        return found

    def get(self, operation_id: str) -> Operation:
        """One operation with the contents of its ChangeSet."""
        return self._store.load(operation_id)

    def prune(self, *, days: float, size: int) -> int:
        """Drop the oldest operations over either limit; how many. What stays can be undone."""
        return self._store.prune(days=days, size=size)

    def _place(self, raw: str) -> WorkspacePath | str:
        """The place itself or, where nothing of the kind can be reached now, the text."""
        try:
            return self._workspace.resolve(raw, Access.READ, follow=False)
        except PathError:
            if os.path.isabs(raw):
                return raw
            parts = (part for part in raw.split("/") if part not in ("", "."))
            return show_name(self._workspace.absolute(WorkspacePath(0, tuple(parts))))

    def _matches(
        self, operation: Operation, query: HistoryQuery, wanted: WorkspacePath | str | None
    ) -> bool:
        if query.tool is not None and operation.origin.tool != query.tool:
            return False
        if query.until is not None and operation.time > query.until:
            return False
        if wanted is None:
            return True
        paths = operation.change_set.paths
        if isinstance(wanted, WorkspacePath):
            return any(path.is_beneath(wanted) for path in paths)
        shown = [show_name(self._workspace.absolute(path)) for path in paths]
        return any(path == wanted or path.startswith(wanted + os.sep) for path in shown)


def _last_part(path: str) -> str:
    return path.replace(os.sep, "/").rpartition("/")[2]
