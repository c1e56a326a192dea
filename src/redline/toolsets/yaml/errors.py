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


def word(error: errors.RedlineError, call: FailedCall) -> RpcFailure:
    """The JSON-RPC error for *error*."""
    return RpcFailure(_code(error, call.tool), show_name(error.text), dict(error.details) or None)


def _code(error: errors.RedlineError, tool: str) -> int:
    if isinstance(error, errors.InvalidArgument):
        return INVALID_PARAMS
    if isinstance(error, errors.DocumentSyntax):
        return PARSE
    if isinstance(error, errors.NodeNotFound):
        return CANNOT_APPLY if tool == "noyalib_set" else NOT_FOUND
    if isinstance(error, errors.CannotApply | errors.MatchError):
        return PARSE if tool == "noyalib_get" else CANNOT_APPLY
    return IO
