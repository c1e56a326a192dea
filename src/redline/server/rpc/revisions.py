"""Revisions, eras, and how the server introduces itself under each set of toolsets."""

from __future__ import annotations

from typing import Any

from redline._version import __version__
from redline.toolsets.tool import Client, Dialect, Json

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
NEWEST_HANDSHAKE = HANDSHAKE[-1]
REVISIONS = HANDSHAKE + MODERN

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CLIENT = "io.modelcontextprotocol/clientInfo"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_LOG_LEVEL = "io.modelcontextprotocol/logLevel"
META_SERVER = "io.modelcontextprotocol/serverInfo"

LIST_TTL_MS = 300_000
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

SERVER_INFO: Json = {"name": "redline", "title": "Redline", "version": __version__}


class UnsupportedVersion(Exception):
    """The revision asked for is older than any this profile serves."""

    def __init__(self, received: str, supported: list[str]) -> None:
        super().__init__(f"Unsupported protocol version: {received}")
        self.received = received
        self.supported = supported


class Profile:
    """What the toolsets that are on ask of the protocol layer.

    One toolset alone speaks as its specification does; together they follow MCP itself.
    """

    __slots__ = (
        "capabilities",
        "modern_capabilities",
        "null_id_is_request",
        "oldest",
        "serves_batches",
        "spoken_unasked",
        "strict_handshake",
        "unknown_tool_code",
    )

    def __init__(self, only: Dialect | None) -> None:
        name = only.name if only else ""
        self.strict_handshake = bool(only and only.strict_handshake)
        self.capabilities: Json = (
            {"tools": {}}
            if name in ("files", "yaml")
            else {"tools": {"listChanged": False}, "logging": {}}
        )
        logging: Json = {"logging": {}} if "logging" in self.capabilities else {}
        self.modern_capabilities: Json = {"tools": {}, **logging}
        # The profile of `coding` begins with this revision and refuses older clients out loud.
        self.oldest = "2025-06-18" if name == "coding" else HANDSHAKE[0]
        self.null_id_is_request = name == "files"
        self.serves_batches = name != "files"
        # The revision of a request that came over HTTP without a handshake and names none.
        self.spoken_unasked = {"coding": self.oldest, "files": NEWEST_HANDSHAKE}.get(
            name, "2025-03-26"
        )
        self.unknown_tool_code = -32601 if name == "files" else -32602


def negotiate(profile: Profile, requested: Any, cap: str | None) -> str:
    """The handshake revision to answer *requested* with, never above *cap*."""
    served = [v for v in HANDSHAKE if v >= profile.oldest and (cap is None or v <= cap)]
    if not served:
        served = [profile.oldest]
    if isinstance(requested, str):
        if requested in served:
            return requested
        if _is_date(requested) and requested < profile.oldest and profile.oldest != HANDSHAKE[0]:
            raise UnsupportedVersion(requested, served)
    return served[-1]


def _is_date(text: str) -> bool:
    return len(text) == 10 and text[4] == text[7] == "-" and text.replace("-", "").isdigit()


def initialize_result(profile: Profile, version: str, instructions: str) -> Json:
    """The answer to `initialize`."""
    body: Json = {
        "protocolVersion": version,
        "capabilities": profile.capabilities,
        "serverInfo": server_info(version),
    }
    if instructions:
        body["instructions"] = instructions
    return body


def server_info(version: str) -> Json:
    """Who we are, with the fields *version* knows."""
    if version < "2025-06-18":
        return {"name": SERVER_INFO["name"], "version": SERVER_INFO["version"]}
    return SERVER_INFO


def discover_result(profile: Profile, instructions: str, cap: str | None) -> Json:
    """The answer to `server/discover`."""
    body: Json = {
        "supportedVersions": [v for v in MODERN if cap is None or v <= cap],
        "capabilities": profile.modern_capabilities,
        "ttlMs": LIST_TTL_MS,
        "cacheScope": "public",
    }
    if instructions:
        body["instructions"] = instructions
    return body


def asks_for_log(params: Json) -> bool:
    """Whether a request of the stateless era names a log level."""
    return params["_meta"].get(META_LOG_LEVEL) is not None


def stamped(body: Json) -> Json:
    """A result of the stateless era: its type and who answered."""
    meta = {**(body.get("_meta") or {}), META_SERVER: SERVER_INFO}
    return {"resultType": "complete", **body, "_meta": meta}


def client_of(
    info: Any, version: str, capabilities: Any, connection: str, principal: str
) -> Client:
    """The caller, from whatever it said about itself."""
    about = info if isinstance(info, dict) else {}
    return Client(
        name=_text(about.get("name")),
        version=_text(about.get("version")),
        protocol=version,
        principal=principal,
        connection=connection,
        capabilities=capabilities if isinstance(capabilities, dict) else {},
    )


def _text(value: Any) -> str:
    # Client names end up in the journal and on terminals.
    if not isinstance(value, str):
        return ""
    return "".join(c if c.isprintable() else "?" for c in value[:100])
