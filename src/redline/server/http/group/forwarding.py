"""Passes a request on to the server that has its workspace, and the answer back as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from redline.core.errors import StoreUnavailable
from redline.core.ports.teams import Owner, ServerGroup
from redline.server.http.group.proof import HEADER, NOT_OWNER, make_proof
from redline.server.http.pages import wait_for_disconnect
from redline.server.http.replies import Send
from redline.server.http.request import Receive, Scope

if TYPE_CHECKING:  # a server that has every workspace itself needs no client
    import httpx2

_LOOK_SECONDS = 0.5
# An owner that is only busy takes a lease again that has ended: it is lost after so many looks.
_LOOKS = 3
# Shorter than the owner keeps an idle connection, so that none is used while it is closed.
_IDLE_SECONDS = 2.0
_HOP_BY_HOP = frozenset(
    ("connection", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", HEADER)
)
_END = object()
# What the server that answers the client writes itself.
_OWN = _HOP_BY_HOP | {"date", "server"}


class NotReached(Exception):
    """The request did nothing: the owner was not reached, or is not the owner any more."""


class OwnerLost(Exception):
    """The owner ended, or lost the workspace, before it answered; it may have done something."""


class Forwarder:
    """Sends requests to other servers of the group, over connections that are used again."""

    def __init__(self, group: ServerGroup) -> None:
        self._group = group
        self._client: httpx2.AsyncClient | None = None

    async def forward(
        self,
        owner: Owner,
        workspace: str,
        scope: Scope,
        headers: dict[str, str],
        body: bytes,
        receive: Receive,
        send: Send,
    ) -> None:
        """Have *owner* answer a request; NotReached, OwnerLost.

        A client that hangs up, or an owner that loses the workspace, ends the wait.
        """
        import httpx2

        request = self._request(owner, scope, headers, body)
        leaving = asyncio.create_task(wait_for_disconnect(receive))
        losing = asyncio.create_task(self._wait_for_loss(workspace, owner.server))
        ends = {leaving, losing}
        try:
            response = await _first_of(self._open_client().send(request, stream=True), ends)
            if response is None:
                if losing.done():
                    raise OwnerLost
                return  # the client is gone
            try:
                if NOT_OWNER in response.headers:
                    raise NotReached
                await _copy(response, ends, send)
            finally:
                await response.aclose()
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as failure:
            raise NotReached from failure
        except httpx2.TransportError as failure:
            raise OwnerLost from failure
        finally:
            for task in ends:
                task.cancel()

    def _request(
        self, owner: Owner, scope: Scope, headers: dict[str, str], body: bytes
    ) -> httpx2.Request:
        import httpx2

        proof = make_proof(self._group, owner.server, scope, headers)
        fields = [
            (name, value)
            for name, value in scope["headers"]
            if name.decode("latin-1") not in _HOP_BY_HOP and name != b"content-length"
        ]
        query = scope["query_string"].decode("latin-1")
        path = scope["raw_path"].decode("latin-1")
        return httpx2.Request(
            scope["method"],
            f"{owner.address}{path}" + (f"?{query}" if query else ""),
            headers=[*fields, (HEADER.encode(), proof.encode("latin-1"))],
            content=body if scope["method"] == "POST" else None,
        )

    def _open_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2

            self._client = httpx2.AsyncClient(
                follow_redirects=False,
                trust_env=False,
                timeout=httpx2.Timeout(None, connect=2.0),
                limits=httpx2.Limits(
                    max_connections=None,
                    max_keepalive_connections=64,
                    keepalive_expiry=_IDLE_SECONDS,
                ),
            )
        return self._client

    async def _wait_for_loss(self, workspace: str, server: str) -> None:
        """Return when *server* does not have the workspace any more: it may hang for ever."""
        missed = 0
        while missed < _LOOKS:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                owner = await asyncio.to_thread(self._group.find_owner, workspace)
            except StoreUnavailable:
                continue
            if owner is not None and owner.server != server:
                return
            missed = missed + 1 if owner is None else 0


async def _first_of(wanted: Any, ends: set[asyncio.Task[None]]) -> Any:
    """Return the result of *wanted*; None when one of *ends* was first."""
    task = asyncio.ensure_future(wanted)
    await asyncio.wait({task, *ends}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task
    return None


async def _copy(response: httpx2.Response, ends: set[asyncio.Task[None]], send: Send) -> None:
    from httpx2 import TransportError

    fields = [
        (name.lower(), value)
        for name, value in response.headers.raw
        if name.decode("latin-1").lower() not in _OWN
    ]
    await send({"type": "http.response.start", "status": response.status_code, "headers": fields})
    chunks: AsyncIterator[bytes] = response.aiter_raw()
    with suppress(TransportError):  # then the connection to the client is cut as well
        while (data := await _first_of(anext(chunks, _END), ends)) is not None:
            if data is _END:
                await send({"type": "http.response.body", "body": b""})
                return
            await send({"type": "http.response.body", "body": data, "more_body": True})
