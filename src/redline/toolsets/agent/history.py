"""changes and undo: what was done, and the way back."""

from __future__ import annotations

from redline.core.errors import InvalidArgument
from redline.core.ports.history import Author, Direction, HistoryQuery, Operation
from redline.core.records import replace
from redline.core.text_limits import MAX_SHOWN
from redline.plan.describe import Label, list_touched
from redline.services.comments import describe_comments, read_comments, resolve_comment
from redline.services.history.listing import describe_briefly, latest_id, list_page, load_with_diff
from redline.services.history.references import find_operation, require_time
from redline.services.history.revert import CURRENT, Wish, create_checkpoint, plan_revert, revert
from redline.services.names import iso_time
from redline.toolsets.agent.answer import answer_committed, answer_planned, is_dry, number_of
from redline.toolsets.call import Call, Result, session_of
from redline.toolsets.change_records import list_meta, view_meta
from redline.toolsets.tool import Json

_MAX_FILES = 20
_PAGE = 20
_MAX_STEPS = 500


def changes(call: Call) -> Result:
    """List changes, newest first, or show one as a diff."""
    given = call.arguments
    if given.get("resolve") or given.get("comments"):
        return _comments(call)
    if given.get("id"):
        return _show(call, str(given["id"]))
    session = given.get("session")
    by = call.own() if session == CURRENT else Author(session=session) if session else None
    since = given.get("since")
    query = HistoryQuery(
        path=given.get("path"),
        since=None if since is None else require_time(str(since), "since"),
        before_id=given.get("before"),
        limit=number_of(call, "max", _PAGE, 1, 200),
        steps=_MAX_FILES,
        by=by,
    )
    page, label = list_page(call.runtime.history, query), call.label
    lines = [_line(each, label) for each in page.operations] or ["(no changes)"]
    if page.next_before:
        lines.append(f"[more: before {page.next_before}]")
    rows = [_wire(each, label) for each in page.operations]
    answer = Result.of_text("\n".join(lines), {"changes": rows, "next_before": page.next_before})
    older = {"before": page.next_before} if page.next_before else None
    return replace(answer, meta=list_meta(call, page.operations, show="changes", older=older))


def _comments(call: Call) -> Result:
    """List what a person says about this session's changes, or close a comment."""
    given, comments = call.arguments, call.runtime.comments
    if given.get("resolve"):
        by, answer = call.client.name or "agent", str(given.get("answer", ""))
        found = [resolve_comment(comments, str(given["resolve"]), by, answer)]
    else:
        found = read_comments(comments, session_of(call.client), everyone=False)
    text = describe_comments(found) or "(no open comments)"
    return Result.of_text(text, {"changes": [], "next_before": None})


def _show(call: Call, name: str) -> Result:
    history, label = call.runtime.history, call.label
    wanted = latest_id(history) if name == "latest" else find_operation(history, name)
    operation, diff = load_with_diff(call.runtime, wanted, label, MAX_SHOWN)
    row = _wire(operation, label) | {"diff": diff.text, "diff_truncated": diff.is_cut}
    text = f"{_line(operation, label)}\n{diff.text}"
    if diff.is_cut:
        text += "[diff cut; read the files]"
    answer = Result.of_text(text.rstrip("\n"), {"changes": [row], "next_before": None})
    return replace(answer, meta=view_meta(call, operation.id, show="changes", undo="undo"))


def _wire(operation: Operation, label: Label) -> Json:
    origin = operation.origin
    return {
        "id": operation.id,
        "time": iso_time(operation.time),
        "kind": operation.kind,
        "tool": origin.tool,
        "client": origin.client,
        "session": origin.session,
        "summary": origin.summary,
        "undone": operation.reverted_by is not None,
        "reverts": operation.reverts,
        "files": [p.wire() for p in list_touched(operation.change_set, label, _MAX_FILES)],
    }


def _line(operation: Operation, label: Label) -> str:
    head = f"{operation.id} {iso_time(operation.time)} {operation.origin.tool}"
    return f"{head} {describe_briefly(operation, label)}"


def undo(call: Call) -> Result:
    """Take changes back, do one again, or name this moment."""
    given = call.arguments
    name = given.get("checkpoint")
    if name is not None:
        return _mark(call, str(name))
    direction = Direction.REDO if given.get("redo") is True else Direction.UNDO
    wish = Wish.read(direction, call.own(), call.only_of, given)
    if is_dry(call):
        planned = plan_revert(call.runtime, wish)
        notes = [*_note_merge(planned), *planned.notes]
        return answer_planned(call, planned.change_set, notes)
    made = revert(call.runtime, wish, call.origin(wish.summary))
    # What was reverted is not loaded with its contents; the journal has them.
    stored = call.runtime.history.get(made.id, _MAX_STEPS) if made.id else made
    shown = replace(made, change_set=stored.change_set)
    return answer_committed(call, shown, _note_merge(made))


def _note_merge(operation: Operation) -> list[str]:
    return ["merged: later changes of the same files are kept"] if operation.merged else []


def _mark(call: Call, name: str) -> Result:
    if is_dry(call):
        raise InvalidArgument("A checkpoint has no dry run", field="dry_run")
    made = create_checkpoint(call.runtime, name, call.origin(name))
    structured: Json = {"id": made.id, "dry_run": False, "files": [], "diff": "", "notes": []}
    return Result.of_text(f"checkpoint {made.id}; undo with to goes back here", structured)
