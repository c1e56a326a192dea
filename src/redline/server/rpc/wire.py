"""JSON on the wire: strict when reading, always valid UTF-8 when writing.

orjson takes a quarter of the time from the start of a process to its first tools/list, so the
first tools/call loads it. Until then the standard library handles short, plain messages, which
both read alike; anything else loads orjson at once.
"""

from __future__ import annotations

from typing import Any

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
# The JSON-RPC codes that a call may be answered with at 2026-07-28.
MODERN_CODES = frozenset({HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION})


_MAX_PLAIN_BYTES = 4096
_MAX_PLAIN_DIGITS = 15
_orjson: Any = None


def decode(data: bytes) -> Any:
    """Return the JSON value in *data*; ValueError says what is wrong and where."""
    if _orjson is not None:
        return _orjson.loads(data)
    message = decode_plain(data)
    return _load_orjson().loads(data) if message is None else message


def decode_plain(data: bytes) -> Json | None:
    """Decode a short message that needs no call; None when only orjson can tell its meaning."""
    if len(data) > _MAX_PLAIN_BYTES or not data.isascii():
        return None
    if b"\\u" in data or b"tools/call" in data:
        return None
    import json

    try:
        value = json.loads(
            data.decode("ascii"),
            parse_int=_parse_small,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parse_small(digits: str) -> int:
    if len(digits) > _MAX_PLAIN_DIGITS or digits == "-0":
        raise ValueError
    return int(digits)


def _refuse_number(_text: str) -> Any:
    raise ValueError


def _load_orjson() -> Any:
    global _orjson  # noqa: PLW0603 - a module that is loaded late
    import orjson

    _orjson = orjson
    return orjson


def encode(value: Any) -> bytes:
    """Return *value* as JSON; text that UTF-8 cannot encode is replaced."""
    if _orjson is None:
        return _encode_plain(value)
    try:
        return bytes(_orjson.dumps(value))
    except TypeError:
        return _encode_carefully(value)


def encode_line(value: Any) -> bytes:
    """Return *value* as one line of JSON; a long answer is not copied for the line break."""
    if _orjson is None:
        return _encode_plain(value) + b"\n"
    try:
        return bytes(_orjson.dumps(value, option=_orjson.OPT_APPEND_NEWLINE))
    except TypeError:
        return _encode_carefully(value) + b"\n"


def _encode_plain(value: Any) -> bytes:
    import json

    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode()
    except (TypeError, ValueError, RecursionError):
        return _encode_carefully(value)


def _encode_carefully(value: Any) -> bytes:
    # Lone surrogates and integers beyond 64 bits are rare: only they take the slow way.
    import json

    try:
        text = json.dumps(_clean(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(_replacement_for(value)).encode()
    return text.encode()


def _replacement_for(value: Any) -> Any:
    # Too deep, or not JSON at all: a bug of the server, but the client still gets an answer.
    if isinstance(value, list):
        return [_replacement_for(item) for item in value]
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
    """Return a JSON-RPC success message."""
    return {"jsonrpc": "2.0", "id": request_id, "result": body}


def error(request_id: Any, code: int, message: str, data: Any = None) -> Json:
    """Return a JSON-RPC error message."""
    body: Json = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": body}
