"""What operations of the journal did, carried over to what is known of the workspace."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from redline.core.changes import ABSENT, Absent, Change, FileState, Rename, State
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation
from redline.core.ports.recording import KnownEntry
from redline.core.ports.store import Store

Entries = dict[WorkspacePath, dict[str, KnownEntry]]


def operations_since(store: Store, position: str) -> list[Operation]:
    """Return the operations behind *position*, the oldest first."""
    found: list[Operation] = []
    for operation in store.newest_first():
        if operation.id == position:
            break
        found.append(operation)
    found.reverse()
    return found


@dataclass(slots=True)
class CaughtUp:
    """What operations did, and what other programs had done before them.

    `between` has such changes by the operation that found them; `passed` has, for each path,
    every state that the disk may still have shown when it was looked at before the journal was
    read.
    """

    between: dict[str, list[Change]] = field(default_factory=dict)
    passed: dict[WorkspacePath, list[State]] = field(default_factory=dict)


def apply_operation(entries: Entries, operation: Operation, caught_up: CaughtUp) -> None:
    """Carry out an operation on *entries*."""
    for step in operation.change_set.steps:
        if isinstance(step, Rename):
            _move(entries, step.source, step.target, caught_up)
            continue
        known = entries.get(step.path.parent, {}).get(step.path.name)
        before: State | None = ABSENT if known is None else known.state
        if before is not None and not _agrees(before, step.before):
            found = Change(step.path, before, step.before)
            caught_up.between.setdefault(operation.id, []).append(found)
            caught_up.passed.setdefault(step.path, []).append(before)
        caught_up.passed.setdefault(step.path, []).append(step.before)
        _put(entries, step.path, step.after)


def _agrees(known: State, said: State) -> bool:
    if isinstance(known, FileState) and isinstance(said, FileState):
        return known.digest == said.digest
    return type(known) is type(said)


def _put(entries: Entries, path: WorkspacePath, state: State) -> None:
    here = entries.setdefault(path.parent, {})
    if isinstance(state, Absent):
        here.pop(path.name, None)
        entries.pop(path, None)
        return
    if isinstance(state, FileState):
        state = replace(state, content=None)
    here[path.name] = KnownEntry(None, state)


def _move(
    entries: Entries, source: WorkspacePath, target: WorkspacePath, caught_up: CaughtUp
) -> None:
    """Give an entry and all below it another name."""
    moved = entries.get(source.parent, {}).pop(source.name, None)
    if moved is not None:
        entries.setdefault(target.parent, {})[target.name] = KnownEntry(None, moved.state)
        _pass(caught_up, source, target, moved)
    for directory in [d for d in entries if d.is_beneath(source)]:
        below = entries.pop(directory)
        place = WorkspacePath(target.root, (*target.parts, *directory.parts[len(source.parts) :]))
        entries[place] = {name: KnownEntry(None, entry.state) for name, entry in below.items()}
        for name, entry in below.items():
            _pass(caught_up, directory.child(name), place.child(name), entry)


def _pass(
    caught_up: CaughtUp, source: WorkspacePath, target: WorkspacePath, entry: KnownEntry
) -> None:
    caught_up.passed.setdefault(target, []).append(ABSENT)
    if entry.state is not None:
        caught_up.passed.setdefault(source, []).append(entry.state)
