"""Arguments as the client wrote them: a decoded number has lost its text."""

from __future__ import annotations

from typing import Any

from redline.instruct.model.values import Value, from_plain, parse
from redline.toolsets.call import Call


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
    arguments = params.get("arguments")
    return arguments.get(name) if isinstance(arguments, dict) else None


def _id(message: dict[str, Any]) -> str:
    value = message.get("id")
    return str(getattr(value, "text", value))
