"""Pages of operations, and one operation as a diff."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from redline.core.changes import ChangeSet
from redline.core.diff import visible_diff
from redline.core.encodings.opening import configured_in
from redline.core.errors import NothingToUndo
from redline.core.late_regex import late_regex
from redline.core.ports.history import History, HistoryQuery, Operation
from redline.core.text_limits import shorten
from redline.plan.describe import EncodingOf, Label, name_first, pieces_of
from redline.services.runtime import Runtime

# How many steps of an operation are read at first when its diff is shown.
FIRST_STEPS = 500
_MAX_NAMED = 6
_MAX_LISTED = 3
# Seconds after which a diff is cut.
_PATIENCE = 2.0
# Lines of the files themselves begin with a space, a plus or a minus.
_MAX_SUMMARY = 100
_HUNK = late_regex(r"^@@ -[0-9,]+ \+[0-9,]+ @@", re.MULTILINE)


class Page(NamedTuple):
    """Operations, newest first; `next_before` continues after them, None at the end."""

    operations: Sequence[Operation]
    next_before: str | None


class BoundedDiff(NamedTuple):
    """A diff with hidden characters escaped, and whether it was cut."""

    text: str
    is_cut: bool


def describe_briefly(operation: Operation, label: Label) -> str:
    """Return the first files that an operation touches, and whether it was undone."""
    if not operation.step_count:
        names = describe_without_files(operation)
    else:
        places, rest = name_first(operation.change_set, label, _MAX_LISTED)
        rest += operation.left_out
        names = ", ".join(f"{place.action} {place.path}" for place in places)
        names += f" +{rest}" if rest else ""
        names += f" ({operation.git})" if operation.git else ""
    return f"{names}{' (undone)' if operation.reverted_by else ''}"


def list_page(history: History, query: HistoryQuery) -> Page:
    """Return one page of *query*; its limit is the length of the page."""
    found = list(history.list(query._replace(limit=query.limit + 1)))
    page = found[: query.limit]
    return Page(page, page[-1].id if len(found) > query.limit else None)


def name_reverted(reverts: str) -> str:
    """Return in words what an operation takes back; see `Operation.reverts`."""
    names = [
        f"a part of {token[:-1]}" if token.endswith("~") else token.removeprefix("+")
        for token in reverts.split(",")
    ]
    return ", ".join(names) if len(names) < _MAX_NAMED else f"{len(names)} changes"


def describe_without_files(operation: Operation) -> str:
    """Return in words what an operation is that touches no file."""
    summary = shorten(operation.origin.summary, _MAX_SUMMARY)
    if operation.kind == "checkpoint":
        return f"checkpoint {summary}"
    if operation.kind == "grant":
        return f"permission given: {summary}"
    if operation.reverts:
        return f"nothing was left to {operation.kind} of {name_reverted(operation.reverts)}"
    return summary


def latest_id(history: History) -> str:
    """Return the id of the newest operation; NothingToUndo if there is none."""
    latest = history.list(HistoryQuery(limit=1, steps=0))
    if not latest:
        raise NothingToUndo("No change has been made yet")
    return latest[0].id


def load_with_diff(
    runtime: Runtime, operation_id: str, label: Label, max_bytes: int
) -> tuple[Operation, BoundedDiff]:
    """Return an operation and its diff; a huge one is read only as far as the diff shows it."""
    steps = FIRST_STEPS
    while True:
        operation = runtime.history.get(operation_id, steps)
        found = bounded_diff(operation.change_set, label, max_bytes, configured_in(runtime.tree))
        diff = number_hunks(found)
        if diff.is_cut or not operation.left_out:
            return operation, diff
        steps *= 4


def number_hunks(diff: BoundedDiff) -> BoundedDiff:
    """Number the hunks of a diff, if it has several, as `undo` takes them."""
    if len(_HUNK.findall(diff.text)) < 2 and not diff.is_cut:
        return diff
    numbers = count(1)
    return diff._replace(
        text=_HUNK.sub(lambda found: f"{found[0]} hunk {next(numbers)}", diff.text)
    )


def bounded_diff(
    change_set: ChangeSet,
    label: Label,
    max_bytes: int,
    configured: EncodingOf | None = None,
    started: float | None = None,
) -> BoundedDiff:
    """Return the diff, cut at a line; files after the cut are not even compared.

    It is cut by its size, and where files are left when the time for it is up, which counts from
    *started* on.
    """
    kept: list[str] = []
    size, is_late = 0, False
    deadline = (time.monotonic() if started is None else started) + _PATIENCE
    for step in change_set.steps:
        is_late = time.monotonic() > deadline
        if is_late or size > max_bytes:
            break
        for piece in pieces_of(ChangeSet((step,)), label, configured, fold=True):
            kept.append(piece)
            size += len(piece)
            if size > max_bytes:
                break
    diff, hidden = visible_diff("".join(kept))
    if hidden:
        noun = "hidden character is" if hidden == 1 else "hidden characters are"
        diff = f"warning: {hidden} {noun} shown escaped\n{diff}"
    raw = diff.encode("utf-8", "replace")
    if len(raw) <= max_bytes:
        return BoundedDiff(diff, is_cut=is_late)
    head = raw[:max_bytes].decode("utf-8", "ignore")
    return BoundedDiff(head[: head.rfind("\n") + 1] or head, is_cut=True)
