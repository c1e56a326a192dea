"""Committing a plan although others change the same places at the same time."""

from __future__ import annotations

from collections.abc import Callable

from redline.core.changes import ChangeSet
from redline.core.errors import AlreadyExists, NotFound, StaleBase
from redline.dialects.tool import Call

# Parallel calls each plan again after the others; this many in a row is plenty.
_ATTEMPTS = 100
# What a commit says when a place is no longer as it was planned from.
_OVERTAKEN = (StaleBase, AlreadyExists, NotFound)


def commit(call: Call, plan: Callable[[], ChangeSet], summary: str) -> ChangeSet:
    """Commit what *plan* says; when somebody else was faster, plan again on what is there now."""
    for _ in range(_ATTEMPTS - 1):
        change_set = plan()
        try:
            call.runtime.editor.commit(change_set, call.origin(summary))
        except _OVERTAKEN:
            call.cancel.check()
            continue
        return change_set
    change_set = plan()
    call.runtime.editor.commit(change_set, call.origin(summary))
    return change_set
