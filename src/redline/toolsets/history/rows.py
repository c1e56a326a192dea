"""Operations as the history tools answer them."""

from __future__ import annotations

from redline.core.changes import ChangeSet
from redline.core.ports.history import Operation
from redline.core.ports.pages import ReviewComment
from redline.plan.describe import Label, list_touched
from redline.services.history.listing import describe_briefly
from redline.services.names import iso_time
from redline.toolsets.tool import Json

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


def line_of(operation: Operation, label: Label) -> str:
    """Return an operation on one line."""
    origin = operation.origin
    session = f"session {origin.session}" if origin.session else ""
    by = ", ".join(part for part in (origin.who, session) if part)
    who = f"  [{by}]" if by else ""
    head = f"{operation.id}  {iso_time(operation.time)}  {operation.origin.tool}"
    return f"{head}  {describe_briefly(operation, label)}{who}"


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
