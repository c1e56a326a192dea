"""list_changes, show_change, undo_change, redo_change."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from redline.core.changes import ChangeSet
from redline.core.errors import InvalidArgument
from redline.core.ports.history import HistoryQuery, Operation
from redline.plan.describe import Label, list_touched
from redline.services.history import (
    Direction,
    bounded_diff,
    latest_id,
    list_page,
    load_with_diff,
    plan_revert,
    revert,
)
from redline.services.names import display_name
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json

_MAX_DIFF = 65536
_MAX_FILES_LISTED = 20
_MAX_FILES_SHOWN = 500


def list_changes(call: Call) -> Result:
    """Committed operations, newest first, one page."""
    arguments = call.arguments
    query = HistoryQuery(
        path=arguments.get("path"),
        tool=arguments.get("tool"),
        since=_time(arguments, "since"),
        until=_time(arguments, "until"),
        before_id=arguments.get("cursor"),
        limit=int(arguments.get("limit", 20)),
        steps=_MAX_FILES_LISTED,
    )
    page, label = list_page(call.runtime.history, query), _label(call)
    lines = [_line(operation, label) for operation in page.operations] or ["(no changes)"]
    if page.next_before:
        lines.append(f"[more: pass cursor {page.next_before}]")
    rows = [_row(operation, label, _MAX_FILES_LISTED) for operation in page.operations]
    return Result.of_text("\n".join(lines), {"changes": rows, "next_cursor": page.next_before})


def show_change(call: Call) -> Result:
    """One operation with its diff."""
    history, wanted = call.runtime.history, call.arguments.get("id")
    if wanted is None:
        wanted = latest_id(history)
    label, limit = _label(call), int(call.arguments.get("max_bytes", _MAX_DIFF))
    operation, diff = load_with_diff(history, str(wanted), label, limit)
    structured = {
        **_row(operation, label, _MAX_FILES_SHOWN),
        "diff": diff.text,
        "truncated": diff.is_cut,
        "notes": list(operation.notes),
    }
    text = f"{_line(operation, label)}\n\n{diff.text}"
    return Result.of_text(
        text + ("\n[diff cut: raise max_bytes]" if diff.is_cut else ""), structured
    )


def undo_change(call: Call) -> Result:
    """Take an operation back, or show what that would do."""
    return _revert(call, Direction.UNDO, "Undid")


def redo_change(call: Call) -> Result:
    """Take an undo back, or show what that would do."""
    return _revert(call, Direction.REDO, "Redid")


def _revert(call: Call, direction: Direction, verb: str) -> Result:
    editor, wanted = call.runtime.editor, call.arguments.get("id")
    if call.arguments.get("dry_run"):
        return _preview(call, plan_revert(editor, direction, wanted), wanted, direction)
    origin = call.origin(f"{direction} {wanted or 'latest'}")
    return _answer(call, revert(editor, direction, wanted, origin), verb)


def _preview(call: Call, change_set: ChangeSet, wanted: str | None, direction: Direction) -> Result:
    label = _label(call)
    diff = bounded_diff(change_set, label, _MAX_DIFF).text
    structured = {
        "id": None,
        "reverts": wanted or "latest",
        "dry_run": True,
        **_files(change_set, label, _MAX_FILES_SHOWN, len(change_set.steps)),
        "diff": diff,
    }
    return Result.of_text(f"{direction} would change:\n{diff}", structured)


def _answer(call: Call, operation: Operation, verb: str) -> Result:
    label = _label(call)
    files = list_touched(operation.change_set, label, _MAX_FILES_LISTED)
    names = ", ".join(place.path for place in files)
    rest = operation.step_count - len(files)
    more = f" and {rest} more" if rest else ""
    structured = {
        "id": operation.id,
        "reverts": operation.reverts or "",
        "dry_run": False,
        **_files(operation.change_set, label, _MAX_FILES_SHOWN, operation.step_count),
    }
    fact = f"{verb} {operation.reverts} ({names}{more}); this is change {operation.id}"
    notes = [f"note: {note}" for note in operation.notes]
    return Result.of_text("\n".join([fact, *notes]), structured)


def _label(call: Call) -> Label:
    return partial(display_name, call.runtime.workspace)


def _files(change_set: ChangeSet, label: Label, most: int, total: int) -> Json:
    files = [place.wire() for place in list_touched(change_set, label, most)]
    return {"files": files} if len(files) == total else {"files": files, "files_total": total}


def _row(operation: Operation, label: Label, most: int) -> Json:
    return {
        "id": operation.id,
        "time": _iso(operation.time),
        "tool": operation.origin.tool,
        "client": operation.origin.client,
        "kind": operation.kind,
        "summary": operation.origin.summary,
        "undone": operation.reverted_by is not None,
        "reverts": operation.reverts,
        "reverted_by": operation.reverted_by,
        **_files(operation.change_set, label, most, operation.step_count),
    }


def _line(operation: Operation, label: Label) -> str:
    places = list_touched(operation.change_set, label, 3)
    names = ", ".join(f"{place.action} {place.path}" for place in places)
    more = f" +{operation.step_count - 3}" if operation.step_count > 3 else ""
    state = " (undone)" if operation.reverted_by else ""
    return f"{operation.id}  {_iso(operation.time)}  {operation.origin.tool}  {names}{more}{state}"


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _time(arguments: Json, field: str) -> float | None:
    text = arguments.get(field)
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        raise InvalidArgument(
            f"Not an ISO 8601 time: {text}", field=field, hint="for example 2026-11-15T09:00:00Z"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()
