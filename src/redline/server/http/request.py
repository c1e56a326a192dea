"""Reads headers and addresses of an HTTP request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from redline.server.http.replies import Message

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

# Where tools are served; beneath it, /mcp/NAME has one toolset.
MCP = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
# In the scope of a request that another server of the group has checked and passed on.
FORWARDED = "redline.forwarded"
_SINGLE = ("host", "origin", "authorization")


def headers_of(scope: Scope) -> dict[str, str]:
    """Return headers as text; a repeated header that must be single gets a value that no
    check accepts."""
    found: dict[str, str] = {}
    for key, value in scope["headers"]:
        name, text = key.decode("latin-1"), value.decode("latin-1")
        if name in found and (name in _SINGLE or name.startswith("mcp-")):
            text = f"{name} header appears more than once"
        found[name] = text
    return found


def is_for_tools(path: str) -> bool:
    """Return whether tools are served at *path*, or could be."""
    return path == MCP or path.startswith(f"{MCP}/")


def peer_of(scope: Scope) -> str:
    """Return the address a request came from."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def metadata_url(audience: str) -> str:
    """Return the URL of the protected-resource document of *audience* (RFC 9728)."""
    parts = urlsplit(audience)
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{METADATA}{path}"
