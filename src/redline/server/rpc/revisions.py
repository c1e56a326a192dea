"""Protocol revisions of both eras, and how the server introduces itself."""

from __future__ import annotations

from typing import Any

from redline._version import __version__
from redline.server.rpc.person import Person
from redline.toolsets.tool import Client, Json, ProtocolProfile

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
NEWEST_HANDSHAKE = HANDSHAKE[-1]
# What MCP has for HTTP requests that come without a handshake and name no revision.
UNNAMED_OVER_HTTP = "2025-03-26"
REVISIONS = HANDSHAKE + MODERN

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CLIENT = "io.modelcontextprotocol/clientInfo"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_LOG_LEVEL = "io.modelcontextprotocol/logLevel"
META_SERVER = "io.modelcontextprotocol/serverInfo"

# What clients may keep: a list that stays the same while the server runs, and one that changes.
CACHED_LIST: Json = {"ttlMs": 300_000, "cacheScope": "public"}
CHANGING_LIST: Json = {"ttlMs": 0, "cacheScope": "private"}
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

SERVER_INFO: Json = {"name": "redline", "title": "Redline", "version": __version__}


class UnsupportedVersion(Exception):
    """The client asked for a revision older than any this server agrees to."""

    def __init__(self, received: str, supported: list[str]) -> None:
        super().__init__(f"Unsupported protocol version: {received}")
        self.received = received
        self.supported = supported


def negotiate(profile: ProtocolProfile, requested: Any, cap: str | None) -> str:
    """Return the handshake revision to answer *requested* with, never above *cap*."""
    oldest, newest = profile.oldest_revision, cap or profile.newest_revision or NEWEST_HANDSHAKE
    served = [v for v in HANDSHAKE if oldest <= v <= newest] or [oldest]
    if requested is None and profile.default_revision in served:
        return profile.default_revision
    if isinstance(requested, str):
        if requested in served:
            return requested
        if is_date(requested) and requested < oldest and oldest != HANDSHAKE[0]:
            raise UnsupportedVersion(requested, served)
    return served[-1]


def is_date(text: str) -> bool:
    """Return whether *text* has the form of a protocol revision."""
    return len(text) == 10 and text[4] == text[7] == "-" and text.replace("-", "").isdigit()


def initialize_result(capabilities: Json, version: str, instructions: str) -> Json:
    """Return the answer to `initialize`."""
    body: Json = {
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": server_info(version),
    }
    if instructions:
        body["instructions"] = instructions
    return body


def server_info(version: str) -> Json:
    """Return the name and version of this server, with the fields *version* has."""
    if version < "2025-06-18":
        return {"name": SERVER_INFO["name"], "version": SERVER_INFO["version"]}
    return SERVER_INFO


def discover_result(capabilities: Json, instructions: str, cap: str | None) -> Json:
    """Return the answer to `server/discover`."""
    body: Json = {
        "supportedVersions": [v for v in MODERN if cap is None or v <= cap],
        "capabilities": {
            name: value if name == "extensions" else {} for name, value in capabilities.items()
        },
        **CACHED_LIST,
    }
    if instructions:
        body["instructions"] = instructions
    return body


def add_server_info(body: Json) -> Json:
    """Return a result of the stateless era: with its type and the server that answered."""
    meta = {**(body.get("_meta") or {}), META_SERVER: SERVER_INFO}
    return {"resultType": "complete", **body, "_meta": meta}


def read_client(
    info: Any, version: str, capabilities: Any, connection: str, person: Person
) -> Client:
    """Return the client that a handshake or request describes."""
    about = info if isinstance(info, dict) else {}
    return Client(
        name=_text(about.get("name")),
        version=_text(about.get("version")),
        protocol=version,
        principal=person.name,
        connection=connection,
        capabilities=capabilities if isinstance(capabilities, dict) else {},
        session=_text(about.get("session")),
        rights=person.rights,
    )


def _text(value: Any) -> str:
    # Client names end up in the journal and on terminals.
    if not isinstance(value, str):
        return ""
    return "".join(c if c.isprintable() else "?" for c in value[:100])
