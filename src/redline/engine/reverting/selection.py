"""Which operations a revert is about, and the steps that take each of them back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from redline.core.errors import AlreadyUndone, InvalidArgument, NothingToUndo
from redline.core.ports.history import GIT, SILENT_KINDS, Author, Direction, Revert
from redline.core.ports.store import Chained, ChangeStatus, Store
from redline.engine.reverting.parts import part_of
from redline.engine.reverting.steps import RevertStep


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
    """Whether this undo of a part was redone: then undoing it does it once more."""
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
