"""The headers that a request of the stateless era must repeat from its body."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

from redline.server.rpc import revisions, wire
from redline.server.rpc.messages import Refusal
from redline.toolsets.tool import Json

_STATUS = {
    wire.PARSE_ERROR: 400,
    wire.INVALID_REQUEST: 400,
    wire.INVALID_PARAMS: 400,
    wire.HEADER_MISMATCH: 400,
    wire.MISSING_CAPABILITY: 400,
    wire.UNSUPPORTED_VERSION: 400,
    wire.METHOD_NOT_FOUND: 404,
}
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")
_WHOLE_NUMBER = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_MAX_NUMBER_CHARS = 4000

Marked = tuple[tuple[str, ...], str, bool]
"""The path of an argument, the header that repeats it, and whether it is an integer."""


def status_of(reply: Any) -> int:
    """Return the HTTP status for a reply of this era."""
    error = reply.get("error")
    return 200 if error is None else _STATUS.get(error["code"], 200)


def check_version(version: str | None) -> None:
    """Refuse a revision that is not of this era."""
    if version not in revisions.MODERN:
        supported = {"supported": list(revisions.MODERN), "requested": str(version)}
        text = f"Unsupported protocol version: {str(version)[:40]}"
        raise Refusal(wire.UNSUPPORTED_VERSION, text, supported)


def check_headers(message: Json, headers: Mapping[str, str]) -> None:
    """Refuse a request whose headers differ from its body."""
    meta = (message.get("params") or {}).get("_meta")
    needed = (revisions.META_VERSION, revisions.META_CAPABILITIES)
    if not isinstance(meta, dict) or any(key not in meta for key in needed):
        return  # the conversation reports what is missing there
    version = headers.get("mcp-protocol-version")
    _must_equal("mcp-protocol-version", version, meta[revisions.META_VERSION])
    _must_equal("mcp-method", headers.get("mcp-method"), message["method"])
    name = message["params"].get(_NAMED.get(message["method"], ""))
    if name is not None:
        _must_equal("mcp-name", decode_header(headers.get("mcp-name")), name)


_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def _must_equal(header: str, given: str | None, expected: Any) -> None:
    if given is None or given != expected:
        raise Refusal(
            wire.HEADER_MISMATCH, f"The {header} header does not say the same as the request body"
        )


def check_arguments(marked: tuple[Marked, ...], arguments: Any, headers: Mapping[str, str]) -> None:
    """Refuse a call whose Mcp-Param headers differ from the arguments they repeat."""
    for path, token, is_integer in marked:
        name = f"mcp-param-{token.lower()}"
        given, value = headers.get(name), _value_at(arguments, path)
        if given is None and not isinstance(value, str | int | float):
            continue
        if given is None or not _same(decode_header(given), value, is_integer):
            raise Refusal(
                wire.HEADER_MISMATCH,
                f"The {name} header does not say the same as the argument {'.'.join(path)}",
            )


def marked_arguments(schema: Json) -> tuple[Marked, ...]:
    """Return the arguments that a schema wants repeated as headers."""
    return tuple(_find_marked(schema, ()))


def _find_marked(schema: Json, path: tuple[str, ...]) -> Iterator[Marked]:
    for name, inner in schema.get("properties", {}).items():
        if not isinstance(inner, dict):
            continue
        here = (*path, name)
        if isinstance(token := inner.get("x-mcp-header"), str):
            yield here, token, inner.get("type") == "integer"
        yield from _find_marked(inner, here)


def _value_at(arguments: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _same(given: str | None, value: Any, is_integer: bool) -> bool:
    if isinstance(value, bool):
        return given == ("true" if value else "false")
    if not isinstance(value, str | int | float):
        return False
    number = _WHOLE_NUMBER.fullmatch(given or "") if is_integer else None
    if number is not None and not isinstance(value, str) and value == value // 1:
        return len(number[1]) < _MAX_NUMBER_CHARS and int(number[1]) == int(value)
    return given == str(value)


def decode_header(value: str | None) -> str | None:
    """Return a header's text; None where its base64 is not exactly what an encoder writes."""
    found = _ENCODED.fullmatch(value) if value else None
    if found is None:
        return value
    try:
        raw = base64.b64decode(found[1], validate=True)
        text = raw.decode()
    except ValueError:  # not base64, or not text
        return None
    return text if base64.b64encode(raw).decode() == found[1] else None
