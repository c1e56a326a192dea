"""One connection's JSON-RPC: both eras, requests in, replies out, calls handed to workers."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from redline.dialects.tool import Client, Json
from redline.server import protocol, wire
from redline.server.cancel import Token
from redline.server.dispatch import Context, Dispatch, no_progress
from redline.server.messages import (
    MAX_BATCH,
    Batch,
    Pending,
    Refusal,
    expects_reply,
    is_id,
)

if TYPE_CHECKING:
    from redline.dialects.tool import Answer, Question
    from redline.server.client_log import ClientLog

Send = Callable[[Json], None]
Submit = Callable[[Callable[[], None]], None]

MAX_RUNNING = 1000
_ASK_SECONDS = 600.0


class Conversation:
    """Answers the messages of one client. `receive` is called from one thread only."""

    def __init__(
        self,
        dispatch: Dispatch,
        send: Send,
        submit: Submit,
        *,
        cap: str | None = None,
        instructions: str = "",
        connection: str = "stdio",
        client: Client | None = None,
        batches: bool = False,
    ) -> None:
        self._dispatch = dispatch
        self._profile = dispatch.profile
        self._send = send
        self._submit = submit
        self._cap = cap
        self._instructions = instructions
        self._connection = connection
        self._batches = batches
        # A client known from elsewhere has no handshake to make.
        self._modern: bool | None = None if client is None else False
        self._initialized = client is not None
        newest = cap if cap in protocol.HANDSHAKE else protocol.NEWEST_HANDSHAKE
        self._client = client or Client(protocol=newest)
        self._running: dict[Any, Token] = {}
        self._lock = Lock()
        self._questions: dict[str, Pending] = {}
        self._asked = 0
        self._log_level: str | None = None

    # --- what comes in ---------------------------------------------------------------------

    def receive_bytes(self, line: bytes) -> None:
        """One line from the client."""
        try:
            message = wire.decode(line)
        except ValueError as failure:
            self._send(wire.error(None, wire.PARSE_ERROR, f"Parse error: {failure}"))
            return
        self.receive(message, line)

    def receive(self, message: Any, raw: bytes) -> None:
        """One decoded message, or a batch where the revision has them.

        An empty reply means: nothing to send, but the request is over.
        """
        if isinstance(message, list):
            self._receive_batch(message, raw)
        else:
            self._receive_one(message, raw, self._send)

    def _receive_batch(self, items: list[Any], raw: bytes) -> None:
        revision_has_them = self._client.protocol == "2025-03-26" or self._batches
        allowed = self._profile.serves_batches and revision_has_them
        if not allowed or not items or len(items) > MAX_BATCH:
            reason = (
                f"a batch holds 1 to {MAX_BATCH} messages"
                if allowed
                else "batches are not part of this protocol revision"
            )
            data = {"max_items": MAX_BATCH} if allowed else None
            self._send(wire.error(None, wire.INVALID_REQUEST, f"Invalid request: {reason}", data))
            return
        batch = Batch(self._send, sum(1 for item in items if expects_reply(item)))
        for item in items:
            self._receive_one(item, raw, batch.add)

    def _receive_one(self, message: Any, raw: bytes, reply: Send) -> None:
        problem = self._malformed(message)
        if problem is not None:
            request_id = message.get("id") if isinstance(message, dict) else None
            usable = request_id if is_id(request_id) else None
            reply(wire.error(usable, wire.INVALID_REQUEST, f"Invalid request: {problem}"))
            return
        if "method" not in message:
            self._receive_answer(message)
        elif "id" not in message:
            self._notified(message["method"], message.get("params"))
        else:
            self._requested(message, raw, reply)

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

    def _requested(self, message: Json, raw: bytes, reply: Send) -> None:
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
                self._start_call(request_id, params, raw, client, reply)
                return
            body = self._answer(method, params, client)
        except Refusal as refusal:
            reply(wire.error(request_id, refusal.code, refusal.message, refusal.data))
            return
        reply(wire.result(request_id, protocol.stamped(body) if self._modern else body))

    def _tolerates(self, method: str) -> bool:
        return method == "initialize" and self._profile.null_id_is_request

    # --- eras ------------------------------------------------------------------------------

    def _opens_modern(self, params: Any) -> bool:
        if self._cap is not None and self._cap < protocol.MODERN[0]:
            return False
        meta = params.get("_meta") if isinstance(params, dict) else None
        return isinstance(meta, dict) and protocol.META_VERSION in meta

    def _modern_client(self, method: str, params: Any) -> Client:
        meta = params.get("_meta") if isinstance(params, dict) else None
        if method == "initialize":
            requested = params.get("protocolVersion") if isinstance(params, dict) else None
            raise Refusal(
                wire.UNSUPPORTED_VERSION,
                "This connection serves 2026-07-28; initialize is not part of it",
                {"supported": list(protocol.MODERN), "requested": str(requested or "")},
            )
        needed = (protocol.META_VERSION, protocol.META_CAPABILITIES)
        missing = [key for key in needed if not isinstance(meta, dict) or key not in meta]
        if missing or not isinstance(meta, dict):
            raise Refusal(wire.INVALID_PARAMS, f"params._meta must carry {', '.join(missing)}")
        version = meta[protocol.META_VERSION]
        if not isinstance(version, str):
            raise Refusal(wire.INVALID_PARAMS, f"{protocol.META_VERSION} must be a string")
        if version not in protocol.MODERN:
            raise Refusal(
                wire.UNSUPPORTED_VERSION,
                f"Unsupported protocol version: {version[:40]}",
                {"supported": list(protocol.MODERN), "requested": version},
            )
        return protocol.client_of(
            meta.get(protocol.META_CLIENT),
            version,
            meta[protocol.META_CAPABILITIES],
            self._connection,
            "",
        )

    def _check_legacy(self, method: str, params: Any) -> None:
        if method in ("initialize", "ping"):
            return
        if self._profile.strict_handshake and not self._initialized:
            raise Refusal(
                wire.NOT_INITIALIZED, "Server not initialized\nhint: send initialize first"
            )
        if method != "server/discover" and self._initialized and self._opens_modern(params):
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
                return protocol.discover_result(self._profile, self._instructions, self._cap)
        elif method == "initialize":
            return self._initialize(params)
        elif method == "ping":
            return {}
        elif method == "logging/setLevel" and "logging" in self._profile.capabilities:
            return self._set_level(params)
        raise Refusal(wire.METHOD_NOT_FOUND, f"Method not found: {method[:100]}")

    def _set_level(self, params: Any) -> Json:
        from redline.server.client_log import level_in

        self._log_level = level_in(params)
        return {}

    def _list(self, client: Client) -> Json:
        body: Json = {"tools": self._dispatch.catalog.list(client)}
        if client.is_modern:
            body["ttlMs"] = protocol.LIST_TTL_MS
            body["cacheScope"] = "public"
        return body

    def _initialize(self, params: Any) -> Json:
        asked = params if isinstance(params, dict) else {}
        try:
            version = protocol.negotiate(self._profile, asked.get("protocolVersion"), self._cap)
        except protocol.UnsupportedVersion as refused:
            data = {"supported": refused.supported, "received": refused.received}
            data["requested"] = refused.received
            raise Refusal(wire.INVALID_PARAMS, str(refused), data) from None
        self._client = protocol.client_of(
            asked.get("clientInfo"), version, asked.get("capabilities"), self._connection, ""
        )
        self._initialized = True
        return protocol.initialize_result(self._profile, version, self._instructions)

    # --- calls -----------------------------------------------------------------------------

    def _start_call(
        self, request_id: Any, params: Any, raw: bytes, client: Client, reply: Send
    ) -> None:
        token = Token()
        log = self._log_for(params, token)
        with self._lock:
            if request_id in self._running:
                raise Refusal(wire.INVALID_REQUEST, "A request with this id is still running")
            if len(self._running) >= MAX_RUNNING:
                raise Refusal(wire.INVALID_REQUEST, f"Over {MAX_RUNNING} calls are running")
            self._running[request_id] = token
        context = Context(
            client,
            request_id=str(request_id),
            cancel=token,
            progress=self._progress_for(params, token),
            raw=raw,
            asker=lambda question: self._ask(question, token),
            log=log,
        )
        self._submit(lambda: self._run_call(request_id, params, context, reply))

    def _run_call(self, request_id: Any, params: Any, context: Context, reply: Send) -> None:
        try:
            outcome = self._dispatch.call(params, context)
        finally:
            with self._lock:
                self._running.pop(request_id, None)
        if context.cancel.cancelled:
            reply({})  # the specification wants no answer to a cancelled request
        elif isinstance(outcome, dict):
            reply(wire.result(request_id, protocol.stamped(outcome) if self._modern else outcome))
        else:
            reply(wire.error(request_id, outcome.code, outcome.message, outcome.data))

    def _log_for(self, params: Any, token: Token) -> ClientLog | None:
        if self._log_level is None and not (self._modern and protocol.asks_for_log(params)):
            return None
        from redline.server.client_log import ClientLog, level_of_request

        level = level_of_request(params) if self._modern else self._log_level
        if level is None:
            return None

        def deliver(params: Json) -> None:
            if not token.cancelled:
                self._send({"jsonrpc": "2.0", "method": "notifications/message", "params": params})

        return ClientLog(level, deliver)

    def _progress_for(self, params: Any, token: Token) -> Callable[..., None]:
        meta = params.get("_meta") if isinstance(params, dict) else None
        progress_token = meta.get("progressToken") if isinstance(meta, dict) else None
        if not isinstance(progress_token, str | int) or isinstance(progress_token, bool):
            return no_progress
        last = [-1.0]

        def progress(done: float, total: float | None = None, message: str = "") -> None:
            if done <= last[0] or token.cancelled:
                return  # progress only ever increases
            last[0] = done
            params: Json = {"progressToken": progress_token, "progress": done}
            if total is not None:
                params["total"] = total
            if message and self._client.protocol != "2024-11-05":
                params["message"] = message
            self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

        return progress

    # --- notifications, and answers to what we asked -----------------------------------------

    def _notified(self, method: str, params: Any) -> None:
        if method != "notifications/cancelled" or not isinstance(params, dict):
            return
        request_id = params.get("requestId")
        if not is_id(request_id):
            context = Context(self._client)
            self._submit(lambda: self._dispatch.end_session(params, context))
            return
        with self._lock:
            token = self._running.get(request_id)
        if token is not None:
            token.cancel()

    def _ask(self, question: Question, token: Token) -> Answer:
        from redline.server.asking import elicitation, read_answer

        with self._lock:
            self._asked += 1
            key = f"redline-{self._asked}"
            pending = self._questions[key] = Pending()
        token.on_cancel(pending.arrived.set)
        self._send({"jsonrpc": "2.0", "id": key, **elicitation(question)})
        pending.arrived.wait(_ASK_SECONDS)
        with self._lock:
            self._questions.pop(key, None)
        return read_answer(pending.answer)

    def _receive_answer(self, message: Json) -> None:
        with self._lock:
            pending = self._questions.get(str(message.get("id")))
        if pending is not None:
            pending.answer = message.get("result")
            pending.arrived.set()

    def close(self, *, cancel: bool = False) -> None:
        """The client is gone: nobody will answer questions; with *cancel*, calls stop too."""
        with self._lock:
            questions = list(self._questions.values())
            tokens = list(self._running.values())
        for pending in questions:
            pending.arrived.set()
        if cancel:
            for token in tokens:
                token.cancel()
