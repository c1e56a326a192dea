"""One session as a whole: its turns, and one combined change from its first state to its last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, LinkState, Rename, State
from redline.core.errors import CannotApply, NotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Author, HistoryQuery, Operation, Origin
from redline.core.records import dataclass, replace
from redline.services.history.export import NetChange, net_changes
from redline.services.history.turns import Turn, list_turns
from redline.services.runtime import Runtime

# The kind of the operation that is a whole session; no journal has it.
SESSION = "session"
_ALL = 1 << 30


@dataclass(frozen=True, slots=True)
class WorkSession:
    """A session, its turns and its operations, the oldest first.

    `combined` is all it did, as one operation with the id `session/NAME`. In `mixed` files
    others wrote the same lines in between: what they wrote is part of the combined change there.
    """

    name: str
    turns: Sequence[Turn]
    operations: Sequence[Operation]
    combined: Operation
    mixed: frozenset[WorkspacePath]

    @property
    def title(self) -> str:
        """The first words of the first prompt."""
        return next((turn.words for turn in self.turns if turn.words), f"Session {self.name}")


def read_session(runtime: Runtime, name: str) -> WorkSession:
    """Return a session by the name of it or of a connection of it; NotFound."""
    turns = list_turns(runtime.history)
    names = {name, *(t.session for t in turns for op in t.operations if op.origin.session == name)}
    turns = [turn for turn in turns if turn.session in names and turn.operations]
    if not turns:
        raise NotFound(name, f"No session has this name, or it changed nothing: {name[:64]}")
    wanted = {operation.id for turn in turns for operation in turn.operations}
    sessions = {operation.origin.session for turn in turns for operation in turn.operations}
    operations = [
        operation
        for session in sessions
        for operation in runtime.history.list(
            HistoryQuery(limit=_ALL, by=Author(session=session), since=turns[0].time)
        )
        if operation.id in wanted
    ]
    operations.sort(key=lambda each: each.time)
    # What was taken back is not part of what the session did.
    done = [op for op in operations if op.kind == "change" and not op.reverted_by]
    change_set, mixed = _combine(runtime, done)
    origin = Origin(SESSION, turns[0].client, operations[0].origin.principal, session=name)
    is_undone = None if done else operations[-1].reverted_by
    combined = Operation(
        f"{SESSION}/{name}", operations[-1].time, origin, change_set, SESSION, None, is_undone
    )
    return WorkSession(name, turns, operations, combined, frozenset(mixed))


def _combine(
    runtime: Runtime, operations: Sequence[Operation]
) -> tuple[ChangeSet, set[WorkspacePath]]:
    """Return the net change of each file, and the files where it is not the session's alone."""
    steps = [step for operation in operations for step in operation.change_set.steps]
    if any(isinstance(step, Rename) for step in steps):
        try:
            return _followed(runtime, operations), set()
        except CannotApply:
            pass  # shown file by file, under the names that they had
    by_path: dict[WorkspacePath, list[Change]] = {}
    for step in steps:
        if isinstance(step, Change) and _is_file(step):
            by_path.setdefault(step.path, []).append(step)
    changes: list[Change] = []
    mixed: set[WorkspacePath] = set()
    for path, found_there in sorted(by_path.items()):
        found, is_mixed = _net(runtime, path, found_there)
        if not _is_same(found.before, found.after):
            changes.append(found)
            mixed |= {path} if is_mixed else set()
    return runtime.history.fill(ChangeSet(tuple(changes))), mixed


def _net(runtime: Runtime, path: WorkspacePath, steps: Sequence[Change]) -> tuple[Change, bool]:
    """Return what *steps* on a file come to, and whether others' work is part of it."""
    whole = Change(path, steps[0].before, steps[-1].after)
    if all(_is_same(earlier.after, later.before) for earlier, later in pairwise(steps)):
        return whole, False
    try:
        filled = runtime.history.fill(ChangeSet(tuple(steps))).steps
        (net,) = net_changes(filled, lambda _: [])
    except CannotApply:
        return whole, True
    return Change(path, net.before or ABSENT, net.after or ABSENT), False


def _followed(runtime: Runtime, operations: Sequence[Operation]) -> ChangeSet:
    filled = [runtime.history.fill(operation.change_set) for operation in operations]
    steps: list[Change | Rename] = []
    for net in net_changes((step for each in filled for step in each.steps), lambda _: []):
        steps += _steps_of(net)
    return ChangeSet(tuple(steps))


def _steps_of(net: NetChange) -> list[Change | Rename]:
    before, after = net.before or ABSENT, net.after or ABSENT
    if net.source == net.target:
        return [] if _is_same(before, after) else [Change(net.target, before, after)]
    if net.before is None or net.after is None or before == after:
        return [Rename(net.source, net.target)]
    return [Change(net.source, before, ABSENT), Change(net.target, ABSENT, after)]


def _is_file(step: Change) -> bool:
    return any(isinstance(state, FileState | LinkState) for state in (step.before, step.after))


def _is_same(first: State, second: State) -> bool:
    if isinstance(first, FileState) and isinstance(second, FileState):
        return replace(first, content=None) == replace(second, content=None)
    return first == second
