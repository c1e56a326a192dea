"""The codes of this toolset's failures."""

from __future__ import annotations

from redline.core import errors
from redline.core.paths import show_name
from redline.toolsets.call import FailedCall, RpcFailure

IO = -32000
PARSE = -32001
NOT_FOUND = -32002
CANNOT_APPLY = -32003
INVALID_PARAMS = -32602

# No tool here inserts.
_INDEX_HINT = "indexes begin at 0; to add an item, set the whole sequence"


def word(error: errors.RedlineError, call: FailedCall) -> RpcFailure:
    """The JSON-RPC error for *error*."""
    text = f"{error.message}\nhint: {_INDEX_HINT}" if "length" in error.details else error.text
    return RpcFailure(_code(error, call), show_name(text), dict(error.details) or None)


def _code(error: errors.RedlineError, call: FailedCall) -> int:
    is_set = call.tool == "noyalib_set"
    if isinstance(error, errors.NodeNotFound) or _is_malformed_path(error, call):
        return CANNOT_APPLY if is_set else NOT_FOUND
    if isinstance(error, errors.InvalidArgument):
        return INVALID_PARAMS
    if isinstance(error, errors.DocumentSyntax):
        return PARSE
    if isinstance(error, errors.CannotApply | errors.MatchError):
        return CANNOT_APPLY if is_set else PARSE
    return IO


def _is_malformed_path(error: errors.RedlineError, call: FailedCall) -> bool:
    """Whether the path is text that leads nowhere; the argument code is for other types."""
    is_about_path = isinstance(error, errors.InvalidArgument) and error.field == "path"
    return is_about_path and isinstance(call.arguments.get("path"), str)
