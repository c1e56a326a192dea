"""redline://changes and redline://changes/{id}: the history as text that clients can show."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.ports.history import HistoryQuery, Operation
from redline.services.history.listing import load_with_diff
from redline.services.history.references import find_operation
from redline.services.names import iso_time
from redline.toolsets.call import Call, ListedResource, Result
from redline.toolsets.history.rows import line_of

CHANGES = "redline://changes"
MAX_LISTED = 50
_MAX_COMPLETIONS = 101
_MAX_DIFF = 65536


def read_changes(call: Call) -> Result:
    """Return the recent changes, newest first, one line each."""
    return Result.of_text(format_changes(call, _recent(call, MAX_LISTED)))


def read_change(call: Call) -> Result:
    """Return one change with its diff."""
    return Result.of_text(format_change(call, call.arguments["id"]))


def list_recent(call: Call) -> Sequence[ListedResource]:
    """Return the addresses of the recent changes."""
    label = call.label
    return [
        ListedResource(
            address_of(operation),
            name=operation.id,
            title=f"{operation.origin.tool}, {iso_time(operation.time)}",
            description=line_of(operation, label),
        )
        for operation in _recent(call, MAX_LISTED)
    ]


def complete_id(call: Call) -> Sequence[str]:
    """Return the ids of recent changes that begin with the text so far."""
    return [
        operation.id
        for operation in _recent(call, 20 * _MAX_COMPLETIONS)
        if operation.id.startswith(call.arguments["id"])
    ][:_MAX_COMPLETIONS]


def address_of(operation: Operation) -> str:
    """Return the address of a change."""
    return f"{CHANGES}/{operation.id}"


def format_changes(call: Call, operations: Sequence[Operation]) -> str:
    """Return operations as lines."""
    label = call.label
    return "\n".join(line_of(operation, label) for operation in operations) or "(no changes)"


def format_change(call: Call, wanted: str) -> str:
    """Return a change as a line and its diff."""
    history, label = call.runtime.history, call.label
    operation, diff = load_with_diff(
        call.runtime, find_operation(history, wanted), label, _MAX_DIFF
    )
    cut = "\n[diff cut]" if diff.is_cut else ""
    return f"{line_of(operation, label)}\n\n{diff.text}{cut}"


def _recent(call: Call, limit: int) -> Sequence[Operation]:
    return call.runtime.history.list(HistoryQuery(limit=limit, steps=3))
