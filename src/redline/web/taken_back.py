"""What was taken back of a change since: by which later changes, and which of its hunks."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.errors import RedlineError
from redline.core.ports.history import Direction, HistoryQuery, Operation
from redline.services.history.revert import Wish, plan_revert
from redline.services.runtime import Runtime
from redline.web.diffs.model import FileDiff

UNDOABLE = ("change", "undo", "redo")
_LATER = 200
# Of changes with more hunks it is not found out which of them are left.
_MAX_PLANNED = 60


def find_later(runtime: Runtime, operation: Operation) -> list[str]:
    """Return the later operations that took a part of this one back."""
    if operation.kind not in UNDOABLE:
        return []
    query = HistoryQuery(since=operation.time, limit=_LATER, steps=0)
    wanted = f"{operation.id}~"
    return [
        each.id
        for each in runtime.history.list(query)
        if each.reverts and wanted in each.reverts.split(",") and not each.reverted_by
    ]


def find_gone(runtime: Runtime, operation: Operation, files: Sequence[FileDiff]) -> frozenset[int]:
    """Return the hunks of which nothing is left to take back."""
    numbers = [hunk.number for file in files for hunk in file.hunks if hunk.number]
    if operation.reverted_by or len(numbers) > _MAX_PLANNED:
        return frozenset()
    found = set()
    for number in numbers:
        try:
            wish = Wish(Direction.UNDO, id=operation.id, hunks=(number,))
            if plan_revert(runtime, wish).change_set.is_empty:
                found.add(number)
        except RedlineError:  # something else is in the way
            continue
    return frozenset(found)
