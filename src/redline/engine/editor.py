"""The only way to change the workspace: approve, begin, swap, finish; undo and redo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from redline.core import errors
from redline.core.changes import Change, ChangeSet, SpecialState
from redline.core.guarded import GuardedPath
from redline.core.paths import show_name
from redline.core.ports import history
from redline.core.ports.review import ChangeHolder, HeldChange, Wanted
from redline.core.ports.store import Store, Transaction
from redline.core.ports.tree import PathResolver, Tree
from redline.core.records import replace
from redline.engine.approval import Approval

if TYPE_CHECKING:
    from redline.engine.reverting.planner import RevertPlan
    from redline.engine.reverting.selection import Selected

_PRUNE_EVERY = 64
_MAX_ATTEMPTS = 20


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
        holding: ChangeHolder | None = None,
    ) -> None:
        self._workspace = workspace
        self._store = store
        self._tree = tree
        self._approval = Approval(workspace, tree, store, read_only=read_only)
        self._approve = self._approval.refuse_read_only
        self._limits = history_days, history_size
        self._commits = 0
        self._holding = holding

    def commit(self, change_set: ChangeSet, origin: history.Origin) -> history.Operation:
        """Make *change_set* real, all of it or nothing."""
        self._approve(change_set)
        self._approval.refuse_unwritable(change_set, origin)
        if change_set.is_empty:
            return history.Operation("", 0.0, origin, change_set)
        return self._carry_out(change_set, origin, "change", None)

    def commit_approved(self, held: HeldChange, by: str) -> history.Operation:
        """Carry out a held change that a person approved."""
        self._approve(held.change_set)
        summary = f"{held.origin.summary} (approved by {by})".strip()
        origin = replace(held.origin, summary=summary, consent=lambda *_: True)
        wanted = Wanted(held.change_set, origin, held.kind, held.reverts)
        return self._finish(self._begin(wanted, history.ChangePermits(is_approved=True)))

    def commit_judged(
        self, change_set: ChangeSet, origin: history.Origin, consented: Iterable[GuardedPath]
    ) -> history.Operation:
        """Carry out what the policy allows of a command's changes, all of it or nothing."""
        if change_set.is_empty:
            return history.Operation("", 0.0, origin, change_set)
        wanted = Wanted(change_set, replace(origin, consent=None), "change", None)
        permits = history.ChangePermits(frozenset(consented), is_approved=True)
        return self._finish(self._begin(wanted, permits))

    def record(
        self,
        change_set: ChangeSet,
        origin: history.Origin,
        *,
        before: str | None = None,
        since: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> history.Operation:
        """Journal changes that already happened."""
        if change_set.is_empty:
            return history.Operation("", 0.0, origin, change_set)
        return self._store.record(change_set, origin, before=before, since=since, notes=notes)

    def note_grant(self, origin: history.Origin) -> history.Operation:
        """Journal that a person gave a permission."""
        return self._store.record(ChangeSet(), origin, "grant")

    def note_checkpoint(self, origin: history.Origin) -> history.Operation:
        """Journal a point to go back to."""
        self._approve(ChangeSet())
        return self._store.record(ChangeSet(), origin, "checkpoint")

    def note_prompt(self, origin: history.Origin) -> history.Operation:
        """Journal what a person asked an agent."""
        return self._store.record(ChangeSet(), origin, history.PROMPT)

    def note_git(self, origin: history.Origin) -> history.Operation:
        """Journal what git did."""
        return self._store.record(ChangeSet(), origin, history.GIT)

    def undo(self, operation_id: str | None, origin: history.Origin) -> history.Operation:
        """Take an operation back; None means the latest that is not undone."""
        return self.revert(_one(history.Direction.UNDO, operation_id), origin)

    def redo(self, operation_id: str | None, origin: history.Origin) -> history.Operation:
        """Take an undo back; None means the latest undo."""
        return self.revert(_one(history.Direction.REDO, operation_id), origin)

    def revert(self, request: history.Revert, origin: history.Origin) -> history.Operation:
        """Take operations back as one operation, keeping what changed since around them."""
        for _ in range(_MAX_ATTEMPTS - 1):
            try:
                return self._revert(request, origin)
            except (errors.StaleBase, errors.PathError):
                continue  # another writer was faster: plan again on its result
        return self._revert(request, origin)

    def plan_revert(self, request: history.Revert) -> history.Operation:
        """Return what `revert` would do, with contents, after the same checks."""
        wanted, plan = self._plan(request)
        change_set = self._store.fill(plan.change_set)
        planned = history.Operation(
            "", 0.0, history.Origin(""), change_set, wanted.kind, wanted.reverts
        )
        return replace(planned, merged=bool(plan.merged), notes=plan.notes)

    # -- the pipeline -------------------------------------------------------------------------

    def _carry_out(
        self, change_set: ChangeSet, origin: history.Origin, kind: str, reverts: str | None
    ) -> history.Operation:
        wanted = Wanted(change_set, origin, kind, reverts)
        try:
            return self._finish(self._begin(wanted, history.ChangePermits()))
        except errors.RuleAsks as asks:
            if self._holding is None:
                raise
            return self._holding.settle(wanted, asks, self._approve_held)

    def _approve_held(self, held: HeldChange, by: str) -> history.Operation:
        # Written down first: an approval that is not in the journal is not given.
        self.note_grant(history.Origin("held", held.origin.client, by, f"approved {held.id}"))
        return self.commit_approved(held, by)

    def _finish(self, transaction: Transaction) -> history.Operation:
        operation = transaction.swap().finish()
        self._commits += 1
        if self._commits % _PRUNE_EVERY == 1:
            days, size = self._limits
            self._store.prune(days=days, size=size)
        return operation

    def _begin(self, wanted: Wanted, permits: history.ChangePermits) -> Transaction:
        """Begin a transaction; ask the person, outside of every lock, for guarded paths."""
        origin = wanted.origin
        try:
            return self._store.begin(*wanted, permits)
        except errors.GuardedWrite as refused:
            if origin.consent is None:
                raise
            if not origin.consent(refused, wanted.change_set):
                raise errors.PermissionDenied(
                    f"The person did not allow this change: {', '.join(refused.paths[:5])}",
                    hint="leave these files to the person, or do it another way",
                    details={"permission": refused.permission, "paths": list(refused.paths)},
                ) from None
            consented = frozenset(refused.guarded)
            summary = f"{refused.permission}: {', '.join(refused.paths[:5])}"
        # Written down first: a permission that is not in the journal is not given.
        self.note_grant(replace(origin, summary=summary))
        return self._store.begin(*wanted, permits._replace(consented=consented))

    # -- undo and redo ------------------------------------------------------------------------

    def _revert(self, request: history.Revert, origin: history.Origin) -> history.Operation:
        wanted, plan = self._plan(request)
        if not plan.change_set.steps:
            # Another process has reverted it already: only the journal is updated.
            done = self._store.record(ChangeSet(), origin, wanted.kind, wanted.reverts)
        else:
            done = self._carry_out(plan.change_set, origin, wanted.kind, wanted.reverts)
        return replace(done, merged=bool(plan.merged), notes=(*done.notes, *plan.notes))

    def _plan(self, request: history.Revert) -> tuple[Selected, RevertPlan]:
        # Imported here: most processes only make changes.
        from redline.engine.reverting.planner import RevertPlanner
        from redline.engine.reverting.selection import select

        wanted = select(self._store, request)
        plan = RevertPlanner(self._workspace, self._tree, self._store).plan(wanted.steps)
        self._approve(plan.change_set)
        self._refuse_special_only(plan.change_set)
        return wanted, plan

    def _refuse_special_only(self, plan: ChangeSet) -> None:
        """Refuse a plan that would only bring back what no program can make again."""
        lost = [
            s for s in plan.steps if isinstance(s, Change) and isinstance(s.after, SpecialState)
        ]
        if lost and len(lost) == len(plan.steps):
            shown = [show_name(self._workspace.absolute(step.path)) for step in lost]
            raise errors.NothingToUndo(
                f"A FIFO, socket or device cannot be brought back: {', '.join(shown)}",
                hint="undo another change by its id",
            )


def _one(direction: history.Direction, operation_id: str | None) -> history.Revert:
    return history.Revert(direction, () if operation_id is None else (operation_id,))
