"""What is POSTed to /mcp: each message to its conversation, and the answer back.

A session of the handshake era is one conversation, as a stdio pipe is; a request of the stateless
era, or one without a session, is a conversation of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from redline.server.calls.dispatch import Dispatch
from redline.server.calls.workers import Workers
from redline.server.conversation import Conversation
from redline.server.http import header_rules as stateless
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.options import HttpOptions
from redline.server.http.replies import Fields, Send, send_empty, send_json
from redline.server.http.request import Receive, any_reply, malformed
from redline.server.http.response import Exchange, Forms, HangUp
from redline.server.http.sessions import Session, Sessions, SessionsFull
from redline.server.rpc import revisions, wire
from redline.server.rpc.messages import Channel, Refusal
from redline.toolsets.tool import SESSIONLESS, Client, Json

UNKNOWN_SESSION = -32001
_LONGEST_NAME = 100
_NOWHERE = Channel(lambda _: None, lambda _: None, takes_questions=False)


class Post:
    """One POST whose sender, size and form are in order."""

    __slots__ = ("body", "forms", "headers", "message", "principal", "receive", "send", "version")

    def __init__(
        self,
        message: Any,
        body: bytes,
        *,
        principal: str,
        headers: Mapping[str, str],
        version: str | None,
        receive: Receive,
        send: Send,
    ) -> None:
        self.message = message
        self.body = body
        self.principal = principal
        self.headers = headers
        self.version = version
        self.receive = receive
        self.send = send
        self.forms = Forms(headers.get("accept", ""))

    @property
    def request_id(self) -> Any:
        """The id an answer carries; None for a batch."""
        return self.message.get("id") if isinstance(self.message, dict) else None


class Posts:
    """The conversations that are open over HTTP."""

    def __init__(self, dispatch: Dispatch, workers: Workers, options: HttpOptions) -> None:
        self._dispatch = dispatch
        self._workers = workers
        self._options = options
        self._profile = dispatch.profile
        # Under the coding profile a handshake counts for the process, not for one session.
        self._greeted = not self._profile.strict_handshake
        self._ambient = secrets.token_hex(16)
        self._sessions = Sessions(options.max_sessions, options.session_idle)
        self._passing: set[Conversation] = set()
        self._marked: dict[str, tuple[stateless.Marked, ...]] = {}

    @property
    def ambient_headers(self) -> dict[str, str]:
        """What every answer bears under the coding profile: that session is the process."""
        return {"Mcp-Session-Id": self._ambient} if self._profile.strict_handshake else {}

    def stop(self) -> None:
        """Cancel every call in flight."""
        for talk in [*self._passing, *self._sessions.talks]:
            talk.close(cancel=True)

    async def end(self, name: str | None, principal: str, send: Send) -> None:
        """End a session."""
        if name is None:
            raise HttpRefusal(400, wire.INVALID_REQUEST, "Mcp-Session-Id is required")
        self._sessions.end(self._enter(name, principal))
        await send_empty(send, 200, self._fields(name))

    # --- the handshake era -------------------------------------------------------------------

    def check_session(self, headers: Mapping[str, str], principal: str) -> None:
        """Refuse a session that is not open for *principal* before a message in it is read."""
        name = self._named(headers)
        if name is not None:
            self._sessions.leave(self._enter(name, principal))

    def _named(self, headers: Mapping[str, str]) -> str | None:
        name = headers.get("mcp-session-id")
        return None if name == self._ambient else name

    async def handshake(self, post: Post) -> None:
        """A message of the handshake era, or a batch."""
        name = self._named(post.headers)
        bad = isinstance(post.message, dict) and malformed(post.message)
        if bad or (name is None and not _is_greeting(post.message)):
            status = 400 if bad and not self._profile.strict_handshake else 200
            await self._pass_by(post, status, name)
        elif name is None:
            await self._greet(post)
        else:
            session = self._enter(name, post.principal)
            try:
                await self._go_on(session, post)
            finally:
                self._sessions.leave(session)

    def _enter(self, name: str, principal: str) -> Session:
        session = self._sessions.enter(name, principal)
        if session is None:
            text = f"Unknown MCP session: {name[:64]}\nhint: send initialize again"
            raise HttpRefusal(404, UNKNOWN_SESSION, text)
        return session

    async def _greet(self, post: Post) -> None:
        name = secrets.token_hex(16)
        talk = self._conversation(post.principal, connection=name, modern=False, batches=True)
        fields: Fields = []
        exchange = Exchange(post.forms, fields)
        talk.receive(post.message, post.body, exchange.channel)
        if talk.is_greeted:
            self._open(Session(name, post.principal, talk))
            self._greeted = True
            fields += self._fields(name, talk.revision)
        await exchange.finish(post.send, post.request_id, _ok)

    def _open(self, session: Session) -> None:
        try:
            displaced = self._sessions.open(session)
        except SessionsFull:
            text = "Every session is busy\nhint: try again when a call is over, or DELETE a session"
            again = {"Retry-After": "1"}
            raise HttpRefusal(503, wire.INTERNAL_ERROR, text, None, again) from None
        if displaced is not None:
            who = {"principal": displaced.principal, "newcomer": session.principal}
            self._dispatch.audit.record("session_displaced", **who)

    async def _go_on(self, session: Session, post: Post) -> None:
        fields = self._fields(session.name, session.talk.revision)
        if not any_reply(post.message):
            session.talk.receive(post.message, post.body, _NOWHERE)
            await send_empty(post.send, 202, fields)
            return
        exchange = Exchange(post.forms, fields)
        # A call goes on without its client, but nobody is left to be asked.
        watch = HangUp(post.receive, exchange.hung_up)
        try:
            session.talk.receive(post.message, post.body, exchange.channel)
            await exchange.finish(post.send, post.request_id, _ok)
        finally:
            watch.stop()

    async def _pass_by(self, post: Post, status: int, name: str | None) -> None:
        """Answer without a session, or what no session could understand."""
        if name is None and self._profile.strict_handshake:
            name = self._ambient
        fields = self._fields(name) if name else []
        client = self._stranger(post) if self._greeted else None
        talk = self._conversation(post.principal, client=client, batches=True)
        if not any_reply(post.message):
            if client is not None:
                talk.receive(post.message, post.body, _NOWHERE)
            await send_empty(post.send, 202, fields)
            return
        post.forms.stream = False
        await self._answer(talk, post, Exchange(post.forms, fields), lambda _: status)

    def _stranger(self, post: Post) -> Client:
        spoken = post.version or self._profile.spoken_unasked
        cap = self._options.protocol
        if cap in revisions.HANDSHAKE and spoken > cap:
            spoken = cap
        connection = SESSIONLESS + post.principal
        return Client(protocol=spoken, principal=post.principal, connection=connection)

    # --- the stateless era -------------------------------------------------------------------

    async def stateless(self, post: Post) -> None:
        """A message of the stateless era; a client that hangs up cancels its call."""
        message = post.message
        if malformed(message) or "method" not in message:
            text = "Body must be a single JSON-RPC request or notification"
            raise HttpRefusal(400, wire.INVALID_REQUEST, text)
        try:
            self._check(message, post)
        except Refusal as refusal:
            reply = wire.error(post.request_id, refusal.code, refusal.message, refusal.data)
            await send_json(post.send, stateless.status_of(reply), reply, {})
            return
        if "id" not in message:
            await send_empty(post.send, 202, [])
            return
        talk = self._conversation(post.principal, owner=_name_in(message), modern=True)
        exchange = Exchange(post.forms, [])

        def hung_up() -> None:
            talk.close(cancel=True)
            exchange.end()

        watch = HangUp(post.receive, hung_up)
        try:
            await self._answer(talk, post, exchange, stateless.status_of)
        finally:
            watch.stop()

    def _check(self, message: Json, post: Post) -> None:
        if "id" not in message:
            stateless.check_version(post.version)
            return
        stateless.check_headers(message, post.headers)
        if message["method"] != "tools/call":
            return
        params = message.get("params") or {}
        found = self._dispatch.catalog.find(str(params.get("name")))
        if found is not None:
            name = found.tool.name
            if name not in self._marked:
                self._marked[name] = stateless.marked_arguments(found.tool.input_schema)
            stateless.check_arguments(self._marked[name], params.get("arguments"), post.headers)

    # --- both --------------------------------------------------------------------------------

    async def _answer(
        self, talk: Conversation, post: Post, exchange: Exchange, status: Callable[[Any], int]
    ) -> None:
        self._passing.add(talk)
        try:
            talk.receive(post.message, post.body, exchange.channel)
            await exchange.finish(post.send, post.request_id, status)
        finally:
            self._passing.discard(talk)

    def _conversation(
        self, principal: str, *, connection: str | None = None, owner: str = "", **known: Any
    ) -> Conversation:
        connection = connection or SESSIONLESS + principal
        return Conversation(
            self._dispatch,
            # Where nobody has to say who they are, each session or name is somebody.
            partial(self._workers.submit, owner=principal or connection + owner),
            cap=self._options.protocol,
            instructions=self._options.instructions,
            connection=connection,
            principal=principal,
            **known,
        )

    def _fields(self, session: str, revision: str | None = None) -> Fields:
        fields = [(b"mcp-session-id", session.encode())]
        if self._profile.strict_handshake:
            spoken = revision or self._profile.oldest
            fields.append((b"mcp-protocol-version", spoken.encode()))
        return fields


def _name_in(message: Json) -> str:
    """What a client of the stateless era calls itself."""
    meta = (message.get("params") or {}).get("_meta")
    info = meta.get(revisions.META_CLIENT) if isinstance(meta, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name[:_LONGEST_NAME] if isinstance(name, str) else ""


def _is_greeting(message: Any) -> bool:
    return isinstance(message, dict) and message.get("method") == "initialize" and "id" in message


def _ok(_reply: Any) -> int:
    return 200
