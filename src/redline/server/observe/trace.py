"""REDLINE_TRACE=1: one redacted JSON line per call on stderr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.server.observe.log import Sink, timestamp
from redline.toolsets.call import RpcFailure


def trace_call(
    sink: Sink, tool: str, arguments: Any, outcome: dict[str, Any] | RpcFailure, seconds: float
) -> None:
    """Write one line about a finished call."""
    from redline.server.observe.redact import redact

    structured = _structured_content(outcome)
    ok = isinstance(outcome, dict) and not outcome.get("isError")
    sink(
        {
            "event": "tool_call",
            "timestamp": timestamp(),
            "tool": redact(tool),
            "ok": ok,
            "status": structured.get("status", "ok" if ok else "error"),
            "error_code": _error_code(outcome, structured),
            "duration_ms": round(seconds * 1000, 3),
            "session_id": structured.get("session_id"),
            "truncated": bool(structured.get("truncated", False)),
            "args": redact(arguments),
        }
    )


def _structured_content(outcome: dict[str, Any] | RpcFailure) -> Mapping[str, Any]:
    if isinstance(outcome, RpcFailure):
        return {}
    structured = outcome.get("structuredContent")
    return structured if isinstance(structured, dict) else {}


def _error_code(outcome: dict[str, Any] | RpcFailure, structured: Mapping[str, Any]) -> Any:
    if isinstance(outcome, RpcFailure):
        named = (outcome.data or {}).get("code")
        return named if named is not None else outcome.code
    error = structured.get("error")
    if isinstance(error, dict):
        return error.get("code")
    return structured.get("code") if outcome.get("isError") else None
