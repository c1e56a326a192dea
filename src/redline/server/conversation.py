"""One client's JSON-RPC in both eras: takes messages, replies, and starts calls."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from redline.core.access.rights import ALL_RIGHTS, Rights
from redline.server.calls.tool_server import ToolServer
from redline.server.calls.workers import QueueFull
from redline.server.rpc import messages, revisions, wire
from redline.server.rpc.person import OWNER, Person
from redline.toolsets.tool import Client, Json

if TYPE_CHECKING:
    from redline.server.calls.in_flight import CallsInFlight

# Lists that need no handler.
_OFFERED = ("prompts/list", "resources/templates/list")


class Conversation:
    """Answers the messages of one client. `receive` is called from one thread only."""

    def __init__(
        self,
        server: ToolServer,
        submit: messages.Submit,
        *,
        cap: str | None = None,
        connection: str = "stdio",
        person: Person = OWNER,
        client: Client | None = None,
        modern: bool | None = None,
        batches: bool = False,
        in_order: bool = False,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        self._server = server
        self._profile = server.profile
        self._submit = submit
        self._cap = cap
        self._connection = connection
        self._person = person
        self._batches = batches
        self._in_order = in_order
        # Over HTTP a header names the era; None: the first request decides.
        self._era_is_fixed = modern is not None
        # A client that is already known makes no handshake.
        self._modern = modern if client is None else False
        self._initialized = client is not None
        newest = cap if cap in revisions.HANDSHAKE else revisions.NEWEST_HANDSHAKE
        self._client = client or Client(protocol=newest, rights=person.rights)
        self._log_level: str | None = None
        # Whether another server began this conversation; it may have asked questions.
        self._is_resumed = record is not None
        if record is not None:
            self._resume(record)
        self._calls: CallsInFlight | None = None

    @property
    def is_initialized(self) -> bool:
        """Whether the handshake has been made, or none is needed."""
        return self._initialized

    @property
    def revision(self) -> str:
        """The protocol revision that was agreed on."""
        return self._client.protocol

    @property
    def record(self) -> Json:
        """What another server must know of a client that made its handshake here."""
        client = self._client
        return {
            "info": {"name": client.name, "version": client.version, "session": client.session},
            "protocol": client.protocol,
            "capabilities": dict(client.capabilities),
            "log_level": self._log_level,
        }

    def _resume(self, record: Mapping[str, Any]) -> None:
        """Go on where another server was, by its `record`."""
        self._era_is_fixed, self._modern, self._initialized = True, False, True
        self._log_level = record["log_level"]
        self._client = self._read_client(record["info"], record["protocol"], record["capabilities"])

    def set_rights(self, rights: Rights) -> None:
        """Let later messages do what *rights* allow: they can change while a session is open."""
        if rights != self._client.rights:
            self._person = self._person._replace(rights=rights)
            self._client = self._client._replace(rights=rights)

    # --- messages ----------------------------------------------------------------------------

    def receive_bytes(self, line: bytes, channel: messages.Channel) -> None:
        """Take one line from the client."""
        try:
            message = wire.decode(line)
        except ValueError as failure:
            # Half a surrogate pair is reported to the request whose text has it.
            text = f"Parse error: {failure}"
            self._reply(channel, wire.error(messages.id_in(line), wire.PARSE_ERROR, text))
            return
        self.receive(message, line, channel)

    def receive(self, message: Any, raw: bytes, channel: messages.Channel) -> None:
        """Take one decoded message, or a batch where the revision has them."""
        if isinstance(message, list):
            self._receive_batch(message, raw, channel)
        else:
            self._receive_one(message, raw, channel)

    def _receive_batch(self, items: list[Any], raw: bytes, channel: messages.Channel) -> None:
        revision_has_batches = self._client.protocol == "2025-03-26" or self._batches
        allowed = self._profile.serves_batches and revision_has_batches
        if not allowed or not items or len(items) > messages.MAX_BATCH:
            reason = (
                f"a batch holds 1 to {messages.MAX_BATCH} messages"
                if allowed
                else "batches are not part of this protocol revision"
            )
            data = {"max_items": messages.MAX_BATCH} if allowed else None
            text = f"Invalid request: {reason}"
            self._reply(channel, wire.error(None, wire.INVALID_REQUEST, text, data))
            return
        batch = messages.Batch(
            channel.reply, sum(1 for item in items if messages.expects_reply(item))
        )
        each = channel.with_reply(batch.add)
        for item in items:
            self._receive_one(item, raw, each)

    def _receive_one(self, message: Any, raw: bytes, channel: messages.Channel) -> None:
        try:
            messages.check_message(message, self._profile)
        except messages.Refusal as refusal:
            if messages.expects_reply(message):
                self._reply(channel, refusal.reply(messages.id_of(message)))
            return
        if "method" not in message:
            if self._calls is not None or self._is_resumed:
                self._open_calls().receive_answer(message, self._client)
        elif "id" not in message:
            self._receive_notification(message["method"], message.get("params"))
        else:
            self._receive_request(message, raw, channel)

    def _receive_request(self, message: Json, raw: bytes, channel: messages.Channel) -> None:
        request_id, method, params = message["id"], message["method"], message.get("params")
        if self._modern is None:
            self._modern = method != "initialize" and self._opens_modern(params)
        try:
            client = self._modern_client(method, params) if self._modern else self._client
            if not self._modern:
                self._check_handshake_era(method, params)
            if method == "tools/call" or self._server.runs_handler(method):
                self._start_call(message, raw, client, channel)
                return
            body = self._answer(method, params, client)
        except messages.Refusal as refusal:
            self._reply(channel, refusal.reply(request_id))
            return
        result = revisions.add_server_info(body) if self._modern else body
        self._reply(channel, wire.result(request_id, result))

    def _reply(self, channel: messages.Channel, message: Json) -> None:
        """Answer at once, or behind the calls that run where answers keep their order."""
        if self._in_order and self._calls is not None:
            with suppress(QueueFull):
                self._submit(partial(channel.reply, message), 0)
                return
        channel.reply(message)

    def _receive_notification(self, method: str, params: Any) -> None:
        if method != "notifications/cancelled" or not isinstance(params, dict):
            return
        request_id = params.get("requestId")
        if not messages.is_id(request_id):
            self._open_calls().run_cancel_alias(params, self._client)
        elif self._calls is not None:
            self._calls.cancel(request_id)

    # --- eras --------------------------------------------------------------------------------

    def _opens_modern(self, params: Any) -> bool:
        if self._cap is not None and self._cap < revisions.MODERN[0]:
            return False
        meta = params.get("_meta") if isinstance(params, dict) else None
        return isinstance(meta, dict) and revisions.META_VERSION in meta

    def _modern_client(self, method: str, params: Any) -> Client:
        meta = params.get("_meta") if isinstance(params, dict) else None
        if method == "initialize" and not self._era_is_fixed:
            requested = params.get("protocolVersion") if isinstance(params, dict) else None
            raise messages.Refusal(
                wire.UNSUPPORTED_VERSION,
                "This connection serves 2026-07-28; initialize is not part of it",
                {"supported": list(revisions.MODERN), "requested": str(requested or "")},
            )
        needed = (revisions.META_VERSION, revisions.META_CAPABILITIES)
        missing = [key for key in needed if not isinstance(meta, dict) or key not in meta]
        if missing or not isinstance(meta, dict):
            raise messages.Refusal(
                wire.INVALID_PARAMS, f"params._meta must carry {', '.join(missing)}"
            )
        version = meta[revisions.META_VERSION]
        if not isinstance(version, str):
            raise messages.Refusal(
                wire.INVALID_PARAMS, f"{revisions.META_VERSION} must be a string"
            )
        if version not in revisions.MODERN:
            raise messages.Refusal(
                wire.UNSUPPORTED_VERSION,
                f"Unsupported protocol version: {version[:40]}",
                {"supported": list(revisions.MODERN), "requested": version},
            )
        return self._read_client(
            meta.get(revisions.META_CLIENT), version, meta[revisions.META_CAPABILITIES]
        )

    def _read_client(self, info: Any, version: str, capabilities: Any) -> Client:
        return revisions.read_client(info, version, capabilities, self._connection, self._person)

    def _check_handshake_era(self, method: str, params: Any) -> None:
        if method in ("initialize", "ping"):
            return
        if self._profile.strict_handshake and not self._initialized:
            raise messages.Refusal(
                wire.NOT_INITIALIZED, "Server not initialized\nhint: send initialize first"
            )
        if self._era_is_fixed or method == "server/discover" or not self._initialized:
            return
        if self._opens_modern(params):
            raise messages.Refusal(
                wire.INVALID_REQUEST,
                f"This connection was opened by initialize and speaks {self._client.protocol}",
            )

    # --- methods -----------------------------------------------------------------------------

    def _answer(self, method: str, params: Any, client: Client) -> Json:
        if method == "tools/list":
            return _as_list({"tools": self._server.catalog.list(client)}, client)
        if method in _OFFERED and (offered := self._server.offers.list(method)) is not None:
            messages.check_cursor(params)
            return _as_list(offered, client)
        if self._modern:
            if method == "server/discover":
                instructions = self._server.instructions(client)
                capabilities = self._server.capabilities(client)
                found = revisions.discover_result(capabilities, instructions, self._cap)
                return _as_list(found, client)
        elif method == "initialize":
            return self._initialize(params)
        elif method == "ping":
            return {}
        elif method == "logging/setLevel" and "logging" in self._profile.capabilities:
            self._log_level = _check_log_level((params or {}).get("level"))
            return {}
        raise messages.Refusal(wire.METHOD_NOT_FOUND, f"Method not found: {method[:100]}")

    def _initialize(self, params: Any) -> Json:
        given = params if isinstance(params, dict) else {}
        try:
            version = revisions.negotiate(self._profile, given.get("protocolVersion"), self._cap)
        except revisions.UnsupportedVersion as refused:
            data = {"supported": refused.supported, "received": refused.received}
            data["requested"] = refused.received
            raise messages.Refusal(wire.INVALID_PARAMS, str(refused), data) from None
        self._client = self._read_client(
            given.get("clientInfo"), version, given.get("capabilities")
        )
        self._initialized = True
        for observe in self._server.observers:
            observe(self._client, "")
        instructions = self._server.instructions(self._client)
        capabilities = self._server.capabilities(self._client)
        return revisions.initialize_result(capabilities, version, instructions)

    # --- calls -------------------------------------------------------------------------------

    def _open_calls(self) -> CallsInFlight:
        if self._calls is None:
            self._calls = self._server.start_calls(self._submit)
        return self._calls

    def _start_call(
        self, message: Json, raw: bytes, client: Client, channel: messages.Channel
    ) -> None:
        level = self._log_level
        if self._modern:
            named = message["params"]["_meta"].get(revisions.META_LOG_LEVEL)
            level = level if named is None else _check_log_level(named)
        self._open_calls().start(message, raw, client, channel, level)

    def close(self, *, cancel: bool = False) -> None:
        """End the conversation: no answers will come; with *cancel*, cancel running calls."""
        if self._calls is not None:
            self._calls.close(cancel=cancel)


def _as_list(body: Json, client: Client) -> Json:
    if not client.is_modern:
        return body
    # What is listed depends on the person, unless all have every right.
    scope = "public" if client.rights == ALL_RIGHTS else "private"
    return {**body, **revisions.CACHED_LIST, "cacheScope": scope}


def _check_log_level(level: Any) -> str:
    if level not in revisions.LOG_LEVELS:
        legal = ", ".join(revisions.LOG_LEVELS)
        raise messages.Refusal(wire.INVALID_PARAMS, f"Unknown logging level; legal: {legal}")
    return str(level)
