"""Arguments as the client wrote them: a decoded number has lost its text."""

from __future__ import annotations

from typing import Any, cast

from redline.instruct.model.values import Value, from_plain, parse
from redline.toolsets.call import Call
from redline.toolsets.trained_words import translate


def exact_argument(call: Call, name: str, given: Any) -> Value:
    """Return the argument *name*, whose decoded value is *given*, with its numbers as written."""
    assert call.tool.exact, "the request is not kept for this tool"
    if call.raw is not None:
        request = parse(call.raw)
        for message in request if isinstance(request, list) else [request]:
            found = _argument(message, call, name)
            if found is not None:
                return found
    return from_plain(given)


def _argument(message: Value, call: Call, name: str) -> Value:
    if not isinstance(message, dict) or not isinstance(message.get("params"), dict):
        return None
    if call.request_id and _id(message) != call.request_id:
        return None
    params: Any = message["params"]
    arguments: Any = params.get("arguments")
    if not isinstance(arguments, dict):
        return None
    if call.tool.words:
        arguments = translate(call.tool, arguments, parse).arguments
    return cast("Value", arguments.get(name))


def _id(message: dict[str, Any]) -> str:
    value = message.get("id")
    return str(getattr(value, "text", value))
