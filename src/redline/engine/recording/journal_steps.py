"""What operations of the journal did, carried over to what is known of the workspace."""

from __future__ import annotations

from dataclasses import replace

from redline.core.changes import ABSENT, Absent, Change, FileState, Rename, State
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation, Store
from redline.core.ports.recording import KnownEntry

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


def apply_operation(
    entries: Entries, operation: Operation, between: list[Change], touched: set[WorkspacePath]
) -> None:
    """Carry out an operation on *entries*; what other programs did before it goes to *between*."""
    for step in operation.change_set.steps:
        if isinstance(step, Rename):
            _move(entries, step.source, step.target, touched)
            continue
        known = entries.get(step.path.parent, {}).get(step.path.name)
        before: State | None = ABSENT if known is None else known.state
        if before is not None and not _agrees(before, step.before):
            between.append(Change(step.path, before, step.before))
        _put(entries, step.path, step.after)
        touched.add(step.path)


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
    entries: Entries, source: WorkspacePath, target: WorkspacePath, touched: set[WorkspacePath]
) -> None:
    """Give an entry and all below it another name."""
    moved = entries.get(source.parent, {}).pop(source.name, None)
    touched |= {source, target}
    if moved is not None:
        entries.setdefault(target.parent, {})[target.name] = KnownEntry(None, moved.state)
    for directory in [d for d in entries if d.is_beneath(source)]:
        below = entries.pop(directory)
        place = WorkspacePath(target.root, (*target.parts, *directory.parts[len(source.parts) :]))
        entries[place] = {name: KnownEntry(None, entry.state) for name, entry in below.items()}
        for name in below:
            touched |= {directory.child(name), place.child(name)}
