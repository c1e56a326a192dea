"""list_changes, show_change, undo_change, redo_change."""

from __future__ import annotations

from datetime import UTC, datetime

from redline.core.changes import ChangeSet
from redline.core.diff import visible
from redline.core.errors import InvalidArgument, NothingToUndo
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import HistoryQuery, Operation
from redline.plan.describe import Label, pieces_of, touched
from redline.toolsets.tool import Call, Json, Result

_DIFF_CAP = 65536
_FILES_LISTED = 20
_FILES_SHOWN = 500


def list_changes(call: Call) -> Result:
    """Committed operations, newest first, one page."""
    arguments = call.arguments
    limit = int(arguments.get("limit", 20))
    query = HistoryQuery(
        path=arguments.get("path"),
        tool=arguments.get("tool"),
        since=_time(arguments, "since"),
        until=_time(arguments, "until"),
        before_id=arguments.get("cursor"),
        limit=limit + 1,
        steps=_FILES_LISTED,
    )
    found = list(call.runtime.history.list(query))
    page, label = found[:limit], _label(call)
    cursor = page[-1].id if len(found) > limit else None
    lines = [_line(operation, label) for operation in page] or ["(no changes)"]
    if cursor:
        lines.append(f"[more: pass cursor {cursor}]")
    rows = [_row(operation, label, _FILES_LISTED) for operation in page]
    return Result.of_text("\n".join(lines), {"changes": rows, "next_cursor": cursor})


def show_change(call: Call) -> Result:
    """One operation with its diff."""
    wanted = call.arguments.get("id")
    if wanted is None:
        latest = call.runtime.history.list(HistoryQuery(limit=1, steps=0))
        if not latest:
            raise NothingToUndo("No change has been made yet")
        wanted = latest[0].id
    label, most = _label(call), int(call.arguments.get("max_bytes", _DIFF_CAP))
    cut, steps = False, _FILES_SHOWN
    # A huge change is read only as far as it is shown.
    while not cut:
        operation = call.runtime.history.get(str(wanted), steps)
        diff, cut = _shown(operation.change_set, label, most)
        if not operation.left_out:
            break
        steps *= 4
    structured = {
        **_row(operation, label, _FILES_SHOWN),
        "diff": diff,
        "truncated": cut,
        "notes": list(operation.notes),
    }
    text = f"{_line(operation, label)}\n\n{diff}"
    return Result.of_text(text + ("\n[diff cut: raise max_bytes]" if cut else ""), structured)


def undo_change(call: Call) -> Result:
    """Take an operation back, or show what that would do."""
    editor, wanted = call.runtime.editor, call.arguments.get("id")
    if call.arguments.get("dry_run"):
        return _planned(call, editor.plan_undo(wanted), wanted, "undo")
    return _done(call, editor.undo(wanted, call.origin(f"undo {wanted or 'latest'}")), "Undid")


def redo_change(call: Call) -> Result:
    """Take an undo back, or show what that would do."""
    editor, wanted = call.runtime.editor, call.arguments.get("id")
    if call.arguments.get("dry_run"):
        return _planned(call, editor.plan_redo(wanted), wanted, "redo")
    return _done(call, editor.redo(wanted, call.origin(f"redo {wanted or 'latest'}")), "Redid")


def _planned(call: Call, change_set: ChangeSet, wanted: str | None, verb: str) -> Result:
    label = _label(call)
    diff, _ = _shown(change_set, label, _DIFF_CAP)
    structured = {
        "id": None,
        "reverts": wanted or "latest",
        "dry_run": True,
        **_files(change_set, label, _FILES_SHOWN, len(change_set.steps)),
        "diff": diff,
    }
    return Result.of_text(f"{verb} would change:\n{diff}", structured)


def _done(call: Call, operation: Operation, verb: str) -> Result:
    label = _label(call)
    files = touched(operation.change_set, label, _FILES_LISTED)
    names = ", ".join(place.path for place in files)
    rest = operation.step_count - len(files)
    more = f" and {rest} more" if rest else ""
    structured = {
        "id": operation.id,
        "reverts": operation.reverts or "",
        "dry_run": False,
        **_files(operation.change_set, label, _FILES_SHOWN, operation.step_count),
    }
    return Result.of_text(
        f"{verb} {operation.reverts} ({names}{more}); this is change {operation.id}", structured
    )


def _label(call: Call) -> Label:
    workspace = call.runtime.workspace

    def label(path: WorkspacePath) -> str:
        return show_name(path.relative if path.root == 0 else workspace.absolute(path))

    return label


def _shown(change_set: ChangeSet, label: Label, limit: int) -> tuple[str, bool]:
    """The diff and whether it was cut; what would be cut off is not even compared."""
    kept: list[str] = []
    hidden = size = 0
    for piece in pieces_of(change_set, label):
        text, count = visible(piece)
        hidden += count
        kept.append(text)
        size += len(text)
        if size > limit:
            break
    diff = "".join(kept)
    if hidden:
        diff = f"warning: {hidden} hidden characters are shown escaped\n{diff}"
    return _cut(diff, limit)


def _cut(text: str, limit: int) -> tuple[str, bool]:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit:
        return text, False
    head = raw[:limit].decode("utf-8", "ignore")
    return head[: head.rfind("\n") + 1] or head, True


def _files(change_set: ChangeSet, label: Label, most: int, total: int) -> Json:
    files = [place.wire() for place in touched(change_set, label, most)]
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
    places = touched(operation.change_set, label, 3)
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
