"""JSON on the wire: strict in, never invalid UTF-8 out."""

from __future__ import annotations

from typing import Any

import orjson

Json = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
# What a 2026-07-28 answer may carry as a JSON-RPC code although it comes out of a call.
MODERN_CODES = frozenset({HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION})


def decode(data: bytes) -> Any:
    """The JSON value in *data*; ValueError names what is wrong and where."""
    return orjson.loads(data)


def encode(value: Any) -> bytes:
    """*value* as JSON; text that UTF-8 cannot carry is replaced, never sent."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return _encode_carefully(value)


def encode_line(value: Any) -> bytes:
    """The same with a line break at the end; a long answer is not copied for it."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return _encode_carefully(value) + b"\n"


def _encode_carefully(value: Any) -> bytes:
    # Lone surrogates and integers beyond 64 bits: rare, so only then the slow way.
    import json

    try:
        text = json.dumps(_clean(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return orjson.dumps(_instead(value))
    return text.encode()


def _instead(value: Any) -> Any:
    # Too deep, or no JSON at all: a bug of ours, but whoever asked must not wait in vain.
    if isinstance(value, list):
        return [_instead(item) for item in value]
    request_id = value.get("id") if isinstance(value, dict) else None
    known = request_id if isinstance(request_id, str | int) else None
    return error(known, INTERNAL_ERROR, "Internal error: the answer cannot be written as JSON")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value


def result(request_id: Any, body: Json) -> Json:
    """A JSON-RPC success."""
    return {"jsonrpc": "2.0", "id": request_id, "result": body}


def error(request_id: Any, code: int, message: str, data: Any = None) -> Json:
    """A JSON-RPC error."""
    body: Json = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": body}
