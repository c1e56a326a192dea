"""Serves pages for browsers: HTTP requests to `core.ports.pages` and back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from urllib.parse import parse_qs

from redline.core.ports.pages import Reviewers, WebPages, WebRequest, WebResponse
from redline.server.http.body import read_body
from redline.server.http.host_policy import HostPolicy, HttpRefusal
from redline.server.http.replies import Send, send_json
from redline.server.http.request import Receive, Scope, headers_of, peer_of
from redline.server.observe.audit import Audit
from redline.server.rpc import wire
from redline.settings import Settings

_METHODS = ("GET", "HEAD", "POST")
_FORM = "application/x-www-form-urlencoded"


def is_for_browsers(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether a request is one that pages send: a client with a wrong address sends messages."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return scope["method"] in ("GET", "HEAD") or (scope["method"] == "POST" and kind == _FORM)


class PageEndpoint:
    """Answers browsers with what *pages* render, in threads so that no page delays a call.

    *people* may sign in there with credentials of their own; what is done goes to *audit*.
    """

    def __init__(
        self,
        pages: WebPages,
        settings: Settings,
        people: Reviewers | None = None,
        audit: Audit | None = None,
    ) -> None:
        self._pages = pages
        self._settings = settings
        self._people = people
        self._audit = audit

    async def serve(
        self,
        scope: Scope,
        headers: dict[str, str],
        receive: Receive,
        send: Send,
        *,
        may_read: bool,
        status: int | None = None,
    ) -> None:
        """Answer one request; *may_read* as `WebRequest.is_authenticated`.

        *status* replaces that of the answer.
        """
        method = scope["method"]
        if method not in _METHODS:
            text = f"Method not allowed: {method[:20]}"
            raise HttpRefusal(405, wire.INVALID_REQUEST, text, None, {"Allow": "GET, HEAD, POST"})
        body = b""
        if method == "POST":
            body = await read_body(headers, receive, self._settings, needs_length=False)
        text = scope.get("query_string", b"").decode("latin-1")
        query = parse_qs(text, keep_blank_values=True, errors="replace", max_num_fields=1000)
        request = WebRequest(
            method,
            scope["path"],
            query,
            headers,
            body,
            may_read,
            self._people,
            scope.get("root_path", ""),
        )
        answer = await asyncio.to_thread(self._pages.answer, request)
        if status is not None:
            answer = replace(answer, status=status)
        if answer.actor is not None and self._audit is not None and self._audit.is_kept:
            who = {"principal": answer.actor or "owner", "peer": peer_of(scope)}
            page = scope.get("root_path", "") + scope["path"]
            self._audit.record(_kind_of(scope["path"]), **who, page=page)
        if answer.stream is None or method == "HEAD":
            await _send_whole(answer, send, is_head=method == "HEAD")
        else:
            await _send_stream(answer, receive, send)

    def stop(self) -> None:
        """End every stream."""
        self._pages.close()


def _kind_of(path: str) -> str:
    """Return the audit event of what a form did."""
    if path == "/sign-in":
        return "login"
    if path in ("/create", "/archive"):
        return "admin"
    return "decision" if path.startswith("/held/") else "change"


class PagesAlone:
    """The ASGI application of a server that serves pages and no tools."""

    def __init__(self, pages: WebPages, settings: Settings, port: int) -> None:
        self._endpoint = PageEndpoint(pages, settings)
        self._hosts = HostPolicy(settings, port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = headers_of(scope)
        try:
            self._hosts.check(headers.get("host"), headers.get("origin"), scope.get("server"))
            await self._endpoint.serve(scope, headers, receive, send, may_read=False)
        except HttpRefusal as refusal:
            body = wire.error(None, refusal.code, refusal.message, refusal.data)
            await send_json(send, refusal.status, body, refusal.headers)

    def stop(self) -> None:
        """End every stream."""
        self._endpoint.stop()


def _head(answer: WebResponse, length: int | None) -> dict[str, object]:
    fields = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in answer.headers]
    if length is not None:
        fields.append((b"content-length", b"%d" % length))
    return {"type": "http.response.start", "status": answer.status, "headers": fields}


async def _send_whole(answer: WebResponse, send: Send, *, is_head: bool) -> None:
    await send(_head(answer, len(answer.body)))
    await send({"type": "http.response.body", "body": b"" if is_head else answer.body})


async def _send_stream(answer: WebResponse, receive: Receive, send: Send) -> None:
    """Send what the stream yields until it ends or the browser leaves."""
    assert answer.stream is not None
    await send(_head(answer, None))
    leaving = asyncio.create_task(wait_for_disconnect(receive))
    stream = aiter(answer.stream)
    try:
        while True:
            following = asyncio.ensure_future(anext(stream, None))
            await asyncio.wait({leaving, following}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                following.cancel()
                with suppress(asyncio.CancelledError):
                    await following
                return
            data = following.result()
            if data is None or leaving.done():
                break
            await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        leaving.cancel()


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client has closed its end."""
    while (await receive())["type"] != "http.disconnect":
        pass
