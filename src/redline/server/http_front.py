"""The ASGI application in front of the SDK: who may come in, how much, and in what form."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from redline._version import __version__
from redline.dialects.tool import Client, Json
from redline.server import protocol, wire
from redline.server.audit import Audit
from redline.server.auth import Authenticator, AuthFailed
from redline.server.conversation import MAX_BATCH, Conversation, expects_reply
from redline.server.dispatch import Dispatch
from redline.server.futures import settle
from redline.server.http_checks import HttpRefusal, Names
from redline.server.http_options import HttpOptions
from redline.server.http_reply import JsonFirst, Message, Send, send_json, send_text
from redline.server.metrics import Metrics
from redline.server.rate import RateLimit
from redline.server.workers import Workers

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

METADATA = "/.well-known/oauth-protected-resource"
UNKNOWN_SESSION = -32001


class Front:
    """Checks every request, then hands it to the SDK or answers it without a session."""

    def __init__(
        self,
        sdk: App,
        dispatch: Dispatch,
        workers: Workers,
        options: HttpOptions,
        port: int,
        auth: Authenticator,
    ) -> None:
        self._sdk = sdk
        self._dispatch = dispatch
        self._workers = workers
        self._options = options
        self._names = Names(options, port)
        self._auth = auth
        self._limit = RateLimit(options.rate_limit)
        self._audit: Audit = dispatch.audit
        self._profile = dispatch.profile
        # Under the coding profile a handshake counts for the process, not for one session.
        self._greeted = not self._profile.strict_handshake
        self._ambient = secrets.token_hex(16)
        self._talks: set[Conversation] = set()
        self.ready = True
        self._metrics = Metrics(__version__)
        dispatch.watchers.append(self._metrics.watch_call)
        self._audit.watch = self._metrics.watch_event

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One ASGI event source."""
        if scope["type"] != "http":
            await self._sdk(scope, receive, send)
            return
        headers = _headers(scope)
        try:
            self._names.check(headers.get("host"), headers.get("origin"), scope.get("server"))
            await self._route(scope, headers, receive, send)
        except HttpRefusal as refusal:
            if refusal.status in (403, 421):
                self._audit.record("origin_denied", reason=refusal.message, peer=_peer(scope))
            body = wire.error(None, refusal.code, refusal.message, refusal.data)
            await send_json(send, refusal.status, body, refusal.headers)

    async def _route(
        self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        path, method = scope["path"], scope["method"]
        if path in ("/healthz", "/readyz"):
            up = path == "/healthz" or self.ready
            await send_json(send, 200 if up else 503, {"status": "ok" if up else "stopping"}, {})
        elif path == "/metrics":
            await self._authenticate(scope, headers)
            await send_text(send, self._metrics.render())
        elif path.startswith(METADATA) and self._auth.uses_oauth:
            await send_json(send, 200, self._auth.metadata(), {"Cache-Control": "max-age=3600"})
        elif path != "/mcp":
            raise HttpRefusal(404, wire.METHOD_NOT_FOUND, f"Nothing is served at {path[:100]}")
        elif method not in ("POST", "DELETE"):
            # There is nothing to push outside a request, so no stream to open with GET.
            allow = "POST" if self._profile.strict_handshake else "POST, DELETE"
            refused = f"Method not allowed: {method[:20]}"
            raise HttpRefusal(405, wire.INVALID_REQUEST, refused, None, {"Allow": allow})
        else:
            scope["redline.principal"] = await self._authenticate(scope, headers)
            self._check_rate(scope)
            if method == "DELETE":
                await self._sdk(scope, receive, self._reply(headers, send))
            else:
                await self._post(scope, headers, receive, send)

    def stop(self) -> None:
        """Say so at /readyz, and cancel the calls that run without a session."""
        self.ready = False
        for talk in list(self._talks):
            talk.close(cancel=True)

    # --- who, and how often ------------------------------------------------------------------

    async def _authenticate(self, scope: Scope, headers: dict[str, str]) -> str:
        if not self._auth.required:
            return ""
        given = headers.get("authorization")
        try:
            principal = await asyncio.to_thread(self._auth.principal, given)
        except AuthFailed as failure:
            self._audit.record("auth_failed", reason=str(failure), peer=_peer(scope))
            audience = self._options.oauth_audience
            challenge = self._auth.challenge(_metadata_url(audience) if audience else None)
            raise HttpRefusal(
                401, wire.INVALID_REQUEST, "Authorization required", None,
                {"WWW-Authenticate": challenge},
            ) from None  # fmt: skip
        # The SDK ties each session to this user, and answers others as if it did not exist.
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=principal, scopes=[]))
        return principal

    def _check_rate(self, scope: Scope) -> None:
        who = scope["redline.principal"] or _peer(scope)
        wait = self._limit.wait_for(who)
        if wait > 0:
            self._audit.record("rate_limited", principal=who, peer=_peer(scope))
            seconds = str(int(wait) + 1)
            raise HttpRefusal(
                429, wire.INVALID_REQUEST, "Too many requests", {"retry_after": wait},
                {"Retry-After": seconds},
            )  # fmt: skip

    # --- POST --------------------------------------------------------------------------------

    async def _post(
        self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        kind = headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            raise HttpRefusal(415, wire.INVALID_REQUEST, "Content-Type must be application/json")
        version = self._version(headers)
        session = headers.get("mcp-session-id")
        body = await self._read(headers, receive)
        try:
            message = wire.decode(body)
        except ValueError as failure:
            raise HttpRefusal(400, wire.PARSE_ERROR, f"Parse error: {failure}") from None
        scope["redline.raw"] = body
        if version in protocol.MODERN or (version and version not in protocol.HANDSHAKE):
            await self._forward(scope, headers, body, receive, send)
            return
        self._check_batch(message, version)
        method = message.get("method") if isinstance(message, dict) else None
        if method == "initialize" and not _malformed(message):
            body = self._greeting(message)
            await self._forward(scope, headers, body, receive, send)
            self._greeted = True
        elif session and session != self._ambient and not _malformed(message):
            await self._forward(scope, headers, body, receive, send)
        else:
            await self._answer_without_session(scope, message, body, version, send)

    def _version(self, headers: dict[str, str]) -> str | None:
        version = headers.get("mcp-protocol-version")
        if version is None:
            return None
        cap = self._options.protocol
        served = [v for v in protocol.REVISIONS if v >= self._profile.oldest]
        capped = [v for v in served if cap is None or v <= cap]
        too_new = version in protocol.MODERN and version not in capped
        unheard = self._profile.strict_handshake and not _newer_date(version, served[0])
        if too_new or unheard:
            raise HttpRefusal(
                400,
                wire.INVALID_REQUEST,
                f"Unsupported MCP protocol version: {version[:40]}",
                {"supported": capped, "received": version, "requested": version},
            )
        if self._profile.strict_handshake and version not in protocol.REVISIONS:
            return served[0]  # newer than anything known: served as the profile's own revision
        return version

    async def _read(self, headers: dict[str, str], receive: Receive) -> bytes:
        limit = self._options.max_body
        too_big = HttpRefusal(
            413, wire.INVALID_REQUEST, f"Request is over {limit} bytes", {"max_bytes": limit},
            {"Connection": "close"},
        )  # fmt: skip
        declared = headers.get("content-length")
        if declared is None and self._profile.strict_handshake:
            raise HttpRefusal(411, wire.INVALID_REQUEST, "Content-Length is required")
        if declared is not None and int(declared) > limit:
            raise too_big
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._options.receive_timeout):
                while True:
                    event = await receive()
                    if event["type"] == "http.disconnect":
                        raise HttpRefusal(400, wire.INVALID_REQUEST, "Request was cut short")
                    parts.append(event.get("body", b""))
                    size += len(parts[-1])
                    if size > limit:
                        raise too_big
                    if not event.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            self._audit.record("receive_timeout", reason=f"{size} bytes came in time")
            raise HttpRefusal(
                408, wire.INVALID_REQUEST, "Request took too long to arrive", None,
                {"Connection": "close"},
            ) from None  # fmt: skip

    def _check_batch(self, message: Any, version: str | None) -> None:
        if isinstance(message, dict):
            return
        if not isinstance(message, list):
            raise HttpRefusal(400, wire.INVALID_REQUEST, "Body must be a JSON-RPC message")
        only = self._profile.strict_handshake
        if not self._profile.serves_batches or not (only or version in (None, "2025-03-26")):
            raise HttpRefusal(400, wire.INVALID_REQUEST, "This revision has no batches")
        if not message or len(message) > MAX_BATCH:
            raise HttpRefusal(
                400, wire.INVALID_REQUEST, f"A batch holds 1 to {MAX_BATCH} messages",
                {"max_items": MAX_BATCH},
            )  # fmt: skip

    def _greeting(self, message: Json) -> bytes:
        """`initialize` as the SDK will answer it: our choice of revision, nothing missing."""
        params = message.get("params")
        asked: Json = dict(params) if isinstance(params, dict) else {}
        try:
            version = protocol.negotiate(
                self._profile, asked.get("protocolVersion"), self._options.protocol
            )
        except protocol.UnsupportedVersion as refused:
            data = {"supported": refused.supported, "received": refused.received}
            raise HttpRefusal(200, wire.INVALID_PARAMS, str(refused), data) from None
        asked["protocolVersion"] = version
        if not isinstance(asked.get("capabilities"), dict):
            asked["capabilities"] = {}
        info = asked.get("clientInfo")
        info = info if isinstance(info, dict) else {}
        texts = {k: v for k, v in info.items() if k in ("name", "version") and isinstance(v, str)}
        asked["clientInfo"] = {"name": "", "version": "", **texts}
        return wire.encode({**message, "params": asked})

    # --- answers -----------------------------------------------------------------------------

    async def _forward(
        self, scope: Scope, headers: dict[str, str], body: bytes, receive: Receive, send: Send
    ) -> None:
        accept = headers.get("accept", "")
        json_only = "text/event-stream" not in accept and "*/*" not in accept
        scope["redline.json_only"] = json_only
        fields = [(k, v) for k, v in scope["headers"] if k not in (b"accept", b"content-length")]
        fields.append((b"accept", b"application/json, text/event-stream"))
        fields.append((b"content-length", str(len(body)).encode()))
        scope = {**scope, "headers": fields}
        await self._sdk(scope, _replay(body, receive), self._reply(headers, send, json_only))

    def _reply(self, headers: dict[str, str], send: Send, json_only: bool = False) -> Send:
        extra: list[tuple[bytes, bytes]] = []
        if self._profile.strict_handshake:
            extra.append((b"mcp-protocol-version", self._profile.oldest.encode()))
            extra.append((b"mcp-session-id", self._ambient.encode()))
        reply = JsonFirst(send, json_only=json_only, extra=extra)
        session = headers.get("mcp-session-id")

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 404 and session:
                text = f"Unknown MCP session: {session[:64]}\nhint: send initialize again"
                await send_json(send, 404, wire.error(None, UNKNOWN_SESSION, text), {})
                watch.answered = True  # type: ignore[attr-defined]
            elif not getattr(watch, "answered", False):
                await reply(message)

        return watch

    async def _answer_without_session(
        self, scope: Scope, message: Any, body: bytes, version: str | None, send: Send
    ) -> None:
        headers = {"Mcp-Session-Id": self._ambient} if self._profile.strict_handshake else {}
        if not _any_reply(message):
            await send_json(send, 202, None, headers)
            return
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def deliver(reply: Any) -> None:
            if isinstance(reply, dict) and "method" in reply:
                return  # progress has no stream to travel on here
            loop.call_soon_threadsafe(settle, done, reply)

        talk = self._conversation(scope, version, deliver)
        self._talks.add(talk)
        try:
            talk.receive(message, body)
            reply = await done
        finally:
            self._talks.discard(talk)
        bad = isinstance(message, dict) and _malformed(message)
        status = 400 if bad and not self._profile.strict_handshake else 200
        await send_json(send, status, reply, headers)

    def _conversation(
        self, scope: Scope, version: str | None, deliver: Callable[[Any], None]
    ) -> Conversation:
        principal = scope["redline.principal"]
        spoken = version or (
            protocol.HANDSHAKE[1] if not self._profile.strict_handshake else self._profile.oldest
        )
        client = Client(protocol=spoken, principal=principal, connection=f"http:{principal}")
        return Conversation(
            self._dispatch,
            deliver,
            self._workers.submit,
            cap=self._options.protocol,
            instructions=self._options.instructions,
            connection=client.connection,
            client=client if self._greeted else None,
            batches=True,
        )


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replay


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in scope["headers"]:
        name, text = key.decode("latin-1"), value.decode("latin-1")
        if name in ("host", "origin", "authorization") and name in found:
            raise_twice = f"{name} header appears more than once"
            found[name] = raise_twice  # matches nothing, so the request is refused
        else:
            found[name] = text
    return found


def _peer(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def _malformed(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return True
    if "method" not in message:
        return "result" not in message and "error" not in message
    request_id = message.get("id", 0)
    valid_id = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    params = message.get("params")
    valid_params = params is None or isinstance(params, dict)
    return not (isinstance(message["method"], str) and valid_id and valid_params)


def _any_reply(message: Any) -> bool:
    if isinstance(message, list):
        return any(expects_reply(item) for item in message)
    return expects_reply(message)


def _newer_date(version: str, oldest: str) -> bool:
    digits = version.replace("-", "")
    is_date = len(version) == 10 and version[4] == version[7] == "-" and digits.isdigit()
    return is_date and version >= oldest


def _metadata_url(audience: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(audience)
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{METADATA}{path}"
