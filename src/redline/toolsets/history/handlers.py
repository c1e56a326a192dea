"""list_changes, show_change, undo_change, redo_change, create_checkpoint, review_comments."""

from __future__ import annotations

from redline.core import errors as e
from redline.core.changes import ChangeSet
from redline.core.encodings.opening import configured_in
from redline.core.errors import InvalidArgument
from redline.core.ports.history import Author, Direction, HistoryQuery, Operation
from redline.core.ports.pages import ReviewComment
from redline.core.records import replace
from redline.plan.describe import Label, list_touched
from redline.services.comments import describe_comments, read_comments, resolve_comment
from redline.services.history.listing import (
    bounded_diff,
    latest_id,
    list_page,
    load_with_diff,
    name_reverted,
)
from redline.services.history.references import find_operation, require_time
from redline.services.history.revert import (
    CURRENT,
    Wish,
    check_checkpoint_name,
    plan_revert,
    revert,
)
from redline.services.history.revert import create_checkpoint as note_checkpoint
from redline.services.names import iso_time
from redline.toolsets.call import Call, FailedCall, Result, session_of
from redline.toolsets.change_records import line_of, list_meta, view_meta
from redline.toolsets.tool import Json

_MAX_DIFF = 65536


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
        steps=MAX_FILES_LISTED,
        by=_author(call),
    )
    page, label = list_page(call.runtime.history, query), call.label
    lines = [line_of(operation, label) for operation in page.operations] or ["(no changes)"]
    if page.next_before:
        lines.append(f"[more: pass cursor {page.next_before}]")
    rows = [wire_operation(operation, label, MAX_FILES_LISTED) for operation in page.operations]
    answer = Result.of_text("\n".join(lines), {"changes": rows, "next_cursor": page.next_before})
    older = {"cursor": page.next_before} if page.next_before else None
    return replace(answer, meta=list_meta(call, page.operations, show="show_change", older=older))


def show_change(call: Call) -> Result:
    """Return one operation with its diff."""
    history, wanted = call.runtime.history, call.arguments.get("id")
    wanted = latest_id(history) if wanted is None else find_operation(history, str(wanted))
    label, limit = call.label, int(call.arguments.get("max_bytes", _MAX_DIFF))
    operation, diff = load_with_diff(call.runtime, wanted, label, limit)
    structured = {
        **wire_operation(operation, label, MAX_FILES_SHOWN),
        "diff": diff.text,
        "truncated": diff.is_cut,
        "notes": list(operation.notes),
    }
    text = f"{line_of(operation, label)}\n\n{diff.text}"
    text += "\n[diff cut: raise max_bytes]" if diff.is_cut else ""
    meta = view_meta(call, operation.id, show="show_change", undo="undo_change")
    return replace(Result.of_text(text, structured), meta=meta)


def undo_change(call: Call) -> Result:
    """Take changes back, or show what that would do."""
    return _revert(call, Direction.UNDO, "Undid")


def redo_change(call: Call) -> Result:
    """Take an undo back, or show what that would do."""
    return _revert(call, Direction.REDO, "Redid")


def create_checkpoint(call: Call) -> Result:
    """Note a point to go back to, or say that this can be done."""
    name = str(call.arguments["name"])
    if call.arguments.get("dry_run"):
        check_checkpoint_name(name)
        return Result.of_text(f"(dry run) Checkpoint {name} would be made", {"name": name})
    made = note_checkpoint(call.runtime, name, call.origin(name))
    text = f"Checkpoint {name} is {made.id}; undo_change with to takes back what follows"
    return Result.of_text(text, {"id": made.id, "name": name})


def review_comments(call: Call) -> Result:
    """List what a person says about changes, or resolve a comment."""
    arguments, comments, session = call.arguments, call.runtime.comments, session_of(call.client)
    resolved = arguments.get("resolve")
    if resolved is None and arguments.get("answer") is not None:
        raise InvalidArgument(
            "An answer needs the comment it is for", field="answer", hint="pass its id as resolve"
        )
    if resolved is not None:
        by, answer = call.client.name or "agent", str(arguments.get("answer", ""))
        found = [resolve_comment(comments, str(resolved), by, answer)]
    else:
        found = read_comments(comments, session, everyone=arguments.get("all", False))
    text = describe_comments(found) or "(no open comments)"
    return Result.of_text(text, {"comments": [wire_comment(comment) for comment in found]})


def _revert(call: Call, direction: Direction, verb: str) -> Result:
    arguments = call.arguments
    wish = Wish.read(direction, call.own(), call.only_of, arguments)
    if arguments.get("dry_run"):
        return _answer(call, plan_revert(call.runtime, wish), f"{direction} would change", True)
    return _answer(call, revert(call.runtime, wish, call.origin(wish.summary)), verb, False)


def _answer(call: Call, operation: Operation, verb: str, is_dry: bool) -> Result:
    label = call.label
    shows_diff = is_dry or operation.merged
    diff = ""
    if shows_diff:
        configured = configured_in(call.runtime.tree)
        diff = bounded_diff(operation.change_set, label, _MAX_DIFF, configured).text
    structured = {
        "id": operation.id or None,
        "reverts": operation.reverts or "",
        "dry_run": is_dry,
        "merged": operation.merged,
        **wire_files(operation.change_set, label, MAX_FILES_SHOWN, operation.step_count),
        **({"diff": diff} if shows_diff else {}),
    }
    merged = " (merged: later changes of the same files are kept)" if operation.merged else ""
    if is_dry:
        said = (*operation.notes, *call.foresee(operation.change_set))
        notes = "".join(f"\nnote: {note}" for note in said)
        return Result.of_text(f"{verb}{merged}:\n{diff}{notes}", structured)
    text = f"{verb} {name_reverted(operation.reverts or '')} ({_names(call, operation)})"
    text += f"; this is change {operation.id}{merged}"
    text = "\n".join([text, *(f"note: {note}" for note in operation.notes)])
    return Result.of_text(f"{text}\n\n{diff}" if diff else text, structured)


def _names(call: Call, operation: Operation) -> str:
    files = list_touched(operation.change_set, call.label, MAX_FILES_LISTED)
    rest = operation.step_count - len(files)
    more = f" and {rest} more" if rest else ""
    paths = dict.fromkeys(place.path for place in files)
    return ", ".join(paths) + more or "nothing was left to change"


def _author(call: Call) -> Author | None:
    arguments = call.arguments
    if arguments.get("session") == CURRENT:
        return call.own()
    found = Author(arguments.get("session"), arguments.get("client"), arguments.get("principal"))
    return None if found == Author() else found


def _time(arguments: Json, field: str) -> float | None:
    text = arguments.get(field)
    return None if text is None else require_time(str(text), field)


MAX_FILES_LISTED = 20
MAX_FILES_SHOWN = 500


def wire_files(change_set: ChangeSet, label: Label, most: int, total: int) -> Json:
    """Return the files of a change, and how many there are if some are left out."""
    files = [place.wire() for place in list_touched(change_set, label, most)]
    return {"files": files} if len(files) == total else {"files": files, "files_total": total}


def wire_operation(operation: Operation, label: Label, most: int) -> Json:
    """Return an operation as a JSON object."""
    origin = operation.origin
    return {
        "id": operation.id,
        "time": iso_time(operation.time),
        "tool": origin.tool,
        "client": origin.client,
        "principal": origin.principal,
        "session": origin.session,
        "kind": operation.kind,
        "summary": origin.summary,
        "undone": operation.reverted_by is not None,
        "reverts": operation.reverts,
        "reverted_by": operation.reverted_by,
        **wire_files(operation.change_set, label, most, operation.step_count),
    }


def wire_comment(comment: ReviewComment) -> Json:
    """Return a comment as a JSON object."""
    found: Json = {
        "id": comment.id,
        "change": comment.operation,
        "path": comment.path,
        "side": comment.side,
        "line": comment.line,
        "quote": comment.quote,
        "text": comment.text,
        "resolved": bool(comment.resolved_by),
    }
    return found | ({"answer": comment.answer} if comment.answer else {})


# The first class that fits decides; subclasses precede their parents.
_CODES: tuple[tuple[type[e.RedlineError], str], ...] = (
    (e.InvalidArgument, "INVALID_ARGUMENT"),
    (e.UnknownOperation, "UNKNOWN_CHANGE"),
    (e.NothingToUndo, "NOTHING_TO_UNDO"),
    (e.AlreadyUndone, "ALREADY_UNDONE"),
    (e.UndoBlocked, "UNDO_BLOCKED"),
    (e.StaleBase, "STALE_BASE"),
    (e.Locked, "LOCKED"),
    (e.Conflict, "CONFLICT"),
    (e.HistoryError, "HISTORY_ERROR"),
    (e.ReadOnlyMode, "READ_ONLY"),
    (e.PermissionRequired, "PERMISSION_REQUIRED"),
    (e.Refused, "REFUSED"),
    (e.PathDenied, "PATH_DENIED"),
    (e.NotFound, "NOT_FOUND"),
    (e.PathError, "PATH_ERROR"),
    (e.Cancelled, "CANCELLED"),
    (e.TimeLimit, "TIME_LIMIT"),
    (e.LimitReached, "LIMIT_REACHED"),
    (e.WriteFailed, "WRITE_FAILED"),
    (e.Unavailable, "UNAVAILABLE"),
)


def code_of(error: e.RedlineError) -> str:
    """Return the stable code of *error*."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return "FAILED"


def word(error: e.RedlineError, _call: FailedCall) -> Result:
    """Return an isError result that says what is wrong and how to go on."""
    code = code_of(error)
    details = {key: value for key, value in error.details.items() if key != "diff"}
    structured = {"error": {"code": code, "message": error.message, "details": details}}
    if error.hint:
        structured["error"]["hint"] = error.hint
    text = f"{code}: {error.text}"
    diff = error.details.get("diff")
    if diff:
        structured["error"]["diff"] = diff
        text = f"{text}\n\n{diff}"
    return Result.of_text(text, structured, is_error=True)
