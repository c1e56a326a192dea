"""Committing a plan although others change the same places at the same time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from redline.core.changes import ChangeSet
from redline.core.errors import AlreadyExists, NotFound, StaleBase
from redline.toolsets.tool import Call

# Parallel calls each plan again after the others; this many in a row is plenty.
_ATTEMPTS = 100
# What a commit says when a place is no longer as it was planned from.
_OVERTAKEN = (StaleBase, AlreadyExists, NotFound)


class Made(NamedTuple):
    """What was committed, and what the answer has to say about it."""

    change_set: ChangeSet
    notes: tuple[str, ...]

    def add_notes(self, text: str) -> str:
        """*text* with a line for each note."""
        return "\n".join((text, *(f"note: {note}" for note in self.notes)))


def commit(call: Call, plan: Callable[[], ChangeSet], summary: str) -> Made:
    """Commit what *plan* says; when somebody else was faster, plan again on what is there now."""
    for _ in range(_ATTEMPTS - 1):
        change_set = plan()
        try:
            operation = call.runtime.editor.commit(change_set, call.origin(summary))
        except _OVERTAKEN:
            call.cancel.check()
            continue
        return Made(change_set, operation.notes)
    change_set = plan()
    operation = call.runtime.editor.commit(change_set, call.origin(summary))
    return Made(change_set, operation.notes)
