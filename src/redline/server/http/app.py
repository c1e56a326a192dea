"""The ASGI application: checks who may send requests, how many, and in what form."""

from __future__ import annotations

import asyncio

from redline.core.access.rights import Right
from redline.server.calls.tool_server import ToolServer
from redline.server.http import replies, request
from redline.server.http.auth import AuthFailed
from redline.server.http.body import CLOSE, check_batch, read_body
from redline.server.http.gate import PERSON, Gate
from redline.server.http.host_policy import HostPolicy, HttpRefusal
from redline.server.http.mcp_endpoint import McpEndpoint
from redline.server.http.pages import PageEndpoint, is_for_browsers
from redline.server.http.post import Post
from redline.server.http.probes import answer_probe
from redline.server.observe.audit import Audit
from redline.server.observe.log import warn
from redline.server.rpc import revisions, wire
from redline.server.rpc.person import Person
from redline.settings import Settings
from redline.toolsets.tool import ProtocolProfile

_AUDITED = {403: "origin_denied", 421: "origin_denied", 408: "receive_timeout"}


class HttpApp:
    """Checks every request, then passes its message to the MCP endpoint."""

    def __init__(
        self,
        endpoint: McpEndpoint,
        server: ToolServer,
        settings: Settings,
        port: int,
        gate: Gate,
        pages: PageEndpoint | None = None,
    ) -> None:
        self._endpoints = {request.MCP: endpoint}
        self._pages = pages
        self._server = server
        self._settings = settings
        self._hosts = HostPolicy(settings, port)
        self._gate = gate
        self._audit: Audit = server.audit
        self.ready = True
        self._metrics = gate.counts.metrics
        server.watchers.append(self._metrics.watch_call)
        self._audit.watch = self._metrics.watch_event

    async def __call__(
        self, scope: request.Scope, receive: request.Receive, send: replies.Send
    ) -> None:
        """Answer one HTTP request."""
        headers = request.headers_of(scope)
        page = self._hosts.allowed_page(headers.get("origin"))
        if page is not None:
            send = replies.allow_page(page, send)
        try:
            if request.FORWARDED not in scope:
                self._hosts.check(headers.get("host"), headers.get("origin"), scope.get("server"))
            await self._route(scope, headers, receive, send)
        except HttpRefusal as refusal:
            kind = _AUDITED.get(refusal.status)
            if kind is not None:
                self._audit.record(kind, reason=refusal.message, peer=request.peer_of(scope))
            body = wire.error(None, refusal.code, refusal.message, refusal.data)
            endpoint = self._endpoints.get(scope["path"])
            named = {} if endpoint is None else endpoint.process_headers
            await replies.send_json(
                send, refusal.status, body, {**named, **(refusal.headers or {})}
            )

    async def _route(
        self,
        scope: request.Scope,
        headers: dict[str, str],
        receive: request.Receive,
        send: replies.Send,
    ) -> None:
        path = scope["path"]
        if await answer_probe(scope, headers, send, self._gate, self._find_problem):
            return
        endpoint = self._endpoint_at(path)
        if endpoint is not None:
            await self._mcp(endpoint, scope, headers, receive, send)
        elif self._pages is not None and is_for_browsers(scope, headers):
            may_read = await asyncio.to_thread(self._may_read, scope, headers)
            await self._pages.serve(
                scope, headers, receive, send, may_read=may_read,
                may_still_read=lambda: self._may_still_read(headers),
            )  # fmt: skip
        else:
            fact = f"Nothing is served at {path[:100]}"
            raise HttpRefusal(404, wire.METHOD_NOT_FOUND, f"{fact}\nhint: tools are at /mcp")

    def _endpoint_at(self, path: str) -> McpEndpoint | None:
        """Return the endpoint at *path*, for the configured tools or for one toolset's."""
        known = self._endpoints.get(path)
        if known is None and path.startswith(f"{request.MCP}/"):
            known = self._endpoints[request.MCP].beside(path.removeprefix(f"{request.MCP}/"))
            if known is not None:
                self._endpoints[path] = known
        return known

    def _may_read(self, scope: request.Scope, headers: dict[str, str]) -> bool:
        """Return whether a request for a page carries what a request for a tool must carry."""
        if PERSON in scope:
            return Right.READ in scope[PERSON].rights
        return self._may_still_read(headers)

    def _may_still_read(self, headers: dict[str, str]) -> bool:
        """Return whether what a request carries is valid now."""
        try:
            person = self._gate.auth.identify(headers.get("authorization"))
        except AuthFailed:
            return False  # the page has its own way to sign in
        return Right.READ in person.rights

    async def _mcp(
        self,
        endpoint: McpEndpoint,
        scope: request.Scope,
        headers: dict[str, str],
        receive: request.Receive,
        send: replies.Send,
    ) -> None:
        method = scope["method"]
        if method == "OPTIONS" and self._hosts.allowed_page(headers.get("origin")):
            await replies.send_empty(send, 204, replies.PREFLIGHT)
            return
        sessionless = headers.get("mcp-protocol-version") in revisions.MODERN
        if method != "POST" and (method != "DELETE" or sessionless):
            # There is nothing to push outside a request, so no stream to open with GET.
            strict = endpoint.profile.strict_handshake or sessionless
            allow = "POST" if strict else "POST, DELETE"
            refused = f"Method not allowed: {method[:20]}"
            raise HttpRefusal(405, wire.INVALID_REQUEST, refused, None, {"Allow": allow})
        if scope["http_version"] == "1.0":  # it has no way to frame a stream
            headers["accept"] = "application/json"
        person = await self._gate.authenticate(scope, headers)
        await self._gate.count_request(person, scope)
        if method == "DELETE":
            await endpoint.end_session(headers.get("mcp-session-id"), person, send)
        else:
            with self._gate.counts.call_of(person.name or request.peer_of(scope)):
                await self._post(endpoint, person, headers, receive, send)

    def _find_problem(self) -> str | None:
        """Return why calls would fail now; the details go to the log."""
        if not self.ready:
            return "stopping"
        try:
            self._server.runtime.tree  # noqa: B018  opens the roots and settles the journal
        except Exception as failure:
            warn(f"not ready: {failure}")
            return "workspace unavailable"
        return None

    def stop(self, *, is_lost: bool = False) -> None:
        """Report at /readyz that the server stops, and cancel running calls.

        *is_lost* when only the workspace is lost, to another server.
        """
        self.ready = False
        for endpoint in self._endpoints.values():
            endpoint.stop(is_lost=is_lost)
        if self._pages is not None:
            self._pages.stop()

    # --- POST --------------------------------------------------------------------------------

    async def _post(
        self,
        endpoint: McpEndpoint,
        person: Person,
        headers: dict[str, str],
        receive: request.Receive,
        send: replies.Send,
    ) -> None:
        kind = headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            raise HttpRefusal(415, wire.INVALID_REQUEST, "Content-Type must be application/json")
        version = self._read_version(headers, endpoint.profile)
        handshake = version is None or version in revisions.HANDSHAKE
        if handshake:
            await endpoint.check_session(headers, person)
        strict = endpoint.profile.strict_handshake
        body = await read_body(headers, receive, self._settings, needs_length=strict)
        if not self.ready:  # the body was still arriving when the server began to stop
            again = {**CLOSE, "Retry-After": "1"}
            data = {"reason": "stopping", "done": "nothing"}
            raise HttpRefusal(503, wire.INTERNAL_ERROR, "The server is stopping", data, again)
        try:
            message = wire.decode(body)
        except ValueError as failure:
            raise HttpRefusal(400, wire.PARSE_ERROR, f"Parse error: {failure}") from None
        post = Post(
            message,
            body,
            person=person,
            headers=headers,
            version=version,
            receive=receive,
            send=send,
        )
        del body  # or a large one stays in memory until its call ends
        if person.scoped:
            self._gate.require_scopes(person, endpoint.missing_rights(post))
        if handshake:
            check_batch(message, endpoint.profile, version)
            await endpoint.handle_handshake(post)
        else:
            await endpoint.handle_stateless(post)

    def _read_version(self, headers: dict[str, str], profile: ProtocolProfile) -> str | None:
        version = headers.get("mcp-protocol-version")
        if version is None:
            return None
        cap = self._settings.protocol
        served = [v for v in revisions.REVISIONS if v >= profile.oldest_revision]
        capped = [v for v in served if cap is None or v <= cap]
        strict = profile.strict_handshake
        # An unknown revision counts as stateless, unless only the handshake era is served.
        newer = version in revisions.MODERN or (version not in revisions.HANDSHAKE and not strict)
        too_new = newer and not any(v in capped for v in revisions.MODERN)
        too_old = strict and not (revisions.is_date(version) and version >= served[0])
        if too_new or too_old:
            raise HttpRefusal(
                400,
                wire.INVALID_REQUEST,
                f"Unsupported MCP protocol version: {version[:40]}",
                {"supported": capped, "received": version, "requested": version},
            )
        if strict and version not in revisions.REVISIONS:
            return served[0]  # newer than any known revision: served as the profile's own
        return version
