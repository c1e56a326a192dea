"""How the history toolset speaks of failures: isError results with a stable code."""

from __future__ import annotations

from redline.core import errors as e
from redline.toolsets.call import FailedCall, Result

# The first class that fits decides; subclasses stand before their parents.
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
    """The stable code of *error*."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return "FAILED"


def word(error: e.RedlineError, _call: FailedCall) -> Result:
    """An isError result that says what is wrong and how to go on."""
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
