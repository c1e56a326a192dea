"""Plan a change and commit it although others change the same files at the same time.

A dry run plans alone; `foresee` says what would keep its plan from being committed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redline.core.changes import ChangeSet
from redline.core.errors import (
    AlreadyExists,
    GuardedWrite,
    NotFound,
    NotWritable,
    PathDenied,
    Refused,
    StaleBase,
)
from redline.core.ports.history import ChangeApproval, ChangeEditor, Operation, Origin

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel

# Each of several parallel calls may have to plan again after every other one.
MAX_ATTEMPTS = 100
# What a commit raises when a file is no longer what the plan started from.
_OVERTAKEN = (StaleBase, AlreadyExists, NotFound)


def commit_plan(
    editor: ChangeEditor,
    plan: Callable[[], ChangeSet],
    origin: Origin,
    cancel: Cancel,
    *,
    planned: ChangeSet | None = None,
) -> Operation:
    """Commit what *plan* returns; when another writer was faster, plan again on its result.

    An error of *plan* itself is final: the edit does not fit what the files hold now. *planned* is
    a plan that was made just before; it is tried first.
    """
    change_set = plan() if planned is None else planned
    for _ in range(MAX_ATTEMPTS - 1):
        try:
            return editor.commit(change_set, origin)
        except _OVERTAKEN:
            cancel.check()
        change_set = plan()
    return editor.commit(change_set, origin)


def foresee(
    approval: ChangeApproval, change_set: ChangeSet, origin: Origin, *, has_consent: bool = False
) -> list[str]:
    """Return a line on what would keep *change_set* from being made as a dry run shows it, if any.

    A rule, a permission that only a person gives, a read-only directory or file. With
    *has_consent* the person allowed guarded files beforehand.
    """
    try:
        approval.check(change_set, origin)
    except (Refused, PathDenied, NotWritable) as refusal:
        if has_consent and isinstance(refusal, GuardedWrite):
            return []
        return [f"made for real: {refusal.message[:1].lower()}{refusal.message[1:]}"]
    return []
