"""How the value of each setting is read: from text or TOML into what `Settings` holds.

A parser raises ValueError or TypeError for what it cannot use; `settings` adds where it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off", ""):
        return False
    raise ValueError(f"expected 1 or 0, got {value}")


def _choice(*legal: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in legal:
            raise ValueError(f"expected one of {', '.join(legal)}, got {value}")
        return str(value)

    return parse


def _tool_names(value: Any) -> str:
    # An earlier name of "original".
    return _choice("auto", "original", "portable")("original" if value == "seed" else value)


def _number(minimum: float) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        number = float(value)
        if not minimum <= number < float("inf"):
            raise ValueError(f"expected a number of at least {minimum:g}, got {value}")
        return number

    return parse


def parse_size(value: Any) -> int:
    """Parse a number of bytes such as 500M or 2G."""
    text = str(value).strip().upper().removesuffix("IB").removesuffix("B")
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    shift = units.get(text[-1:], 0)
    try:
        number = float(text[:-1] if shift else text)
    except ValueError:
        raise ValueError(f"expected a size such as 500M, got {value}") from None
    if not 0 <= number < 1 << 50:
        raise ValueError(f"expected a size such as 500M, got {value}")
    return int(number * (1 << shift))


def _whole_number(minimum: int, maximum: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        number = int(value)
        if not minimum <= number <= maximum:
            raise ValueError(f"expected {minimum} to {maximum}, got {value}")
        return number

    return parse


def _names(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else list(value)
    return tuple(part.strip() for part in parts if part.strip())


def _domains(value: Any) -> tuple[str, ...]:
    from redline.core.access.domains import parse_domains

    return tuple(str(domain) for domain in parse_domains(_names(value)))


def _paths(value: Any) -> tuple[str, ...]:
    import os

    parts = value.split(os.pathsep) if isinstance(value, str) else list(value)
    return tuple(part for part in parts if part)


def _directories(value: Any) -> tuple[tuple[str, bool], ...]:
    return tuple((str(path), bool(writable)) for path, writable in value)


_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
PARSERS: dict[str, Callable[[Any], Any]] = {
    "workspace": str,
    "workspaces": str,
    "workspace_idle": _number(1),
    "max_open": _whole_number(1, 10_000),
    "park_after_days": _number(0),
    "park_to": str,
    "shared": str,
    "reachable_at": str,
    "directories": _directories,
    "allow_any_root": _flag,
    "state_dir": str,
    "record": _flag,
    "history_days": _number(0),
    "history_size": parse_size,
    "tools": _names,
    "read_only": _flag,
    "tool_names": _tool_names,
    "errors": _choice("auto", "result"),
    "protocol": _choice(*_REVISIONS),
    "llm": str,
    "sessions": str,
    "sandbox": _choice("safe", "trusted", "dangerous"),
    "exec_allow_roots": _paths,
    "allow_domains": _domains,
    "git_writes": _flag,
    "guarded_paths": _names,
    "policy": str,
    "view_image": _flag,
    "strict_syntax": _flag,
    "check": _flag,
    "trace": _flag,
    "otel": _flag,
    "audit_log": str,
    "host": str,
    "port": _whole_number(0, 65535),
    "auth_token": str,
    "oauth_issuer": str,
    "oauth_audience": str,
    "oauth_name_claim": str,
    "users": str,
    "allowed_hosts": _names,
    "allowed_origins": _names,
    "max_body": parse_size,
    "receive_timeout": _number(0.1),
    "max_connections": _whole_number(1, 100_000),
    "max_sessions": _whole_number(1, 100_000),
    "session_idle": _number(1),
    "rate_limit": _number(0),
    "max_calls": _whole_number(1, 1000),
}
