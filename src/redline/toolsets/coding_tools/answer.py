"""The envelope: structuredContent with `ok`, mirrored as JSON in the first text item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redline.toolsets.call import Result
from redline.toolsets.tool import Json


def success(fields: Json, blocks: Sequence[Json] = ()) -> Result:
    """An answer that is ok; *blocks* go before the text mirror."""
    return _enveloped({"ok": True, **fields}, blocks, is_error=False)


def spelled(items: Sequence[Any]) -> Any:
    """A long list that stands in the answer twice, made JSON once."""
    import orjson

    try:
        return as_spelled(orjson.dumps(items))
    except (TypeError, ValueError):
        return items


def as_spelled(text: bytes | str) -> Any:
    """A value that is JSON already."""
    import orjson

    return orjson.Fragment(text)


def failure(
    code: str,
    message: str,
    category: str,
    *,
    retryable: bool = False,
    details: Mapping[str, Any] | None = None,
    **siblings: Any,
) -> Result:
    """An answer that is not ok; *siblings* stand beside `error`."""
    error = {
        "code": code,
        "message": _whole(message),
        "category": category,
        "retryable": retryable,
        "details": dict(details or {}),
    }
    return _enveloped({"ok": False, **siblings, "error": error}, (), is_error=True)


def _enveloped(structured: Json, blocks: Sequence[Json], *, is_error: bool) -> Result:
    import orjson

    try:
        text = orjson.dumps(structured).decode()
    except (TypeError, ValueError):
        structured = _presentable(structured)
        text = orjson.dumps(structured, default=str).decode()
    return Result([*blocks, {"type": "text", "text": text}], structured, is_error)


def _presentable(value: Any) -> Any:
    """*value* with text that no JSON can hold made whole."""
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, Mapping):
        return {_whole(str(key)): _presentable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_presentable(item) for item in value]
    return value


def _whole(text: str) -> str:
    """*text* with undecodable bytes shown as \\xNN."""
    from redline.core.paths import show_name

    return text if text.isascii() else show_name(text)
