"""What a tools/call is answered with: result objects and JSON-RPC errors."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.text_limits import shorten
from redline.server.rpc import wire
from redline.toolsets.call import Result, RpcFailure
from redline.toolsets.tool import Json

Outcome = Json | RpcFailure
_MAX_NAME_CHARS = 60


def is_success(outcome: Outcome) -> bool:
    """Whether a call was answered with a result that is no error."""
    return isinstance(outcome, dict) and not outcome.get("isError")


def result_json(result: Result, ignored: Sequence[str] = (), remarks: Sequence[str] = ()) -> Json:
    """Return the result object of MCP; name the arguments that had no effect, add *remarks*."""
    content = list(result.content)
    if ignored:
        names = ", ".join(shorten(name, _MAX_NAME_CHARS) for name in ignored)
        note = f"note: unknown arguments were ignored: {names}"
        content.append({"type": "text", "text": note})
    content += [{"type": "text", "text": remark} for remark in remarks]
    body: Json = {"content": content}
    if result.structured is not None:
        body["structuredContent"] = result.structured
    body["isError"] = result.is_error
    if result.meta is not None:
        body["_meta"] = result.meta
    return body


def failure_as_result(failure: RpcFailure) -> Json:
    """Return the same failure as a result that the model sees, with its code inside."""
    error: Json = {"code": failure.code, "message": failure.message}
    if failure.data is not None:
        error["data"] = failure.data
    return {
        "content": [{"type": "text", "text": failure.message}],
        "structuredContent": {"error": error},
        "isError": True,
    }


def internal_error(request_id: str) -> RpcFailure:
    """Return the error for a bug of the server: the client learns only how to report it."""
    return RpcFailure(
        wire.INTERNAL_ERROR,
        f"Internal error\nhint: the server's log has the details under request {request_id}",
        {"request_id": request_id},
    )


def invalid_params(message: str) -> RpcFailure:
    """Return the error for a tools/call that is not well formed."""
    return RpcFailure(wire.INVALID_PARAMS, message, {"reason": "invalid_params"})
