"""Which requests can be made again although the first may have been answered."""

from __future__ import annotations

from typing import Any

from redline.server.calls.catalog import Catalog
from redline.server.http.request import Scope
from redline.server.rpc import wire


def may_repeat(scope: Scope, body: bytes, catalog: Catalog) -> bool:
    """Whether a request only reads, so that another server can answer it as well."""
    if scope["method"] in ("GET", "HEAD"):
        return True
    if scope["method"] != "POST" or not scope["path"].endswith("/mcp"):
        return False
    try:
        message = wire.decode(body)
    except ValueError:
        return True  # refused wherever it is read
    return isinstance(message, dict) and _only_reads(message, catalog)


def _only_reads(message: dict[str, Any], catalog: Catalog) -> bool:
    if "id" not in message or "method" not in message:
        return False  # an answer, or a notification such as a cancellation
    if message["method"] != "tools/call":
        return True
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    found = catalog.find(name) if isinstance(name, str) else None
    return found is not None and bool(found.tool.hints.read_only) and not found.tool.writes
