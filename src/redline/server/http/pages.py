"""Serves pages for browsers: HTTP requests to `core.ports.pages` and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qs

from redline.core.ports.pages import Reviewers, WebPages, WebRequest, WebResponse
from redline.core.records import replace
from redline.server.http.body import read_body
from redline.server.http.host_policy import HostPolicy, HttpRefusal
from redline.server.http.replies import Send, send_json
from redline.server.http.request import Receive, Scope, headers_of, peer_of
from redline.server.observe.audit import Audit
from redline.server.rpc import wire
from redline.settings import Settings

_METHODS = ("GET", "HEAD", "POST")
_FORM = "application/x-www-form-urlencoded"
_STREAMS = 64


def is_for_browsers(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether a request is one that pages send: a client with a wrong address sends messages."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return scope["method"] in ("GET", "HEAD") or (scope["method"] == "POST" and kind == _FORM)


class OpenStreams:
    """The streams of all pages of a server: each person has a limit, and all people together.

    For a further one, the oldest of the person with the most is ended: the page that was opened
    last is the one that is looked at.
    """

    def __init__(self, limit: int, of_a_person: int) -> None:
        self._limit, self._of_a_person = max(1, limit), max(1, of_a_person)
        self._open: dict[str, list[asyncio.Event]] = {}

    @contextmanager
    def opened(self, reader: str) -> Iterator[asyncio.Event]:
        """Count a stream; the event says that it must end."""
        mine = self._open.setdefault(reader, [])
        while len(mine) >= self._of_a_person:
            mine.pop(0).set()
        while sum(map(len, self._open.values())) >= self._limit:
            max(self._open.values(), key=len).pop(0).set()
        end = asyncio.Event()
        mine.append(end)
        try:
            yield end
        finally:
            if end in mine:
                mine.remove(end)
            if not mine and self._open.get(reader) is mine:
                del self._open[reader]


class PageEndpoint:
    """Answers browsers with what *pages* render, in threads so that no page delays a call.

    *people* may sign in there with credentials of their own; what is done goes to *audit*.
    *streams* counts streams; without it there is one reader only.
    """

    def __init__(
        self,
        pages: WebPages,
        settings: Settings,
        people: Reviewers | None = None,
        audit: Audit | None = None,
        streams: OpenStreams | None = None,
    ) -> None:
        self._streams = streams or OpenStreams(_STREAMS, _STREAMS)
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
        may_still_read: Callable[[], bool] = lambda: True,
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
            may_still_read,
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
            with self._streams.opened(answer.reader or f"peer {peer_of(scope)}") as end:
                await _send_stream(answer, receive, send, end)

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


async def _send_stream(
    answer: WebResponse, receive: Receive, send: Send, end: asyncio.Event
) -> None:
    """Send what the stream yields until it ends, must *end*, or the browser leaves."""
    assert answer.stream is not None
    await send(_head(answer, None))
    leaving = asyncio.ensure_future(_first(wait_for_disconnect(receive), end.wait()))
    stream = aiter(answer.stream)
    try:
        while True:
            following = asyncio.ensure_future(anext(stream, None))
            await asyncio.wait({leaving, following}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                following.cancel()
                with suppress(asyncio.CancelledError):
                    await following
                break
            data = following.result()
            if data is None or leaving.done():
                break
            await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        leaving.cancel()


async def _first(*waits: Coroutine[Any, Any, object]) -> None:
    """Wait for the first of several."""
    tasks = [asyncio.ensure_future(each) for each in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client has closed its end."""
    while (await receive())["type"] != "http.disconnect":
        pass
