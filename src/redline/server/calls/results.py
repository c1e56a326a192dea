"""What a tools/call is answered with: result objects and JSON-RPC errors."""

from __future__ import annotations

import json
from collections.abc import Sequence

from redline.core.late_regex import late_regex
from redline.core.records import replace
from redline.core.text_limits import shorten
from redline.secrets.answers import CallSecrets
from redline.server.rpc import wire
from redline.toolsets.call import Result, RpcFailure
from redline.toolsets.tool import Json

Outcome = Json | RpcFailure
_MAY_BE_JSON = late_regex(r"\s*[-\d\"\[tfn]")
_NOT_JSON = "\n[end]"
_MAX_NAME_CHARS = 60
# In the _meta of a failure: its structured form, where the output schema does not allow it.
META_FAILURE = "redline/failure"


def is_success(outcome: Outcome) -> bool:
    """Return whether a call was answered with a result that is no error."""
    return isinstance(outcome, dict) and not outcome.get("isError")


def result_json(
    result: Result, ignored: Sequence[str] = (), understood: Sequence[str] = ()
) -> Json:
    """Return the result object of MCP; name the arguments that had no effect.

    *understood* says how others were taken.
    """
    content, meta = list(result.content), result.meta
    notes = [f"note: {each}" for each in understood]
    if ignored:
        names = ", ".join(shorten(name, _MAX_NAME_CHARS) for name in ignored)
        notes.append(f"note: unknown arguments were ignored: {names}")
    if notes and result.is_counted:
        meta = {**(meta or {}), "redline/notes": notes}
    elif notes:
        content.append({"type": "text", "text": "\n".join(notes)})
    body: Json = {"content": content}
    if result.structured is not None:
        body["structuredContent"] = result.structured
    body["isError"] = result.is_error
    if meta is not None:
        body["_meta"] = meta
    return body


def failure_as_result(failure: RpcFailure) -> Result:
    """Return the same failure as a result that the model sees, with its code inside."""
    error: Json = {"code": failure.code, "message": failure.message}
    if failure.data is not None:
        error["data"] = failure.data
    return Result.of_text(failure.message, {"error": error}, is_error=True)


def fit_schema(result: Result, schema: Json | None) -> Result:
    """Move the structured form of a failure to `_meta` where *schema* does not allow it.

    MCP exempts failures from the output schema, but clients that check them all the same replace
    the message by a complaint about the schema.
    """
    if not result.is_error or result.structured is None or schema is None:
        return result
    import jsonschema_rs

    if jsonschema_rs.is_valid(schema, result.structured):
        return result
    meta = {**(result.meta or {}), META_FAILURE: result.structured}
    return replace(result, structured=None, meta=meta)


def as_text(result: Result) -> Result:
    """Return *result* without its structured form, with text that no client takes for one.

    Gemini CLI parses the first text of an answer as JSON and refuses all but an object: a command
    that printed `5` would be shown to its model as a protocol error.
    """
    blocks = list(result.content)
    if blocks and blocks[0]["type"] == "text" and _is_json_value(blocks[0]["text"]):
        blocks[0] = {**blocks[0], "text": blocks[0]["text"].rstrip("\n") + _NOT_JSON}
    return replace(result, content=blocks, structured=None)


def _is_json_value(text: str) -> bool:
    """Return whether *text* is JSON other than an object."""
    if not _MAY_BE_JSON.match(text):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def mask_outcome(secrets: CallSecrets | None, outcome: Outcome) -> Outcome:
    """Return what a call is answered with, with every secret masked."""
    if secrets is None:
        return outcome
    if isinstance(outcome, dict):
        return secrets.finish(outcome, None)
    message, data = secrets.mask_text(outcome.message), secrets.mask_json(outcome.data)
    return RpcFailure(outcome.code, message, data)


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
