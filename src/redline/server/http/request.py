"""What can be read off an HTTP request without deciding anything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from redline.server.http.replies import Message
from redline.server.rpc.messages import expects_reply

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

METADATA = "/.well-known/oauth-protected-resource"
_SINGLE = ("host", "origin", "authorization")


def headers_of(scope: Scope) -> dict[str, str]:
    """Header names and values as text; one that must be single and is not matches nothing."""
    found: dict[str, str] = {}
    for key, value in scope["headers"]:
        name, text = key.decode("latin-1"), value.decode("latin-1")
        if name in found and (name in _SINGLE or name.startswith("mcp-")):
            text = f"{name} header appears more than once"  # matches nothing, so it is refused
        found[name] = text
    return found


def peer_of(scope: Scope) -> str:
    """The address a request came from."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def malformed(message: Any) -> bool:
    """Whether a decoded message is no JSON-RPC message of the handshake era."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return True
    if "method" not in message:
        return "result" not in message and "error" not in message
    request_id = message.get("id", 0)
    valid_id = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    params = message.get("params")
    valid_params = params is None or isinstance(params, dict)
    return not (isinstance(message["method"], str) and valid_id and valid_params)


def any_reply(message: Any) -> bool:
    """Whether a message, or one of a batch, gets an answer."""
    if isinstance(message, list):
        return any(expects_reply(item) for item in message)
    return expects_reply(message)


def newer_date(version: str, oldest: str) -> bool:
    """Whether *version* is a date not before *oldest*."""
    digits = version.replace("-", "")
    is_date = len(version) == 10 and version[4] == version[7] == "-" and digits.isdigit()
    return is_date and version >= oldest


def metadata_url(audience: str) -> str:
    """Where the protected-resource document of *audience* lives (RFC 9728)."""
    parts = urlsplit(audience)
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{METADATA}{path}"
