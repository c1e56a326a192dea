"""Read the journal: operations with and without contents, and which change each belongs to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.content_store import ContentStore
from redline.adapters.journal.format import records
from redline.adapters.journal.format.lines import Line
from redline.adapters.journal.log import Journal
from redline.adapters.journal.undo_chains import UndoChains
from redline.core.changes import Change, ChangeSet, FileState, Rename, State
from redline.core.errors import HistoryError, UnknownOperation
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import Chained, Operation


class StoreReading:
    """The reading half of `core.ports.history.Store`."""

    def __init__(
        self, workspace: DiskWorkspace, journal: Journal, contents: ContentStore, max_held: int
    ) -> None:
        self.workspace = workspace
        self.journal = journal
        self.contents = contents
        self.max_held = max_held
        self._guard = threading.RLock()
        self._known: tuple[object, UndoChains] | None = None

    def damage(self) -> str:
        """What cannot be read of the history, in words; empty when all of it can."""
        self.journal.refresh()
        count = self.journal.unreadable
        if not count:
            return ""
        lines = "1 line" if count == 1 else f"{count} lines"
        return (
            f"{lines} of the history cannot be read (damaged, or cut off by a crash):"
            " changes recorded there cannot be listed or undone"
        )

    def load(self, operation_id: str, steps: int | None = None) -> Operation:
        """An operation with contents, up to a limit; larger ones are left where they are."""
        line = self._line(operation_id)
        operation = self._operation(line, self.journal.body(line), steps)
        budget = self.max_held
        filled: list[Change | Rename] = []
        for step in operation.change_set.steps:
            if isinstance(step, Change):
                sizes = [s.size for s in (step.before, step.after) if isinstance(s, FileState)]
                budget -= sum(sizes)
                if budget >= 0:
                    step = Change(
                        step.path, self._load_content(step.before), self._load_content(step.after)
                    )
            filled.append(step)
        return replace(operation, change_set=ChangeSet(tuple(filled)))

    def _load_content(self, state: State) -> State:
        if not isinstance(state, FileState):
            return state
        try:
            content = self.contents.get(state.digest)
        except OSError as error:
            raise HistoryError(f"History is damaged ({error.strerror}): {state.digest}") from None
        return replace(state, content=content)

    def newest_first(
        self,
        before_id: str | None = None,
        *,
        naming: str = "",
        beneath: WorkspacePath | None = None,
        steps: int | None = None,
    ) -> Iterator[Operation]:
        """Every operation, contents not loaded; see `core.ports.history.Store`."""
        with self._guard:
            self.journal.refresh()
            lines = self.journal.lines
            end = len(lines)
            if before_id is not None:
                end = lines.index(self._line(before_id))
        for number in range(end - 1, -1, -1):
            try:
                body = self.journal.body(lines[number])
            except LookupError:  # pruned since, as is everything older
                return
            if records.may_name(body, naming) and self._touches(body, beneath):
                yield self._operation(lines[number], body, steps)

    def _touches(self, body: bytes, place: WorkspacePath | None) -> bool:
        return place is None or records.touches(body, place, self.workspace.root_number)

    def _operation(self, line: Line, body: bytes, steps: int | None = None) -> Operation:
        body, left_out = records.shorten(body, steps)
        change_set, origin, notes = records.decode_body(body, self.workspace.root_number)
        head = line.head
        return Operation(
            head.id,
            head.time,
            origin,
            change_set,
            head.kind,
            head.reverts,
            self._chains().reverters.get(head.id),
            notes,
            left_out,
        )

    def _line(self, operation_id: str) -> Line:
        with self._guard:
            self.journal.refresh()
            line = self.journal.find(operation_id)
            if line is None or operation_id in self.journal.revoked:
                raise UnknownOperation(
                    f"No operation has this id: {show_name(operation_id)[:64]}",
                    hint="list the changes to see the ids",
                )
            return line

    # -- chains of undo and redo --------------------------------------------------------------

    def chain(self, operation_id: str) -> Chained:
        """Which change an operation belongs to, and the latest operation on it."""
        line = self._line(operation_id)
        chains = self._chains()
        root = chains.root(line)
        last = chains.last[root].head
        return Chained(operation_id, line.head.kind, root, last.id, last.kind == "undo")

    def latest(self, *, undone: bool) -> str | None:
        """The id of the latest operation that can be undone (or, with *undone*, redone)."""
        self.journal.refresh()
        return self._chains().latest(undone=undone)

    def _chains(self) -> UndoChains:
        with self._guard:
            version = self.journal.version
            if self._known is None or self._known[0] != version:
                self._known = version, UndoChains(self.journal.lines, self.journal.find)
            return self._known[1]
