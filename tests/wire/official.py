"""Every message we emit, checked against the official Python types of its revision."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema_rs
import mcp_types
from mcp_types import methods
from pydantic import TypeAdapter

from redline.server.calls.catalog import load_toolsets

Json = dict[str, Any]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def check_message(message: Json, answers: str | None, version: str) -> None:
    """Fail when *message*, the answer to method *answers*, is not one of this revision."""
    if message.get("id") is None and "error" in message:
        # The official models want an id; JSON-RPC wants null where the id could not be read.
        _adapter(mcp_types.ErrorData).validate_python(message["error"])
        return
    _adapter(mcp_types.JSONRPCMessage).validate_python(message)
    if "error" in message:
        code = message["error"]["code"]
        assert version != "2026-07-28" or not -32099 <= code <= -32000 or -32022 <= code <= -32020
        return
    if "method" in message:
        table: Any = methods.SERVER_REQUESTS if "id" in message else methods.SERVER_NOTIFICATIONS
        _adapter(table[message["method"], version]).validate_python(message)
        return
    found = methods.SERVER_RESULTS.get((answers or "", version))
    if found is not None:
        _adapter(found).validate_python(message["result"])


@cache
def _output_schemas() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for toolset in [*load_toolsets(["all"]), *load_toolsets(["agent"])]:
        for tool in toolset.tools:
            validator = jsonschema_rs.validator_for(tool.output_schema or {})
            found.setdefault(tool.name, []).append(validator)
    return found


def check_output(tool: str, reply: Json) -> None:
    """Fail when a result, even a failure, does not fit the outputSchema its tool advertises."""
    result = reply.get("result", {})
    structured = result.get("structuredContent")
    validators = _output_schemas().get(tool)
    if validators is None or structured is None:
        return
    fits = [[found.message for found in v.iter_errors(structured)] for v in validators]
    problems = min(fits, key=len)
    assert not problems, f"{tool}: {problems[:3]}"
