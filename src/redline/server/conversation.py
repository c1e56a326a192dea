"""One client's JSON-RPC: both eras, requests in, replies out, calls handed to workers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from redline.server.calls.dispatch import Context, Dispatch
from redline.server.rpc import revisions, wire
from redline.server.rpc.messages import (
    MAX_BATCH,
    Batch,
    Channel,
    Refusal,
    Submit,
    expects_reply,
    id_in,
    is_id,
)
from redline.toolsets.tool import Client, Json

if TYPE_CHECKING:
    from redline.server.calls.in_flight import Calls


class Conversation:
    """Answers the messages of one client. `receive` is called from one thread only."""

    def __init__(
        self,
        dispatch: Dispatch,
        submit: Submit,
        *,
        cap: str | None = None,
        instructions: str = "",
        connection: str = "stdio",
        principal: str = "",
        client: Client | None = None,
        modern: bool | None = None,
        batches: bool = False,
    ) -> None:
        self._dispatch = dispatch
        self._profile = dispatch.profile
        self._submit = submit
        self._cap = cap
        self._instructions = instructions
        self._connection = connection
        self._principal = principal
        self._batches = batches
        # Where a header names the era the body is not asked; None: the first request decides.
        self._era_is_told = modern is not None
        # A client known from elsewhere has no handshake to make.
        self._modern = modern if client is None else False
        self._initialized = client is not None
        newest = cap if cap in revisions.HANDSHAKE else revisions.NEWEST_HANDSHAKE
        self._client = client or Client(protocol=newest)
        self._calls: Calls | None = None
        self._log_level: str | None = None

    @property
    def is_greeted(self) -> bool:
        """Whether the handshake is made, or none is needed."""
        return self._initialized

    @property
    def revision(self) -> str:
        """The protocol revision that was agreed on."""
        return self._client.protocol

    # --- what comes in ---------------------------------------------------------------------

    def receive_bytes(self, line: bytes, channel: Channel) -> None:
        """One line from the client."""
        try:
            message = wire.decode(line)
        except ValueError as failure:
            # Half a surrogate pair is told to whoever waits for an answer to that id.
            text = f"Parse error: {failure}"
            channel.reply(wire.error(id_in(line), wire.PARSE_ERROR, text))
            return
        self.receive(message, line, channel)

    def receive(self, message: Any, raw: bytes, channel: Channel) -> None:
        """One decoded message, or a batch where the revision has them."""
        if isinstance(message, list):
            self._receive_batch(message, raw, channel)
        else:
            self._receive_one(message, raw, channel)

    def _receive_batch(self, items: list[Any], raw: bytes, channel: Channel) -> None:
        revision_has_them = self._client.protocol == "2025-03-26" or self._batches
        allowed = self._profile.serves_batches and revision_has_them
        if not allowed or not items or len(items) > MAX_BATCH:
            reason = (
                f"a batch holds 1 to {MAX_BATCH} messages"
                if allowed
                else "batches are not part of this protocol revision"
            )
            data = {"max_items": MAX_BATCH} if allowed else None
            text = f"Invalid request: {reason}"
            channel.reply(wire.error(None, wire.INVALID_REQUEST, text, data))
            return
        batch = Batch(channel.reply, sum(1 for item in items if expects_reply(item)))
        each = channel.gathered(batch.add)
        for item in items:
            self._receive_one(item, raw, each)

    def _receive_one(self, message: Any, raw: bytes, channel: Channel) -> None:
        problem = self._malformed(message)
        if problem is not None:
            request_id = message.get("id") if isinstance(message, dict) else None
            usable = request_id if is_id(request_id) else None
            text = f"Invalid request: {problem}"
            channel.reply(wire.error(usable, wire.INVALID_REQUEST, text))
        elif "method" not in message:
            if self._calls is not None:
                self._calls.answered(message)
        elif "id" not in message:
            self._notified(message["method"], message.get("params"))
        else:
            self._requested(message, raw, channel)

    def _malformed(self, message: Any) -> str | None:
        if not isinstance(message, dict):
            return "a message is a JSON object"
        if message.get("jsonrpc") != "2.0":
            return 'jsonrpc must be "2.0"'
        if "method" not in message:
            return None if "result" in message or "error" in message else "method is missing"
        if not isinstance(message["method"], str):
            return "method must be a string"
        if "id" in message and not is_id(message["id"]):
            if message["id"] is None and self._profile.null_id_is_request:
                return None
            return "id must be a string or an integer"
        return None

    def _requested(self, message: Json, raw: bytes, channel: Channel) -> None:
        request_id, method, params = message["id"], message["method"], message.get("params")
        if self._modern is None:
            self._modern = method != "initialize" and self._opens_modern(params)
        try:
            if params is not None and not isinstance(params, dict) and not self._tolerates(method):
                raise Refusal(wire.INVALID_PARAMS, "params must be an object")
            client = self._modern_client(method, params) if self._modern else self._client
            if not self._modern:
                self._check_legacy(method, params)
            if method == "tools/call":
                self._running().start(message, raw, client, channel, self._level_for(params))
                return
            body = self._answer(method, params, client)
        except Refusal as refusal:
            channel.reply(wire.error(request_id, refusal.code, refusal.message, refusal.data))
            return
        channel.reply(wire.result(request_id, revisions.stamped(body) if self._modern else body))

    def _tolerates(self, method: str) -> bool:
        return method == "initialize" and self._profile.null_id_is_request

    # --- eras ------------------------------------------------------------------------------

    def _opens_modern(self, params: Any) -> bool:
        if self._cap is not None and self._cap < revisions.MODERN[0]:
            return False
        meta = params.get("_meta") if isinstance(params, dict) else None
        return isinstance(meta, dict) and revisions.META_VERSION in meta

    def _modern_client(self, method: str, params: Any) -> Client:
        meta = params.get("_meta") if isinstance(params, dict) else None
        if method == "initialize" and not self._era_is_told:
            requested = params.get("protocolVersion") if isinstance(params, dict) else None
            raise Refusal(
                wire.UNSUPPORTED_VERSION,
                "This connection serves 2026-07-28; initialize is not part of it",
                {"supported": list(revisions.MODERN), "requested": str(requested or "")},
            )
        needed = (revisions.META_VERSION, revisions.META_CAPABILITIES)
        missing = [key for key in needed if not isinstance(meta, dict) or key not in meta]
        if missing or not isinstance(meta, dict):
            raise Refusal(wire.INVALID_PARAMS, f"params._meta must carry {', '.join(missing)}")
        version = meta[revisions.META_VERSION]
        if not isinstance(version, str):
            raise Refusal(wire.INVALID_PARAMS, f"{revisions.META_VERSION} must be a string")
        if version not in revisions.MODERN:
            raise Refusal(
                wire.UNSUPPORTED_VERSION,
                f"Unsupported protocol version: {version[:40]}",
                {"supported": list(revisions.MODERN), "requested": version},
            )
        return self._introduced(
            meta.get(revisions.META_CLIENT), version, meta[revisions.META_CAPABILITIES]
        )

    def _introduced(self, info: Any, version: str, capabilities: Any) -> Client:
        return revisions.client_of(info, version, capabilities, self._connection, self._principal)

    def _check_legacy(self, method: str, params: Any) -> None:
        if method in ("initialize", "ping"):
            return
        if self._profile.strict_handshake and not self._initialized:
            raise Refusal(
                wire.NOT_INITIALIZED, "Server not initialized\nhint: send initialize first"
            )
        if self._era_is_told or method == "server/discover" or not self._initialized:
            return
        if self._opens_modern(params):
            raise Refusal(
                wire.INVALID_REQUEST,
                f"This connection was opened by initialize and speaks {self._client.protocol}",
            )

    # --- methods ---------------------------------------------------------------------------

    def _answer(self, method: str, params: Any, client: Client) -> Json:
        if method == "tools/list":
            return self._list(client)
        if self._modern:
            if method == "server/discover":
                return revisions.discover_result(self._profile, self._instructions, self._cap)
        elif method == "initialize":
            return self._initialize(params)
        elif method == "ping":
            return {}
        elif method == "logging/setLevel" and "logging" in self._profile.capabilities:
            return self._set_level(params)
        raise Refusal(wire.METHOD_NOT_FOUND, f"Method not found: {method[:100]}")

    def _list(self, client: Client) -> Json:
        body: Json = {"tools": self._dispatch.catalog.list(client)}
        if client.is_modern:
            body["ttlMs"] = revisions.LIST_TTL_MS
            body["cacheScope"] = "public"
        return body

    def _initialize(self, params: Any) -> Json:
        asked = params if isinstance(params, dict) else {}
        try:
            version = revisions.negotiate(self._profile, asked.get("protocolVersion"), self._cap)
        except revisions.UnsupportedVersion as refused:
            data = {"supported": refused.supported, "received": refused.received}
            data["requested"] = refused.received
            raise Refusal(wire.INVALID_PARAMS, str(refused), data) from None
        self._client = self._introduced(asked.get("clientInfo"), version, asked.get("capabilities"))
        self._initialized = True
        return revisions.initialize_result(self._profile, version, self._instructions)

    # --- calls, and what is said about them --------------------------------------------------

    def _running(self) -> Calls:
        if self._calls is None:
            # Loaded at the first call: a client that only lists tools does not pay for it.
            from redline.server.calls.in_flight import Calls

            self._calls = Calls(self._dispatch, self._submit)
        return self._calls

    def _set_level(self, params: Any) -> Json:
        from redline.server.calls.client_log import level_in

        self._log_level = level_in(params)
        return {}

    def _level_for(self, params: Any) -> str | None:
        if not (self._modern and revisions.asks_for_log(params)):
            return self._log_level
        from redline.server.calls.client_log import level_of_request

        return level_of_request(params)

    def _notified(self, method: str, params: Any) -> None:
        if method != "notifications/cancelled" or not isinstance(params, dict):
            return
        request_id = params.get("requestId")
        if not is_id(request_id):
            self._end_session(params)
        elif self._calls is not None:
            self._calls.cancel(request_id)

    def _end_session(self, params: Json) -> None:
        from redline.server.calls.workers import LineFull

        context = Context(self._client)
        # A notification cannot be refused: without a place in line it is as if it had been lost.
        with suppress(LineFull):
            self._submit(lambda: self._dispatch.end_session(params, context), 0)

    def close(self, *, cancel: bool = False) -> None:
        """The client is gone: nobody will answer questions; with *cancel*, calls stop too."""
        if self._calls is not None:
            self._calls.close(cancel=cancel)
