"""Read the journal: operations with and without contents, and which change each belongs to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.content_store import ContentStore
from redline.adapters.journal.format import records
from redline.adapters.journal.format.records import Line, body_of
from redline.adapters.journal.log import Journal
from redline.core.changes import Change, ChangeSet, FileState, Rename, State
from redline.core.errors import HistoryError, UnknownOperation
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import PROMPT, SILENT_KINDS, Author, Operation, Origin
from redline.core.ports.store import Chained, ChangeStatus, Position

_AGAIN, _PART = "+", "~"


class UndoChains:
    """The state of every change as of one moment of the journal.

    A change is named by its own operation, its root. A part that was taken back is a root too.
    Only the *special* operations are looked at: every other one is a change that is done, unless
    one of these undid it.
    """

    def __init__(
        self,
        special: Sequence[Line],
        ids: Sequence[str],
        order: Mapping[str, int],
        find: Callable[[str], Line | None],
    ) -> None:
        self._ids = ids
        self.order = order
        self._find = find
        # For each special operation the roots it touches, and whether they are undone after it.
        self._effects: dict[str, dict[str, bool]] = {}
        self._last: dict[str, str] = {}
        self._undone: dict[str, bool] = {}
        self.reverters: dict[str, str] = {}
        # The roots of an operation and where they are in it, of those that were asked for.
        self._within: dict[str, dict[str, int]] = {}
        for line in special:
            self._take_in(line)

    def effects_of(self, name: str) -> Mapping[str, bool]:
        """The roots that an operation touches, and whether they are undone after it."""
        found = self._effects.get(name)
        return {name: False} if found is None else found

    def last(self, root: str) -> str:
        """The latest operation on a change."""
        return self._last.get(root, root)

    def is_undone(self, root: str) -> bool:
        """Whether a change is undone now."""
        return self._undone.get(root, False)

    def _take_in(self, line: Line) -> None:
        head = line.head
        effects = self._effects_of_line(line)
        self._effects[head.id] = effects
        for root, is_undone in effects.items():
            self._last[root] = head.id
            self._undone[root] = is_undone
            if is_undone == self._starts_undone(root):
                self.reverters.pop(root, None)
            else:
                self.reverters[root] = head.id
        for token in _tokens(head.reverts):
            if head.kind == "redo" and self._starts_undone(token):
                self.reverters[token] = head.id

    def _starts_undone(self, name: str) -> bool:
        """Whether an operation is an undo itself."""
        line = self._find(name)
        return line is not None and line.head.kind == "undo"

    def _effects_of_line(self, line: Line) -> dict[str, bool]:
        head = line.head
        if head.kind in SILENT_KINDS:
            return {}
        tokens = _tokens(head.reverts)
        if not tokens or tokens[0].endswith(_PART):
            return {head.id: head.kind == "undo"}
        found: dict[str, bool] = {}
        for token in tokens:
            found |= self._effects_of_token(token, is_redo=head.kind == "redo")
        # Where what it names was pruned, the operation is the oldest that is left.
        return found or {head.id: head.kind == "undo"}

    def _effects_of_token(self, token: str, *, is_redo: bool) -> dict[str, bool]:
        name = token.removeprefix(_AGAIN)
        before = self._find(name)
        if before is None:
            return {}
        if name in self._effects and list(self._effects[name]) != [name]:
            return {root: not undone for root, undone in self._effects[name].items()}
        return {name: not (is_redo or token.startswith(_AGAIN))}

    def newest_first(self, *, undone: bool) -> Iterator[str]:
        """The latest operation on each change that can be undone or, with *undone*, redone."""
        for name in reversed(self._ids):
            roots = self.effects_of(name)
            if any(self.last(root) == name and self.is_undone(root) is undone for root in roots):
                yield name

    def differing(self, start: int) -> list[str]:
        """The changes that operations from *start* on left in another state, newest first."""
        touched = {root for name in self._ids[start:] for root in self.effects_of(name)}
        # Made since: counts as taken back before. Of the others, the latest operation says.
        older = {root for root in touched if self.order.get(root, start) < start}
        before = {root: not self._starts_undone(root) for root in touched - older}
        for name in reversed(self._effects):
            if not older:
                break
            if self.order[name] < start:
                for root, is_undone in self._effects[name].items():
                    if root in older:
                        older.discard(root)
                        before[root] = is_undone
        before |= dict.fromkeys(older, False)
        changed = [root for root, was in before.items() if was != self.is_undone(root)]
        return sorted(changed, key=self.moment, reverse=True)

    def moment(self, root: str) -> tuple[int, int]:
        """When a change that is done was made, or one that is taken back was taken back.

        The second number orders what one operation did.
        """
        if root in self.order and self.is_undone(root) == self._starts_undone(root):
            return self.order[root], 0
        last = self.last(root)
        if last not in self._within:
            self._within[last] = {name: n for n, name in enumerate(self.effects_of(last))}
        return self.order[last], self._within[last][root]


def _tokens(reverts: str | None) -> list[str]:
    return reverts.split(",") if reverts else []


# How many bytes of contents one change keeps in memory.
MAX_HELD = 64 << 20
# What is read of the end of the journal to see whether others have written there.
_MAX_TAIL = 1 << 16
# How many operations one look at what arrived reads, and how many steps of each.
MAX_ARRIVALS, MAX_ARRIVED_STEPS = 50, 1000


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
        return replace(operation, change_set=self.fill(operation.change_set))

    def peek(self, operation_id: str) -> Operation:
        """An operation, contents not loaded."""
        line = self._line(operation_id)
        return self._operation(line, self.journal.body(line))

    def fill(self, change_set: ChangeSet) -> ChangeSet:
        """A change set with contents, up to a limit; larger ones are left where they are."""
        budget = self.max_held
        filled: list[Change | Rename] = []
        for step in change_set.steps:
            if isinstance(step, Change):
                sizes = [s.size for s in (step.before, step.after) if isinstance(s, FileState)]
                budget -= sum(sizes)
                if budget >= 0:
                    step = Change(
                        step.path, self._load_content(step.before), self._load_content(step.after)
                    )
            filled.append(step)
        return ChangeSet(tuple(filled))

    def load_content(self, state: FileState) -> FileState:
        """A file's state with its content."""
        loaded = self._load_content(state)
        assert isinstance(loaded, FileState)
        return loaded

    def _load_content(self, state: State) -> State:
        if not isinstance(state, FileState) or state.content is not None:
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
        around: WorkspacePath | None = None,
        steps: int | None = None,
    ) -> Iterator[Operation]:
        """Every operation, contents not loaded; see `core.ports.history.Store`."""
        with self._guard:
            self.journal.refresh()
            end = len(self.journal.ids)
            if before_id is not None:
                end = self.journal.order[self._line(before_id).head.id]
        name = records.plain_part(naming)
        near = records.plain_part("" if beneath is None else beneath.name)
        there = records.plain_part("" if around is None else around.name)
        having = [text for text in (name, near) if text][:1]
        if there and not having:
            having = [there, records.RENAME]
        for found, raw in self.journal.raw_newest_first(end, having):
            if name not in raw or near not in raw:
                continue
            if there not in raw and not records.renames(raw):
                continue
            body = body_of(raw)
            place = beneath if around is None or records.renames(raw) else around
            if self._touches(body, place):
                line = self.journal.find(found)
                if line is None:
                    return  # it was pruned since
                self.journal.note_contents(line, raw)
                yield self._operation(line, body, steps)

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
        """Which changes an operation is about, and the state of each."""
        line = self._line(operation_id)
        chains = self._chains()
        changes = tuple(
            ChangeStatus(root, chains.last(root), chains.is_undone(root), chains.moment(root))
            for root in chains.effects_of(operation_id)
        )
        return Chained(operation_id, line.head.kind, changes)

    def latest(self, *, undone: bool, by: Author | None = None) -> str | None:
        """The latest operation that can be undone (or, with *undone*, redone), of *by* alone."""
        self.journal.refresh()
        for name in self._chains().newest_first(undone=undone):
            if by is None or by.matches(self._origin(name)):
                return name
        return None

    def find(self, prefix: str) -> str:
        """The one operation whose id starts with *prefix*."""
        self.journal.refresh()
        if self.journal.find(prefix) is not None:
            return prefix
        found = [name for name in self.journal.ids if name.startswith(prefix)]
        if len(found) == 1:
            return found[0]
        shown = show_name(prefix)[:64]
        if found:
            some = ", ".join(found[-3:])
            raise UnknownOperation(
                f"Several operations start with this: {shown}", hint=f"for example {some}"
            )
        raise UnknownOperation(
            f"No operation has this id: {shown}", hint="list the changes to see the ids"
        )

    def changed_since(self, operation_id: str | None, by: Author | None) -> list[str]:
        """See `core.ports.history.History.changed_since`."""
        with self._guard:
            self.journal.refresh()
            chains, start = self._chains(), 0
            if operation_id is not None:
                start = chains.order[self._line(operation_id).head.id] + 1
            found = chains.differing(start)
            if by is None:
                return found
            return [root for root in found if by.matches(self._maker(root, start, chains))]

    def arrivals(self, since: Position | None, session: str) -> tuple[Position, list[Operation]]:
        """See `core.ports.store.Store.arrivals`."""
        journal = self.journal
        now = journal.position()
        if since is None or since == now:
            return now, []
        lines = journal.read_since(since, _MAX_TAIL)
        if lines is not None and records.is_all_of(lines, session):
            return now, []  # nearly always: what the session has just done itself
        found: list[Operation] = []
        with self._guard:
            for name in journal.arrived_since(since)[-MAX_ARRIVALS:]:
                line = journal.find(name)
                body = b"" if line is None else journal.body(line)
                if line is not None and records.decode_origin(body).session != session:
                    found.append(self._operation(line, body, MAX_ARRIVED_STEPS))
            return (now[0], max(now[1], journal.read_to)), found

    def marks(self) -> list[Operation]:
        """See `core.ports.history.History.marks`."""
        self.journal.refresh()
        special = [line.head for line in self.journal.special]
        checkpoints = {head.id for head in special if head.kind == "checkpoint"}
        prompts = {head.id for head in special if head.kind == PROMPT}
        first = self.journal.session_starts(checkpoints | prompts)
        first.pop(b"", None)
        first.pop(b'""', None)
        marks = [*checkpoints, *first.values()]
        marks.sort(key=self.journal.order.__getitem__, reverse=True)
        lines = [self._line(name) for name in marks]
        return [self._operation(line, self.journal.body(line), 0) for line in lines]

    def _maker(self, root: str, start: int, chains: UndoChains) -> Origin:
        """Who made a change or, if that was before number *start*, who undid or redid it last."""
        is_older = chains.order.get(root, -1) < start
        return self._origin(chains.last(root) if is_older else root)

    def _origin(self, name: str) -> Origin:
        return records.decode_origin(self.journal.body(self._line(name)))

    def _chains(self) -> UndoChains:
        with self._guard:
            version = self.journal.version
            if self._known is None or self._known[0] != version:
                journal = self.journal
                chains = UndoChains(journal.special, journal.ids, journal.order, journal.find)
                self._known = version, chains
            return self._known[1]
