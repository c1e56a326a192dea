"""Plan a change and commit it although others change the same files at the same time.

A dry run plans alone; `foresee` says what would keep its plan from being committed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from redline.core import errors
from redline.core.changes import ChangeSet
from redline.core.ports.history import ChangeApproval, ChangeEditor, Operation, Origin

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel

# Each of several parallel calls may have to plan again after every other one.
MAX_ATTEMPTS = 100
# What a commit raises when a file is no longer what the plan started from.
_OVERTAKEN = (errors.StaleBase, errors.AlreadyExists, errors.NotFound)


T = TypeVar("T")


class Planned(NamedTuple, Generic[T]):
    """A planned change, what to tell the caller about it, and what the planner found besides."""

    change_set: ChangeSet
    detail: T
    notes: tuple[str, ...] = ()


class Committed(NamedTuple, Generic[T]):
    """An operation, and the plan that it made real: the last one, where there were several."""

    operation: Operation
    plan: Planned[T]

    @property
    def detail(self) -> T:
        """What the planner found besides the change."""
        return self.plan.detail

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell the caller about the plan and about the commit."""
        return (*self.plan.notes, *self.operation.notes)


def commit_plan(
    editor: ChangeEditor,
    plan: Callable[[], Planned[T]],
    origin: Origin,
    cancel: Cancel,
    *,
    planned: Planned[T] | None = None,
) -> Committed[T]:
    """Commit what *plan* returns; when another writer was faster, plan again on its result.

    An error of *plan* itself is final: the edit does not fit what the files hold now. *planned* is
    a plan that was made just before; it is tried first.
    """
    latest = plan() if planned is None else planned
    for _ in range(MAX_ATTEMPTS - 1):
        try:
            return Committed(editor.commit(latest.change_set, origin), latest)
        except _OVERTAKEN:
            cancel.check()
        latest = plan()
    return Committed(editor.commit(latest.change_set, origin), latest)


def foresee(
    approval: ChangeApproval, change_set: ChangeSet, origin: Origin, *, has_consent: bool = False
) -> list[str]:
    """Return a line on what would keep *change_set* from being made as a dry run shows it, if any.

    A rule, a permission that only a person gives, a read-only directory or file. With
    *has_consent* the person allowed guarded files beforehand.
    """
    try:
        approval.check(change_set, origin)
    except (errors.Refused, errors.PathDenied, errors.NotWritable) as refusal:
        if has_consent and isinstance(refusal, errors.GuardedWrite):
            return []
        return [f"made for real: {refusal.message[:1].lower()}{refusal.message[1:]}"]
    return []
