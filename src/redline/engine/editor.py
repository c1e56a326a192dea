"""The only way to change the workspace: approve, begin, swap, finish; undo and redo."""

from __future__ import annotations

from dataclasses import replace

from redline.core.changes import Change, ChangeSet, FileState, Rename, SpecialState
from redline.core.errors import (
    AlreadyUndone,
    GuardedWrite,
    NothingToUndo,
    PathError,
    PermissionDenied,
    ReadOnlyMode,
    ReadOnlyRoot,
    StaleBase,
)
from redline.core.paths import show_name
from redline.core.ports.history import Operation, Origin, Store, Transaction
from redline.core.ports.tree import PathResolver, Tree
from redline.engine.obstacles import Obstacles

_PRUNE_EVERY = 64


class JournalEditor:
    """See `core.ports.history.ChangeEditor`."""

    def __init__(
        self,
        workspace: PathResolver,
        tree: Tree,
        store: Store,
        *,
        read_only: bool = False,
        history_days: float = 30.0,
        history_size: int = 1 << 30,
    ) -> None:
        self._workspace = workspace
        self._store = store
        self._obstacles = Obstacles(workspace, tree)
        self._read_only = read_only
        self._limits = history_days, history_size
        self._commits = 0

    def commit(self, change_set: ChangeSet, origin: Origin) -> Operation:
        """Make *change_set* real, all of it or nothing."""
        self._approve(change_set)
        if change_set.is_empty:
            return Operation("", 0.0, origin, change_set)
        return self._carry_out(change_set, origin, "change", None)

    def record(self, change_set: ChangeSet, origin: Origin) -> Operation:
        """Journal changes that already happened."""
        if change_set.is_empty:
            return Operation("", 0.0, origin, change_set)
        return self._store.record(change_set, origin)

    def note_grant(self, origin: Origin) -> Operation:
        """Journal that a person gave a permission."""
        return self._store.record(ChangeSet(), origin, "grant")

    def undo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Take an operation back; None means the latest that is not undone."""
        return self._revert(self._to_undo(operation_id), origin)

    def redo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Take an undo back; None means the latest undo."""
        return self._revert(self._to_redo(operation_id), origin)

    def plan_undo(self, operation_id: str | None) -> ChangeSet:
        """What `undo` would do, with contents, after the same checks."""
        return self._plan(self._store.load(self._to_undo(operation_id)))

    def plan_redo(self, operation_id: str | None) -> ChangeSet:
        """What `redo` would do, with contents, after the same checks."""
        return self._plan(self._store.load(self._to_redo(operation_id)))

    # -- the pipeline -------------------------------------------------------------------------

    def _approve(self, change_set: ChangeSet) -> None:
        if self._read_only:
            raise ReadOnlyMode(
                "The server was started read-only",
                hint="restart it without --read-only to change files",
            )
        roots = self._workspace.roots
        for path in change_set.paths:
            if path.root < len(roots) and not roots[path.root].writable:
                raise ReadOnlyRoot(show_name(self._workspace.absolute(path)))

    def _carry_out(
        self, change_set: ChangeSet, origin: Origin, kind: str, reverts: str | None
    ) -> Operation:
        operation = self._begin(change_set, origin, kind, reverts).swap().finish()
        self._commits += 1
        if self._commits % _PRUNE_EVERY == 1:
            days, size = self._limits
            self._store.prune(days=days, size=size)
        return operation

    def _begin(
        self, change_set: ChangeSet, origin: Origin, kind: str, reverts: str | None
    ) -> Transaction:
        """Begin a transaction; ask the person, outside of every lock, for guarded paths."""
        try:
            return self._store.begin(change_set, origin, kind, reverts)
        except GuardedWrite as refused:
            if origin.consent is None:
                raise
            if not origin.consent(refused, change_set):
                raise PermissionDenied(
                    f"The person did not allow this change: {', '.join(refused.paths[:5])}",
                    hint="leave these files to the person, or do it another way",
                    details={"permission": refused.permission, "paths": list(refused.paths)},
                ) from None
            consented = frozenset(refused.guarded)
            summary = f"{refused.permission}: {', '.join(refused.paths[:5])}"
        # Written down first: a permission that is not in the journal is not given.
        self.note_grant(replace(origin, summary=summary))
        return self._store.begin(change_set, origin, kind, reverts, consented)

    # -- undo and redo ------------------------------------------------------------------------

    def _to_undo(self, operation_id: str | None) -> str:
        """The operation whose inverse undoes; naming an undo means: redo what it took back."""
        if operation_id is None:
            latest = self._store.latest(undone=False)
            if latest is None:
                raise NothingToUndo("There is nothing to undo")
            return latest
        chain = self._store.chain(operation_id)
        if chain.kind == "grant":
            raise NothingToUndo(
                f"This is a permission that was given, not a change: {operation_id}"
            )
        if chain.kind == "undo":
            return self._to_redo(operation_id)
        if chain.is_undone:
            raise AlreadyUndone(
                f"This change was undone before: {operation_id}",
                hint="redo it first, or undo another change",
            )
        return chain.last

    def _to_redo(self, operation_id: str | None) -> str:
        if operation_id is None:
            latest = self._store.latest(undone=True)
            if latest is None:
                raise NothingToUndo("There is nothing to redo")
            return latest
        chain = self._store.chain(operation_id)
        if not chain.is_undone:
            raise AlreadyUndone(
                f"This change is not undone: {operation_id}",
                hint="only a change that was undone can be redone",
            )
        return chain.last

    def _revert(self, operation_id: str, origin: Origin) -> Operation:
        operation = self._store.load(operation_id)
        plan = self._plan(operation)
        kind = "redo" if operation.kind == "undo" else "undo"
        reverts = operation.id if kind == "redo" else self._store.chain(operation_id).root
        try:
            return self._carry_out(plan, origin, kind, reverts)
        except (StaleBase, PathError):
            self._obstacles.check(plan)  # something came in between: say what, as a diff
            raise

    def _plan(self, operation: Operation) -> ChangeSet:
        plan = ChangeSet(tuple(_relax_mode(step) for step in operation.change_set.inverse().steps))
        self._approve(plan)
        self._refuse_special_only(plan)
        self._obstacles.check(plan)
        return plan

    def _refuse_special_only(self, plan: ChangeSet) -> None:
        """Refuse a plan that would only bring back what no program can make again."""
        lost = [
            s for s in plan.steps if isinstance(s, Change) and isinstance(s.after, SpecialState)
        ]
        if lost and len(lost) == len(plan.steps):
            shown = [show_name(self._workspace.absolute(step.path)) for step in lost]
            raise NothingToUndo(
                f"A FIFO, socket or device cannot be brought back: {', '.join(shown)}",
                hint="undo another change by its id",
            )


def _relax_mode(step: Change | Rename) -> Change | Rename:
    """A step that did not change a mode does not insist on one when it is taken back."""
    if isinstance(step, Rename):
        return step
    before, after = step.before, step.after
    if isinstance(before, FileState) and isinstance(after, FileState) and before.mode == after.mode:
        return Change(step.path, _modeless(before), _modeless(after))
    return Change(step.path, before, after)


def _modeless(state: FileState) -> FileState:
    return FileState(state.digest, state.size, None, state.content)
