"""Failures as coding-tools-mcp-v0.1 words them: a code, its category, and what to do."""

from __future__ import annotations

from redline.core import errors as e
from redline.toolsets.call import FailedCall, Result, RpcFailure
from redline.toolsets.coding_tools.answer import failure
from redline.toolsets.tool import Json

INVALID_PARAMS = -32602

# The first class an error is an instance of decides: (code, category, retryable).
_CODES: tuple[tuple[type[e.RedlineError], str, str, bool], ...] = (
    (e.AbsolutePathDenied, "ABSOLUTE_PATH_DENIED", "security", False),
    (e.SymlinkEscape, "SYMLINK_ESCAPE", "security", False),
    (e.ReadOnlyRoot, "PERMISSION_DENIED", "permission", False),
    (e.PathDenied, "PATH_OUTSIDE_WORKSPACE", "security", False),
    (e.NotFound, "NOT_FOUND", "not_found", False),
    (e.AlreadyExists, "PATCH_FAILED", "validation", False),
    (e.NotADirectory, "NOT_A_DIRECTORY", "validation", False),
    (e.IsADirectory, "IS_DIRECTORY", "validation", False),
    (e.NotARegularFile, "INVALID_ARGUMENT", "validation", False),
    (e.BinaryFile, "BINARY_FILE", "validation", False),
    (e.UnsupportedEncoding, "UNSUPPORTED_ENCODING", "validation", False),
    (e.TooLarge, "OUTPUT_TOO_LARGE", "validation", False),
    (e.PathError, "INVALID_ARGUMENT", "validation", False),
    (e.InvalidPattern, "INVALID_ARGUMENT", "validation", False),
    (e.MatchError, "PATCH_FAILED", "validation", False),
    (e.PatchError, "PATCH_FAILED", "validation", False),
    (e.InvalidArgument, "INVALID_ARGUMENT", "validation", False),
    (e.DocumentError, "INVALID_ARGUMENT", "validation", False),
    (e.Conflict, "CONFLICT", "runtime", True),
    (e.HistoryError, "NOT_FOUND", "not_found", False),
    (e.PermissionRequired, "PERMISSION_REQUIRED", "permission", False),
    (e.Refused, "PERMISSION_DENIED", "permission", False),
    (e.TimeLimit, "TIMEOUT", "runtime", True),
    (e.Cancelled, "CANCELLED", "runtime", True),
    (e.MemoryLimit, "LIMIT_REACHED", "validation", False),
    (e.LimitReached, "LIMIT_REACHED", "runtime", True),
    (e.SessionClosed, "SESSION_CLOSED", "runtime", False),
    (e.SessionError, "SESSION_NOT_FOUND", "not_found", False),
    (e.GitFailed, "GIT_ERROR", "runtime", False),
    (e.SandboxUnavailable, "SANDBOX_UNAVAILABLE", "security", False),
    (e.NotWritable, "PERMISSION_DENIED", "permission", False),
    (e.Unavailable, "UNAVAILABLE", "runtime", True),
    (e.RedlineError, "INTERNAL_ERROR", "internal", False),
)

# What the profile says of a failure, word for word; what happened here follows.
_FACTS: dict[str, str] = {"PATH_OUTSIDE_WORKSPACE": "Path escapes the configured workspace."}

# What to do next, where the error itself does not say.
_HINTS: dict[str, str] = {
    "ABSOLUTE_PATH_DENIED": "give the path relative to the workspace",
    "PATH_OUTSIDE_WORKSPACE": "stay inside the workspace; paths are relative to it, without ..",
    "SYMLINK_ESCAPE": "name the file itself; links that leave the workspace are denied,"
    " and nothing is written through a link",
    "NOT_FOUND": "list_files shows what is there",
    "IS_DIRECTORY": "use list_dir for directories",
    "NOT_A_DIRECTORY": "name a directory, or use read_file",
    "BINARY_FILE": "binary content is blocked for text tools; view_image shows images",
    "UNSUPPORTED_ENCODING": "only UTF-8 text is read",
    "PERMISSION_DENIED": "the server was started without permission to change this",
    "SESSION_NOT_FOUND": "the session ended and was collected, or lies outside this connection:"
    " access denied; start one with exec_command",
    "SESSION_CLOSED": "start a new one with exec_command",
    "CONFLICT": "read the file again and repeat the edit",
    "TIMEOUT": "narrow the request and try again",
}


def word(error: e.RedlineError, call: FailedCall) -> Result | RpcFailure:
    """Return the answer to a failed call. Arguments outside the schema are a protocol error."""
    code, category, retryable = _code(error)
    hint = error.hint or _HINTS.get(code)
    lines = (_FACTS.get(code), error.message, hint and f"hint: {hint}")
    message = "\n".join(line for line in lines if line)
    if isinstance(error, e.InvalidArgument) and "problems" in error.details:
        return _outside_schema(error, message, call)
    siblings: Json = {}
    if isinstance(error, e.PermissionRequired):
        siblings["permission_request"] = {
            "tool_name": call.tool,
            "permission": error.permission,
            "status": "required",
            "retryable": True,
        }
    return failure(code, message, category, retryable=retryable, details=error.details, **siblings)


def _code(error: e.RedlineError) -> tuple[str, str, bool]:
    for kind, code, category, retryable in _CODES:
        if isinstance(error, kind):
            return code, category, retryable
    return "INTERNAL_ERROR", "internal", False


def _outside_schema(error: e.RedlineError, message: str, call: FailedCall) -> Result | RpcFailure:
    if call.client.is_modern:
        return failure("INVALID_ARGUMENT", message, "validation", details=error.details)
    data = {"reason": "invalid_arguments", "code": "INVALID_ARGUMENT", **error.details}
    return RpcFailure(INVALID_PARAMS, message, data)
