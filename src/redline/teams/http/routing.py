"""The ASGI application of many workspaces: `/w/NAME/...` goes to one, `/` lists them."""

from __future__ import annotations

import asyncio
from typing import Any

from redline.core.access.rights import ALL_RIGHTS, NO_RIGHTS, Right, Rights
from redline.core.errors import RedlineError, StoreUnavailable
from redline.core.ports.pages import WebRequest, WorkspaceFront
from redline.server.http import replies
from redline.server.http.auth import AuthFailed
from redline.server.http.gate import PERSON, Gate
from redline.server.http.host_policy import HostPolicy, HttpRefusal
from redline.server.http.pages import PageEndpoint, is_for_browsers
from redline.server.http.probes import answer_probe
from redline.server.http.request import (
    FORWARDED,
    Receive,
    Scope,
    headers_of,
    is_for_tools,
)
from redline.server.observe.log import warn
from redline.server.rpc import wire
from redline.settings import Settings
from redline.teams.http.group_routing import GroupRouting, stopping
from redline.teams.http.opened import OpenWorkspaces
from redline.teams.http.proof import accept_proof
from redline.teams.http.resting import RestingWorkspaces
from redline.teams.ports import ServerGroup, WorkspaceDirectory, WorkspaceEntry

_BENEATH = "/w/"
_LOOK_SECONDS = 5.0


class ManyWorkspaces:
    """Finds who asks and for which workspace, opens it, and passes the request on.

    A client without credentials does not learn whether a workspace exists, and opens none.
    """

    def __init__(
        self,
        directory: WorkspaceDirectory,
        opened: OpenWorkspaces,
        gate: Gate,
        settings: Settings,
        port: int,
        front: WorkspaceFront,
        group: ServerGroup | None = None,
        routing: GroupRouting | None = None,
        resting: RestingWorkspaces | None = None,
    ) -> None:
        self._group = group
        self._routing = routing
        self._directory = directory
        self._resting = resting
        self._opened = opened
        self._gate = gate
        self._hosts = HostPolicy(settings, port)
        self._front = front
        self._pages = PageEndpoint(front, settings, gate.auth, gate.audit)
        self._watching: asyncio.Task[None] | None = None
        self._is_ready = True
        open_now = ("Workspaces that are open.", lambda: len(opened.names))
        gate.counts.metrics.gauges["redline_open_workspaces"] = open_now

    async def __call__(self, scope: Scope, receive: Receive, send: replies.Send) -> None:
        """Answer one HTTP request."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._close_idle())
        headers = headers_of(scope)
        page = self._hosts.allowed_page(headers.get("origin"))
        answer = send if page is None else replies.allow_page(page, send)
        try:
            if self._group is not None:
                scope = accept_proof(self._group, scope, headers)
            if FORWARDED not in scope:
                self._hosts.check(headers.get("host"), headers.get("origin"), scope.get("server"))
            if scope["path"].startswith(_BENEATH):
                await self._pass_on(scope, headers, receive, send)
            else:
                await self._route(scope, headers, receive, answer)
        except HttpRefusal as refusal:
            body = wire.error(None, refusal.code, refusal.message, refusal.data)
            await replies.send_json(answer, refusal.status, body, refusal.headers or {})

    def stop(self) -> None:
        """Report at /readyz that the server stops, and cancel running calls."""
        self._is_ready = False
        if self._watching is not None:
            self._watching.cancel()
        if self._resting is not None:
            self._resting.stop()
        self._opened.stop()
        self._pages.stop()

    async def _close_idle(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                entries = await asyncio.to_thread(self._directory.list)
                names = {entry.name for entry in entries if not entry.parked_at}
            except (RedlineError, OSError) as failure:
                warn(f"the list of workspaces cannot be read: {failure}")
                continue
            await self._opened.close_idle(is_served=lambda name, known=names: name in known)  # type: ignore[misc]
            if self._resting is not None:
                self._resting.look()

    # --- the server itself -------------------------------------------------------------------

    async def _route(
        self, scope: Scope, headers: dict[str, str], receive: Receive, send: replies.Send
    ) -> None:
        path = scope["path"]
        if await answer_probe(scope, headers, send, self._gate, self._find_problem):
            return
        if path == "/workspaces":
            await replies.send_json(send, 200, await self._list(scope, headers), {})
        elif is_for_browsers(scope, headers):
            may_read = not self._gate.auth.is_required
            await self._pages.serve(scope, headers, receive, send, may_read=may_read)
        else:
            raise _not_found(path)

    def _find_problem(self) -> str | None:
        if not self._is_ready:
            return "stopping"
        try:
            if self._group is not None:
                self._group.check_store()
            self._directory.list()
        except StoreUnavailable as failure:
            warn(f"not ready: {failure}")
            return "shared store unavailable"
        except (RedlineError, OSError) as failure:
            warn(f"not ready: {failure}")
            return "workspaces unavailable"
        return None

    async def _list(self, scope: Scope, headers: dict[str, str]) -> dict[str, Any]:
        """Return the workspaces that the sender may read."""
        await self._gate.authenticate(scope, headers)
        given = headers.get("authorization")

        def find() -> list[dict[str, Any]]:
            return [
                {
                    "name": entry.name,
                    "mcp": f"{_BENEATH}{entry.name}/mcp",
                    "page": f"{_BENEATH}{entry.name}/",
                    "parked": bool(entry.parked_at),
                }
                for entry in self._directory.list()
                if Right.READ in self._rights(given, entry.name)
            ]

        return {"workspaces": await asyncio.to_thread(find)}

    def _rights(self, authorization: str | None, name: str) -> Rights:
        try:
            return self._gate.auth.in_workspace(name).identify(authorization).rights
        except AuthFailed:
            return NO_RIGHTS

    # --- one workspace -----------------------------------------------------------------------

    async def _pass_on(
        self, scope: Scope, headers: dict[str, str], receive: Receive, send: replies.Send
    ) -> None:
        name, slash, rest = scope["path"].removeprefix(_BENEATH).partition("/")
        if scope["method"] == "OPTIONS":  # asks only whether a page may send a request
            if not is_for_tools(f"/{rest}") or not self._hosts.allowed_page(headers.get("origin")):
                raise _not_found(scope["path"])
            await replies.send_empty(
                replies.allow_page(headers["origin"], send), 204, replies.PREFLIGHT
            )
            return
        inner = {**scope, "path": f"/{rest}", "root_path": f"{_BENEATH}{name}"}
        rights = await self._find_rights(inner, headers, name)
        if rights is None:  # a browser that is not signed in: the same answer for every name
            await self._ask_to_sign_in(scope, rest, headers, receive, send)
            return
        entry = await self._find_awake(name) if rights and slash else None
        if entry is None:
            raise _not_found(scope["path"])
        if self._resting is not None:
            await self._resting.note_use(entry)
        if self._routing is None:
            await self._opened.serve(entry, inner, receive, send)
        elif not self._is_ready:
            raise stopping(scope)
        else:
            await self._routing.serve(
                name,
                scope,
                headers,
                receive,
                send,
                lambda given: self._opened.serve(entry, inner, given, send),
            )

    async def _ask_to_sign_in(
        self, scope: Scope, rest: str, headers: dict[str, str], receive: Receive, send: replies.Send
    ) -> None:
        """Answer a browser that sends the cookie alone, or nothing; it needs the script."""
        if rest.startswith("assets/"):
            asset = {**scope, "path": f"/{rest}"}
            await self._pages.serve(asset, headers, receive, send, may_read=False)
            return
        sign_in = {**scope, "path": "/sign-in", "method": "GET"}
        await self._pages.serve(sign_in, headers, receive, send, may_read=False, status=401)

    async def _find_awake(self, name: str) -> WorkspaceEntry | None:
        """Return the workspace of this name, woken if need be; HttpRefusal while it rests."""
        entry = await asyncio.to_thread(self._find, name)
        if entry is None and self._resting is not None:
            entry = await self._resting.find_elsewhere(name)
        if entry is None or not entry.parked_at:
            return entry
        if self._resting is None or not self._resting.wakes(entry):
            raise HttpRefusal(
                503, wire.INTERNAL_ERROR, f"The workspace is parked: {name}\nhint: wake it"
            )
        await self._resting.wake(entry)
        return await asyncio.to_thread(self._find, name)

    async def _find_rights(self, scope: Scope, headers: dict[str, str], name: str) -> Rights | None:
        """Return what the sender may do in a workspace; None for a browser to be asked who it is.

        HttpRefusal where a client sends no valid credentials.
        """
        if is_for_browsers(scope, headers) and "authorization" not in headers:
            if not self._gate.auth.is_required:
                return ALL_RIGHTS
            request = WebRequest("GET", "/", headers=headers, people=self._gate.auth)
            return await asyncio.to_thread(self._front.rights_in, request, name)
        gate = self._gate.in_workspace(name)
        person = await gate.authenticate(scope, headers)
        scope[PERSON] = person
        return ALL_RIGHTS if person.scoped else person.rights

    def _find(self, name: str) -> WorkspaceEntry | None:
        try:
            return self._directory.find(name)
        except (RedlineError, OSError) as failure:
            warn(f"the list of workspaces cannot be read: {failure}")
            return None


def _not_found(path: str) -> HttpRefusal:
    return HttpRefusal(404, wire.METHOD_NOT_FOUND, f"Nothing is served at {path[:100]}")
