"""Format failures for the code toolset: isError results with its specification's four codes."""

from __future__ import annotations

from redline.core import errors as e
from redline.toolsets.ai_code_editing.tools import CONTEXT_KINDS
from redline.toolsets.call import FailedCall, Result
from redline.toolsets.tool import Json

# The first matching class decides, so subclasses precede their parents. Any other error is one
# that the caller can repair in the call: INVALID_INPUT.
_CODES: tuple[tuple[type[e.RedlineError], str], ...] = (
    (e.NotFound, "FILE_NOT_FOUND"),
    (e.PathDenied, "PERMISSION_DENIED"),
    (e.Refused, "PERMISSION_DENIED"),
    (e.WriteFailed, "PERMISSION_DENIED"),
    (e.Conflict, "EDIT_CONFLICT"),
    (e.InvalidPattern, "INVALID_INPUT"),
    (e.MatchError, "EDIT_CONFLICT"),
)


def code_of(error: e.RedlineError) -> str:
    """Return the specification's code for *error*."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return "INVALID_INPUT"


def word(error: e.RedlineError, call: FailedCall) -> Result:
    """Return a failure in the specification's format, with the details of *error*."""
    given = call.arguments.get("target_file") or call.arguments.get("file") or ""
    code = code_of(error)
    structured: Json = {
        "status": "failure",
        "file_path": given if isinstance(given, str) else "",
        "message": error.text,
        "error": error.message,
        "code": code,
    }
    details = {key: value for key, value in error.details.items() if key not in structured}
    if details:
        structured["details"] = details
    if "get_code_context" in call.tool:
        kind = call.arguments.get("kind")
        kind = kind if kind in CONTEXT_KINDS else "auto"
        structured |= {"kind": kind, "snippets": [], "omitted": []}
    return Result.of_json(structured, is_error=True)
