"""What the HTTP transport can be told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Limits and names for the HTTP transport; see `redline serve --help`."""

    host: str = "127.0.0.1"
    port: int = 8000
    auth_token: str | None = None
    oauth_issuer: str | None = None
    oauth_audience: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_body: int = 1 << 20
    receive_timeout: float = 30.0
    max_connections: int = 256
    max_sessions: int = 100
    session_idle: float = 1800.0
    rate_limit: float = 200.0
    max_calls: int = 16
    protocol: str | None = None
    instructions: str = ""
