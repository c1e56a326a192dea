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
from redline.server.conversation import Conversation
from redline.server.dispatch import Dispatch
from redline.server.futures import settle
from redline.server.http_body import check_form, read_body
from redline.server.http_checks import HttpRefusal, Names
from redline.server.http_options import HttpOptions
from redline.server.http_reply import (
    PREFLIGHT,
    JsonFirst,
    Message,
    Send,
    readable_by,
    send_json,
    send_text,
)
from redline.server.http_request import (
    METADATA,
    Receive,
    Scope,
    any_reply,
    headers_of,
    malformed,
    metadata_url,
    newer_date,
    peer_of,
    replay,
)
from redline.server.log import warn
from redline.server.metrics import Metrics
from redline.server.rate import RateLimit
from redline.server.workers import Workers

App = Callable[[Scope, Receive, Send], Awaitable[None]]

UNKNOWN_SESSION = -32001
_FAILURES_PER_SECOND = 5.0
_AUDITED = {403: "origin_denied", 421: "origin_denied", 408: "receive_timeout"}


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
        self._failures = RateLimit(_FAILURES_PER_SECOND)
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
        headers = headers_of(scope)
        page = self._names.opens_to(headers.get("origin"))
        if page is not None:
            send = readable_by(page, send)
        try:
            self._names.check(headers.get("host"), headers.get("origin"), scope.get("server"))
            await self._route(scope, headers, receive, send)
        except HttpRefusal as refusal:
            kind = _AUDITED.get(refusal.status)
            if kind is not None:
                self._audit.record(kind, reason=refusal.message, peer=peer_of(scope))
            body = wire.error(None, refusal.code, refusal.message, refusal.data)
            await send_json(send, refusal.status, body, refusal.headers)

    async def _route(
        self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        path = scope["path"]
        if path == "/healthz":
            await send_json(send, 200, {"status": "ok"}, {})
        elif path == "/readyz":
            problem = await asyncio.to_thread(self._problem)
            await send_json(send, 503 if problem else 200, {"status": problem or "ok"}, {})
        elif path == "/metrics":
            await self._authenticate(scope, headers)
            await send_text(send, self._metrics.render())
        elif path.startswith(METADATA) and self._auth.uses_oauth:
            await send_json(send, 200, self._auth.metadata(), {"Cache-Control": "max-age=3600"})
        elif path != "/mcp":
            raise HttpRefusal(404, wire.METHOD_NOT_FOUND, f"Nothing is served at {path[:100]}")
        else:
            await self._mcp(scope, headers, receive, send)

    async def _mcp(
        self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        method = scope["method"]
        if method == "OPTIONS" and self._names.opens_to(headers.get("origin")):
            await send_json(send, 204, None, PREFLIGHT)
            return
        if method not in ("POST", "DELETE"):
            # There is nothing to push outside a request, so no stream to open with GET.
            allow = "POST" if self._profile.strict_handshake else "POST, DELETE"
            refused = f"Method not allowed: {method[:20]}"
            raise HttpRefusal(405, wire.INVALID_REQUEST, refused, None, {"Allow": allow})
        principal = scope["redline.principal"] = await self._authenticate(scope, headers)
        peer = peer_of(scope)
        self._check_rate(self._limit, principal or peer, peer)
        if method == "DELETE":
            await self._sdk(scope, receive, self._reply(headers, send))
        else:
            await self._post(scope, headers, receive, send)

    def _problem(self) -> str | None:
        """Why calls would fail now; the details are for the log."""
        if not self.ready:
            return "stopping"
        try:
            self._dispatch.runtime.tree  # noqa: B018  opens the roots and settles the journal
        except Exception as failure:
            warn(f"not ready: {failure}")
            return "workspace unavailable"
        return None

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
            if self._auth.uses_oauth:  # may fetch the issuer's keys
                principal = await asyncio.to_thread(self._auth.principal, given)
            else:
                principal = self._auth.principal(given)
        except AuthFailed as failure:
            self._audit.record("auth_failed", reason=str(failure), peer=peer_of(scope))
            self._check_rate(self._failures, f"failed:{peer_of(scope)}", peer_of(scope))
            audience = self._options.oauth_audience
            challenge = self._auth.challenge(metadata_url(audience) if audience else None)
            raise HttpRefusal(
                401, wire.INVALID_REQUEST, "Authorization required", None,
                {"WWW-Authenticate": challenge},
            ) from None  # fmt: skip
        # The SDK ties each session to this user, and answers others as if it did not exist.
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=principal, scopes=[]))
        return principal

    def _check_rate(self, limit: RateLimit, who: str, peer: str) -> None:
        wait = limit.wait_for(who)
        if wait > 0:
            self._audit.record("rate_limited", principal=who, peer=peer)
            raise HttpRefusal(
                429, wire.INVALID_REQUEST, "Too many requests", {"retry_after": wait},
                {"Retry-After": str(int(wait) + 1)},
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
        strict = self._profile.strict_handshake
        body = await read_body(headers, receive, self._options, needs_length=strict)
        try:
            message = wire.decode(body)
        except ValueError as failure:
            raise HttpRefusal(400, wire.PARSE_ERROR, f"Parse error: {failure}") from None
        scope["redline.raw"] = body
        if version in protocol.MODERN or (version and version not in protocol.HANDSHAKE):
            await self._forward(scope, headers, body, receive, send)
            return
        check_form(message, self._profile, version)
        method = message.get("method") if isinstance(message, dict) else None
        if method == "initialize" and not malformed(message):
            body = self._greeting(message)
            await self._forward(scope, headers, body, receive, send)
            self._greeted = True
        elif session and session != self._ambient and not malformed(message):
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
        unheard = self._profile.strict_handshake and not newer_date(version, served[0])
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
        exact: dict[bytes, bytes] = {}
        scope = {**scope, "headers": fields, "redline.exact": exact}
        reply = self._reply(headers, send, json_only, exact)
        await self._sdk(scope, replay(body, receive), reply)

    def _reply(
        self,
        headers: dict[str, str],
        send: Send,
        json_only: bool = False,
        exact: dict[bytes, bytes] | None = None,
    ) -> Send:
        extra: list[tuple[bytes, bytes]] = []
        if self._profile.strict_handshake:
            extra.append((b"mcp-protocol-version", self._profile.oldest.encode()))
            extra.append((b"mcp-session-id", self._ambient.encode()))
        reply = JsonFirst(send, json_only=json_only, extra=extra, exact=exact)
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
        if not any_reply(message):
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
        bad = isinstance(message, dict) and malformed(message)
        status = 400 if bad and not self._profile.strict_handshake else 200
        await send_json(send, status, reply, headers)

    def _conversation(
        self, scope: Scope, version: str | None, deliver: Callable[[Any], None]
    ) -> Conversation:
        principal = scope["redline.principal"]
        spoken = version or self._profile.spoken_unasked
        cap = self._options.protocol
        if cap in protocol.HANDSHAKE and spoken > cap:
            spoken = cap
        client = Client(protocol=spoken, principal=principal, connection=f"http:{principal}")
        return Conversation(
            self._dispatch,
            deliver,
            self._workers.submit,
            cap=cap,
            instructions=self._options.instructions,
            connection=client.connection,
            client=client if self._greeted else None,
            batches=True,
        )
