"""One POST whose sender, size and JSON have been checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.server.http.replies import Send
from redline.server.http.request import Receive
from redline.server.http.response import AcceptedTypes
from redline.server.rpc import revisions
from redline.server.rpc.messages import Refusal, check_message
from redline.server.rpc.person import Person
from redline.toolsets.tool import Json, ProtocolProfile

_MAX_NAME_CHARS = 100


class Post:
    """One POST whose sender, size and JSON have been checked."""

    __slots__ = (
        "_body",
        "accepted",
        "headers",
        "message",
        "person",
        "receive",
        "send",
        "version",
    )

    def __init__(
        self,
        message: Any,
        body: bytes,
        *,
        person: Person,
        headers: Mapping[str, str],
        version: str | None,
        receive: Receive,
        send: Send,
    ) -> None:
        self.message = message
        self._body = body
        self.person = person
        self.headers = headers
        self.version = version
        self.receive = receive
        self.send = send
        self.accepted = AcceptedTypes(headers.get("accept", ""))

    def take_body(self) -> bytes:
        """Return the message as it was received; kept no longer than its reader needs it."""
        body, self._body = self._body, b""
        return body

    @property
    def principal(self) -> str:
        """The name of the person who sent it."""
        return self.person.name

    @property
    def request_id(self) -> Any:
        """The id an answer carries; None for a batch."""
        return self.message.get("id") if isinstance(self.message, dict) else None


def client_name(message: Json) -> str:
    """Return the name that a client of the stateless era gives itself."""
    meta = (message.get("params") or {}).get("_meta")
    info = meta.get(revisions.META_CLIENT) if isinstance(meta, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name[:_MAX_NAME_CHARS] if isinstance(name, str) else ""


def is_initialize(message: Any) -> bool:
    """Return whether a message begins a session of the handshake era."""
    return isinstance(message, dict) and message.get("method") == "initialize" and "id" in message


def is_valid(message: Any, profile: ProtocolProfile | None = None) -> bool:
    """Return whether a message is one that JSON-RPC and the profile allow."""
    try:
        check_message(message, profile or ProtocolProfile())
    except Refusal:
        return False
    return True
