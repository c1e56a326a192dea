"""The ASGI application of one workspace that several servers serve as one."""

from __future__ import annotations

from redline.core.errors import StoreUnavailable
from redline.server.http import request
from redline.server.http.gate import Gate
from redline.server.http.host_policy import HostPolicy, HttpRefusal
from redline.server.http.probes import answer_probe
from redline.server.http.replies import Send, send_json
from redline.server.observe.log import warn
from redline.server.rpc import wire
from redline.settings import Settings
from redline.teams.http.group_routing import GroupRouting, stopping
from redline.teams.http.opened import OpenWorkspaces
from redline.teams.http.proof import accept_proof
from redline.teams.ports import ServerGroup, WorkspaceEntry


class OneOfGroup:
    """Opens the workspace while this server has it, and passes requests on while another does."""

    def __init__(
        self,
        entry: WorkspaceEntry,
        opened: OpenWorkspaces,
        gate: Gate,
        settings: Settings,
        port: int,
        group: ServerGroup,
        routing: GroupRouting,
    ) -> None:
        self._entry = entry
        self._opened = opened
        self._gate = gate
        self._hosts = HostPolicy(settings, port)
        self._group = group
        self._routing = routing
        self._is_ready = True

    async def __call__(self, scope: request.Scope, receive: request.Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = request.headers_of(scope)
        try:
            scope = accept_proof(self._group, scope, headers)
            if request.FORWARDED not in scope:
                self._hosts.check(headers.get("host"), headers.get("origin"), scope.get("server"))
            if not await answer_probe(scope, headers, send, self._gate, self._find_problem):
                await self._serve(scope, headers, receive, send)
        except HttpRefusal as refusal:
            body = wire.error(None, refusal.code, refusal.message, refusal.data)
            await send_json(send, refusal.status, body, refusal.headers)

    async def _serve(
        self, scope: request.Scope, headers: dict[str, str], receive: request.Receive, send: Send
    ) -> None:
        if not self._is_ready:
            raise stopping(scope)
        if request.is_for_tools(scope["path"]) and scope["method"] != "OPTIONS":
            await self._gate.authenticate(scope, headers)  # nobody else opens a workspace
        await self._routing.serve(
            self._entry.name,
            scope,
            headers,
            receive,
            send,
            lambda given: self._opened.serve(self._entry, scope, given, send),
        )

    def stop(self) -> None:
        """Report at /readyz that the server stops, and cancel running calls."""
        self._is_ready = False
        self._opened.stop()

    def _find_problem(self) -> str | None:
        if not self._is_ready:
            return "stopping"
        try:
            self._group.check_store()
        except StoreUnavailable as failure:
            warn(f"not ready: {failure}")
            return "shared store unavailable"
        return None
