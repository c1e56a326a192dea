"""Which operations a revert is about, and the steps that take each of them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from redline.core.changes import Absent, Change, ChangeSet, FileState, LinkState, Rename
from redline.core.diff import ShownHunk, hunks_of_files
from redline.core.errors import AlreadyUndone, InvalidArgument, NothingToUndo
from redline.core.line_diff import split_lines
from redline.core.paths import WorkspacePath
from redline.core.ports.history import GIT, SILENT_KINDS, Author, Direction, Revert
from redline.core.ports.store import Chained, ChangeStatus, Store
from redline.core.textfile import TextFile
from redline.engine.reverting.timeline import RevertStep


class ChosenStep(NamedTuple):
    """The step that reverts step `number` of an operation, or a part of it."""

    number: int
    step: Change | Rename


def part_of(
    change_set: ChangeSet, paths: Sequence[WorkspacePath], hunks: frozenset[int]
) -> list[ChosenStep]:
    """Return, in order, the steps that revert what *paths* and *hunks* select."""
    steps: list[ChosenStep] = []
    number = 0
    for index, step in enumerate(change_set.steps):
        chosen = not paths or any(_touches(step, path) for path in paths)
        if not hunks:
            if chosen:
                steps.append(ChosenStep(index, step.inverse()))
            continue
        found = hunks_of(step)
        wanted = [h for n, h in enumerate(found, number + 1) if n in hunks]
        number += len(found)
        if chosen and wanted:
            steps.append(ChosenStep(index, _without(step, found, wanted)))
    if any(not 0 < each <= number for each in hunks):
        raise InvalidArgument(
            f"No hunk has this number: {max(hunks)}",
            field="hunks",
            hint=f"the change has hunks 1 to {number}" if number else "it has no hunks",
        )
    if not steps:
        raise InvalidArgument("The change touches none of these paths", field="paths")
    return steps[::-1]


def _touches(step: Change | Rename, path: WorkspacePath) -> bool:
    return any(end.is_beneath(path) for end in step.paths)


def hunks_of(step: Change | Rename) -> list[ShownHunk]:
    """Return the hunks that the diff of a step shows, as `Revert.hunks` counts them."""
    if isinstance(step, Rename):
        return []
    old, new = _content(step.before), _content(step.after)
    return [] if old is None or new is None else hunks_of_files(old, new)


def _content(state: object) -> bytes | None:
    if isinstance(state, Absent):
        return b""
    if isinstance(state, LinkState):
        return state.target.encode("utf-8", "surrogateescape")
    if isinstance(state, FileState) and state.content is not None:
        return None if TextFile(state.content).is_binary else state.content
    return None


def _without(
    step: Change | Rename, found: Sequence[ShownHunk], wanted: Sequence[ShownHunk]
) -> Change | Rename:
    """Return the step that takes back the *wanted* ones of a step's hunks."""
    if len(wanted) == len(found) or not isinstance(step, Change):
        return step.inverse()
    before, after = step.before, step.after
    assert isinstance(before, FileState)
    assert isinstance(after, FileState)
    old, new = split_lines(before.content or b""), split_lines(after.content or b"")
    for (i1, i2, j1, j2), _ in reversed(wanted):
        new[j1:j2] = old[i1:i2]
    return Change(step.path, after, FileState.of(b"".join(new), after.mode))


class Selected(NamedTuple):
    """What to do, and how the journal will call it."""

    kind: str
    reverts: str
    steps: list[RevertStep]


def select(store: Store, request: Revert) -> Selected:
    """Return what *request* means now; HistoryError when it means nothing."""
    if request.direction is Direction.REWIND:
        return _rewind(store, request.ids)
    if request.paths or request.hunks:
        return _part(store, request)
    if request.direction is Direction.REDO:
        return _redo(store, request)
    return _undo(store, request)


def _undo(store: Store, request: Revert) -> Selected:
    """Taking back an undo means doing again what it took back."""
    named = _find_named(store, request, undone=False)
    if named.kind in SILENT_KINDS:
        what = "what git did; git itself goes back" if named.kind == GIT else f"a {named.kind}"
        raise NothingToUndo(f"There is nothing to take back in {what}: {named.id}")
    if named.kind == "undo" and not _is_part_taken_back(named):
        return _redo_of(store, named)
    if all(change.is_undone for change in named.changes):
        raise AlreadyUndone(
            f"This change was undone before: {named.id}",
            hint="if its lines are back by other means, redo it and then undo it again;"
            " else undo another change",
        )
    if len(named.changes) > 1 and named.is_whole:
        tokens = [f"+{c.root}" if c.is_undone else c.root for c in named.changes]
        return Selected("undo", ",".join(tokens), _inverse(store, named.id))
    done = _latest_first(change for change in named.changes if not change.is_undone)
    steps = [step for change in done for step in _flip(store, change)]
    return Selected("undo", ",".join(change.root for change in done), steps)


def _is_part_taken_back(named: Chained) -> bool:
    """Return whether this undo of a part was redone: then undoing it does it once more."""
    return [(c.root, c.is_undone) for c in named.changes] == [(named.id, False)]


def _redo(store: Store, request: Revert) -> Selected:
    return _redo_of(store, _find_named(store, request, undone=True))


def _redo_of(store: Store, named: Chained) -> Selected:
    if named.kind == "undo" and named.is_whole:
        return Selected("redo", named.id, _inverse(store, named.id))
    undone = _latest_first(change for change in named.changes if change.is_undone)
    if not undone:
        raise AlreadyUndone(
            f"This change is not undone: {named.id}",
            hint="only a change that was undone can be redone",
        )
    steps = [step for change in undone for step in _flip(store, change)]
    alone = len(undone) == 1 and _is_alone(store, undone[0])
    reverts = undone[0].last if alone else ",".join(change.root for change in undone)
    return Selected("redo", reverts, steps)


def _latest_first(changes: Iterable[ChangeStatus]) -> list[ChangeStatus]:
    return sorted(changes, key=lambda change: change.moment, reverse=True)


def _rewind(store: Store, ids: tuple[str, ...] | list[str]) -> Selected:
    """Turn every change into the state it is not in, those touched last first."""
    steps: list[RevertStep] = []
    tokens: list[str] = []
    for name in ids:
        change = next(c for c in store.chain(name).changes if c.root == name)
        steps += _flip(store, change)
        tokens.append(f"+{name}" if change.is_undone else name)
    if not tokens:
        raise NothingToUndo("Nothing has changed since")
    return Selected("undo", ",".join(tokens), steps)


def _part(store: Store, request: Revert) -> Selected:
    if request.direction is not Direction.UNDO:
        raise InvalidArgument("Only an undo takes paths or hunks", field="paths")
    named = _find_named(store, request, undone=False)
    operation = store.load(named.id)
    chosen = part_of(operation.change_set, request.paths, request.hunks)
    steps = [RevertStep(step, named.id, index) for index, step in chosen]
    return Selected("undo", f"{named.id}~", steps)


def _find_named(store: Store, request: Revert, *, undone: bool) -> Chained:
    if request.ids:
        (name,) = request.ids
        return store.chain(name)
    latest = store.latest(undone=undone, by=request.by)
    if latest is None:
        raise _nothing(store, request.by, undone=undone)
    return store.chain(latest)


def _nothing(store: Store, by: Author | None, *, undone: bool) -> NothingToUndo:
    verb = "redo" if undone else "undo"
    other = store.latest(undone=undone) if by is not None else None
    if other is None:
        can_redo = not undone and store.latest(undone=True, by=by) is not None
        hint = "redo brings back what was undone last" if can_redo else None
        return NothingToUndo(f"There is nothing to {verb}", hint=hint)
    return NothingToUndo(
        f"There is nothing of yours to {verb}; the latest change of another client is {other}",
        hint=f"pass its id to {verb} it",
    )


def _flip(store: Store, change: ChangeStatus) -> list[RevertStep]:
    """Undo a change that is done, redo one that is undone.

    A redo takes back what the undo did, if that was about this change alone. Everything else starts
    from the change itself.
    """
    root = store.peek(change.root)
    if change.is_undone and _is_alone(store, change):
        return _inverse(store, change.last)
    if change.is_undone == (root.kind == "undo"):
        return _inverse(store, change.root)
    steps = enumerate(root.change_set.steps)
    return [RevertStep(step, change.root, index, again=True) for index, step in steps]


def _is_alone(store: Store, change: ChangeStatus) -> bool:
    return len(store.chain(change.last).changes) == 1


def _inverse(store: Store, operation_id: str) -> list[RevertStep]:
    steps = list(enumerate(store.peek(operation_id).change_set.steps))
    return [RevertStep(step.inverse(), operation_id, index) for index, step in reversed(steps)]
