"""Answer a request for a workspace here, or forward it to the server that has the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from redline.core.errors import LeaseLost, StoreUnavailable
from redline.server.calls.catalog import Catalog
from redline.server.http.body import CLOSE, read_body
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.replies import Message, Send
from redline.server.http.request import FORWARDED, Receive, Scope
from redline.server.rpc import wire
from redline.settings import Settings
from redline.teams.http.forwarding import Forwarder, NotReached, OwnerLost
from redline.teams.http.proof import NOT_OWNER
from redline.teams.ports import Owner, ServerGroup

# Longer than a lease lasts: within it, another server can take over from one that was killed.
_WAIT_SECONDS = 15.0
_RETRY_SECONDS = 0.1
_THREADS = 64
_AGAIN = {"Retry-After": "1"}


class OwnedElsewhere(Exception):
    """Another server has the workspace."""

    def __init__(self, owner: Owner) -> None:
        super().__init__(owner.server)
        self.owner = owner


class GroupRouting:
    """Answer requests here while this server has their workspace; else forward them."""

    def __init__(self, group: ServerGroup, settings: Settings, catalog: Catalog) -> None:
        self._catalog = catalog
        self._settings = settings
        self._forwarder = Forwarder(group)
        self._is_widened = False

    async def serve(
        self,
        workspace: str,
        scope: Scope,
        headers: dict[str, str],
        receive: Receive,
        send: Send,
        serve_here: Callable[[Receive], Awaitable[None]],
    ) -> None:
        """Answer one request; HttpRefusal.

        *serve_here* opens the workspace; it raises OwnedElsewhere before it has done anything.
        """
        self._widen(asyncio.get_running_loop())
        replay: _Replay | None = None
        end = asyncio.get_running_loop().time() + _WAIT_SECONDS
        while True:
            try:
                await serve_here(replay or receive)
                return
            except OwnedElsewhere as elsewhere:
                if FORWARDED in scope:
                    raise _not_owner(workspace) from None
                replay = replay or await self._read(scope, headers, receive)
                if await self._pass_on(elsewhere.owner, workspace, scope, headers, replay, send):
                    return
            except LeaseLost:
                pass  # another server acquired the workspace first
            except StoreUnavailable as failure:
                raise _unavailable(failure) from None
            if asyncio.get_running_loop().time() > end:
                raise _unreachable(workspace)
            await asyncio.sleep(_RETRY_SECONDS)

    def _widen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give *loop* more threads than its default few.

        Opening a workspace may wait for a server that was stopped in the middle of a commit, and
        must not delay other requests.
        """
        if not self._is_widened:
            self._is_widened = True
            loop.set_default_executor(ThreadPoolExecutor(_THREADS, "shared"))

    async def _read(self, scope: Scope, headers: dict[str, str], receive: Receive) -> _Replay:
        body = b""
        if scope["method"] == "POST":
            body = await read_body(headers, receive, self._settings, needs_length=False)
        return _Replay(body, receive)

    async def _pass_on(
        self,
        owner: Owner,
        workspace: str,
        scope: Scope,
        headers: dict[str, str],
        replay: _Replay,
        send: Send,
    ) -> bool:
        """Forward the request to *owner*; return False when another server may still answer it."""
        try:
            await self._forwarder.forward(
                owner, workspace, scope, headers, replay.body, replay.rest, send
            )
        except NotReached:
            return False
        except OwnerLost:
            if may_repeat(scope, replay.body, self._catalog):
                return False
            raise _lost(workspace) from None
        return True


class _Replay:
    """Gives the handler a request body that was read already."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self.body = body
        # Receives what follows the body: the message that the client hung up.
        self.rest = receive
        self._is_read = False

    async def __call__(self) -> Message:
        if self._is_read:
            return await self.rest()
        self._is_read = True
        return {"type": "http.request", "body": self.body, "more_body": False}


def stopping(scope: Scope) -> HttpRefusal:
    """Return the refusal of a request that arrives while the server stops."""
    fields = {**CLOSE, **_AGAIN, **({NOT_OWNER: "1"} if FORWARDED in scope else {})}
    data = {"reason": "stopping", "done": "nothing"}
    return HttpRefusal(503, wire.INTERNAL_ERROR, "The server is stopping", data, fields)


def _not_owner(workspace: str) -> HttpRefusal:
    text = f"This server does not have the workspace: {workspace}"
    return HttpRefusal(503, wire.INTERNAL_ERROR, text, None, {NOT_OWNER: "1", **_AGAIN})


def _unavailable(failure: StoreUnavailable) -> HttpRefusal:
    data = {"reason": "shared_store_unavailable", "done": "nothing"}
    text = f"{failure.message}\nhint: call again in a moment; nothing was done"
    return HttpRefusal(503, wire.INTERNAL_ERROR, text, data, _AGAIN)


def _unreachable(workspace: str) -> HttpRefusal:
    data = {"reason": "owner_unreachable", "done": "nothing"}
    text = f"The server that has the workspace cannot be reached: {workspace}"
    hint = "hint: call again in a moment; nothing was done"
    return HttpRefusal(503, wire.INTERNAL_ERROR, f"{text}\n{hint}", data, _AGAIN)


def _lost(workspace: str) -> HttpRefusal:
    data = {"reason": "owner_lost", "done": "unknown"}
    text = f"The server that has the workspace ended before it answered: {workspace}"
    hint = "hint: it may have done what you asked for; look, then call again"
    return HttpRefusal(502, wire.INTERNAL_ERROR, f"{text}\n{hint}", data, _AGAIN)


def may_repeat(scope: Scope, body: bytes, catalog: Catalog) -> bool:
    """Return whether a request only reads, so that another server can answer it again."""
    if scope["method"] in ("GET", "HEAD"):
        return True
    if scope["method"] != "POST" or not scope["path"].endswith("/mcp"):
        return False
    try:
        message = wire.decode(body)
    except ValueError:
        return True  # every server refuses it
    return isinstance(message, dict) and _only_reads(message, catalog)


def _only_reads(message: dict[str, Any], catalog: Catalog) -> bool:
    if "id" not in message or "method" not in message:
        return False  # an answer, or a notification such as a cancellation
    if message["method"] != "tools/call":
        return True
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    found = catalog.find(name) if isinstance(name, str) else None
    return found is not None and bool(found.tool.hints.read_only) and not found.tool.writes
