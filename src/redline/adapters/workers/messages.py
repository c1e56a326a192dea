"""Messages between the server and its workers: MessagePack after a four-byte length.

A worker has met hostile input, so its messages are only ever plain data. MessagePack itself has
neither lone surrogates nor integers beyond 64 bits; those travel as extensions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import msgpack

_TEXT, _INTEGER, _MAPPING = 1, 2, 3
_PLAIN = (str, int, float, bool, bytes, type(None))


def encode(message: Any) -> bytes:
    """Encode plain data: None, booleans, numbers, text, bytes, lists, tuples and dicts."""
    try:
        return msgpack.encode(message)
    except (UnicodeEncodeError, OverflowError):
        return msgpack.encode(_extend(message))


def decode(data: bytes) -> Any:
    """Decode what `encode` made; lists and tuples come back as lists. ValueError."""
    try:
        return msgpack.decode(data, ext_hook=_read_extension)
    except (msgspec.DecodeError, RecursionError, TypeError) as error:
        raise ValueError(str(error)) from None


def _extend(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = [[_extend(key), _extend(inner)] for key, inner in value.items()]
        return msgpack.Ext(_MAPPING, msgpack.encode(pairs))
    if isinstance(value, list | tuple):
        return [_extend(item) for item in value]
    if isinstance(value, str) and not value.isascii():
        return msgpack.Ext(_TEXT, value.encode("utf-8", "surrogatepass"))
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        return msgpack.Ext(_INTEGER, b"%x" % value)
    return value


def _read_extension(code: int, data: memoryview) -> Any:
    if code == _TEXT:
        return bytes(data).decode("utf-8", "surrogatepass")
    if code == _INTEGER:
        return int(bytes(data), 16)
    if code == _MAPPING:
        return dict(msgpack.decode(data, ext_hook=_read_extension))
    raise ValueError(f"unknown extension: {code}")


def encode_error(error: Any) -> tuple[str, dict[str, Any]]:
    """Return a RedlineError as plain data."""
    state = {name: value for name, value in vars(error).items() if isinstance(value, _PLAIN)}
    texts = {name: _plain(vars(error)[name]) for name in ("message_text", "hint_text")}
    return type(error).__name__, {**state, **texts, "details": _plain(error.details)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, _PLAIN) else str(value)


def decode_error(data: tuple[str, dict[str, Any]]) -> Exception:
    """Return the RedlineError that was encoded; ValueError if it is not one."""
    from redline.core import errors

    name, state = data
    kind = getattr(errors, name, None)
    if not isinstance(kind, type) or not issubclass(kind, errors.RedlineError):
        raise ValueError(f"not an error of Redline: {name}")
    error: errors.RedlineError = kind.__new__(kind, state["message_text"])
    vars(error).update(state)
    return error


def receive(read: Callable[[int], bytes], largest: int = 0xFFFFFFFF) -> bytes | None:
    """Read one message; None at the end, or when it is longer than *largest*."""
    head = read(4)
    size = int.from_bytes(head, "little")
    if len(head) < 4 or size > largest:
        return None
    body = read(size)
    return body if len(body) == size else None


def frame(body: bytes) -> tuple[bytes, ...]:
    """What to write for *body*: in one piece, unless copying it would cost more than a call."""
    head = len(body).to_bytes(4, "little")
    return (head + body,) if len(body) < 1 << 16 else (head, body)
