"""What operations of the journal did, carried over to what is known of the workspace."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from redline.core.changes import ABSENT, Absent, Change, DirState, FileState, Rename, State
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation
from redline.core.ports.recording import KnownEntry
from redline.core.ports.store import Store
from redline.engine.recording.ignore_rules import IgnoreRules
from redline.engine.recording.known_entries import KnownEntries
from redline.search.ignore import IGNORE_FILE

# Something is there that was left out so far.
UNKNOWN = KnownEntry(None, None)


def finished_since(store: Store, position: str, own: Container[str]) -> list[Operation]:
    """Return the operations behind *position* that are journalled by now, the oldest first.

    Each is visible when this returns: one that was revoked is left out. *own* are the recorder's.
    """
    written = _operations_since(store, position)
    paths = {path for each in written if each.id not in own for path in each.change_set.paths}
    if not paths:
        return written
    store.wait_for(paths)
    names = {operation.id for operation in written}
    return [operation for operation in _operations_since(store, position) if operation.id in names]


def _operations_since(store: Store, position: str) -> list[Operation]:
    found: list[Operation] = []
    for operation in store.newest_first():
        if operation.id == position:
            break
        found.append(operation)
    found.reverse()
    return found


class Preceding(NamedTuple):
    """What other programs had changed when an operation found it."""

    follower: Operation
    changes: list[Change]


@dataclass(slots=True)
class CaughtUp:
    """What operations touched, and what other programs had changed there before them."""

    preceding: list[Preceding] = field(default_factory=list)
    touched: set[WorkspacePath] = field(default_factory=set)
    # What ignore files held before them.
    rules: dict[WorkspacePath, State] = field(default_factory=dict)


def apply_operation(
    entries: KnownEntries, operation: Operation, caught_up: CaughtUp, rules: IgnoreRules
) -> None:
    """Carry out an operation on *entries*.

    What *rules* leave out was there before it, though it is not among them.
    """
    found: list[Change] = []
    for step in operation.change_set.steps:
        if isinstance(step, Rename):
            _move(entries, step.source, step.target, caught_up)
            if rules.leave_out(step.source, ABSENT) or rules.leave_out(step.source, DirState()):
                entries.put(step.target, UNKNOWN)
            continue
        known = entries.at(step.path)
        before: State | None = ABSENT if known is None else known.state
        if (
            before is not None
            and not _agrees(before, step.before)
            and (known is not None or not rules.leave_out(step.path, step.before))
        ):
            found.append(Change(step.path, before, step.before))
        caught_up.touched.add(step.path)
        if step.path.name == IGNORE_FILE:
            caught_up.rules.setdefault(step.path, step.before)
        _put(entries, step.path, step.after)
    if found:
        caught_up.preceding.append(Preceding(operation, found))


def _agrees(known: State, said: State) -> bool:
    if isinstance(known, FileState) and isinstance(said, FileState):
        return known.digest == said.digest
    return type(known) is type(said)


def _put(entries: KnownEntries, path: WorkspacePath, state: State) -> None:
    if isinstance(state, Absent):
        entries.remove(path)
        entries.remove_all(path)
        return
    if isinstance(state, FileState):
        state = replace(state, content=None)
    entries.put(path, KnownEntry(None, state))


def _move(
    entries: KnownEntries, source: WorkspacePath, target: WorkspacePath, caught_up: CaughtUp
) -> None:
    """Give an entry and all below it another name."""
    caught_up.touched |= {source, target}
    moved = entries.remove(source)
    if moved is not None:
        entries.put(target, KnownEntry(None, moved.state))
    for directory in entries.beneath(source):
        place = target.child(*directory.parts[len(source.parts) :])
        for name, entry in entries.remove_all(directory).items():
            entries.put(place.child(name), KnownEntry(None, entry.state))
            caught_up.touched |= {directory.child(name), place.child(name)}
