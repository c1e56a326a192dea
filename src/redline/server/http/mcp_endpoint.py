"""POST and DELETE at /mcp: passes each message to its conversation and sends the answer.

A session of the handshake era is one conversation, as a stdio pipe is; a request of the stateless
era, or one without a session, is a conversation of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from redline.core.access.rights import Right, Rights
from redline.server.calls.tool_server import ToolServer
from redline.server.calls.workers import Workers
from redline.server.conversation import Conversation
from redline.server.http import header_rules, response
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.post import Post, client_name, is_initialize, is_valid
from redline.server.http.replies import Fields, Send, send_empty, send_json
from redline.server.http.session_records import SessionRecords
from redline.server.http.sessions import HttpSession, Sessions, SessionsFull
from redline.server.rpc import revisions, wire
from redline.server.rpc.messages import (
    MAX_BATCH,
    Channel,
    Refusal,
    any_expects_reply,
)
from redline.server.rpc.person import Person
from redline.settings import Settings
from redline.toolsets.tool import SESSIONLESS, Client, Json, ProtocolProfile

UNKNOWN_SESSION = -32001
_DISCARD = Channel(lambda _: None, lambda _: None, takes_questions=False)


class McpEndpoint:
    """Passes messages to the conversations that are open over HTTP."""

    def __init__(
        self,
        server: ToolServer,
        workers: Workers,
        settings: Settings,
        records: SessionRecords | None = None,
    ) -> None:
        self._server = server
        # Where other servers find the sessions that are open here, if there are others.
        self._records = records
        self._workers = workers
        self._settings = settings
        self._profile = server.profile
        # With a strict handshake, one handshake counts for the whole process.
        self._initialized = not self._profile.strict_handshake
        own = secrets.token_hex(16)
        self._process_session = own if records is None else records.process_session
        self._sessions = Sessions(settings.max_sessions, settings.session_idle)
        # Conversations without a session that have a request running.
        self._active: set[Conversation] = set()
        self._is_lost = False
        self._marked: dict[str, tuple[header_rules.Marked, ...]] = {}

    @property
    def profile(self) -> ProtocolProfile:
        """What the toolset at this address asks of the protocol."""
        return self._profile

    def beside(self, toolset: str) -> McpEndpoint | None:
        """Return an endpoint of another toolset over the same workspace; None: no such toolset."""
        server = self._server.beside(toolset)
        if server is None:
            return None
        return McpEndpoint(server, self._workers, self._settings, self._records)

    @property
    def process_headers(self) -> dict[str, str]:
        """The headers of every answer where a strict handshake makes the process the session."""
        return {"Mcp-Session-Id": self._process_session} if self._profile.strict_handshake else {}

    def stop(self, *, is_lost: bool = False) -> None:
        """Cancel every running call; *is_lost* when another server acquired the workspace."""
        self._is_lost = is_lost
        for conversation in [*self._active, *self._sessions.conversations]:
            conversation.close(cancel=True)

    async def end_session(self, name: str | None, person: Person, send: Send) -> None:
        """End a session."""
        if name is None:
            raise HttpRefusal(400, wire.INVALID_REQUEST, "Mcp-Session-Id is required")
        self._sessions.end(await self._enter(name, person))
        if self._records is not None:
            await self._records.remove(name)
        await send_empty(send, 200, self._fields(name))

    def missing_rights(self, post: Post) -> Rights:
        """Return what the calls of a message need and their sender may not do."""
        messages = post.message if isinstance(post.message, list) else [post.message]
        needed: Rights = frozenset({Right.READ})
        for message in messages[:MAX_BATCH]:
            if isinstance(message, dict) and message.get("method") == "tools/call":
                params = message.get("params")
                name = params.get("name") if isinstance(params, dict) else None
                found = self._server.catalog.find(name) if isinstance(name, str) else None
                needed |= found.tool.rights if found is not None else frozenset()
        return needed - post.person.rights

    # --- the handshake era -------------------------------------------------------------------

    async def check_session(self, headers: Mapping[str, str], person: Person) -> None:
        """Refuse a session that is not open for *person* before a message in it is read."""
        name = self._session_name(headers)
        if name is not None:
            self._sessions.leave(await self._enter(name, person))

    def _session_name(self, headers: Mapping[str, str]) -> str | None:
        name = headers.get("mcp-session-id")
        return None if name == self._process_session else name

    async def handle_handshake(self, post: Post) -> None:
        """Answer a message of the handshake era, or a batch."""
        name = self._session_name(post.headers)
        is_invalid = isinstance(post.message, dict) and not is_valid(post.message, self._profile)
        if is_invalid or (name is None and not is_initialize(post.message)):
            status = 400 if is_invalid and not self._profile.strict_handshake else 200
            await self._answer_without_session(post, status, name)
        elif name is None:
            await self._open_session(post)
        else:
            session = await self._enter(name, post.person)
            try:
                await self._continue_session(session, post)
            finally:
                self._sessions.leave(session)

    async def _enter(self, name: str, person: Person) -> HttpSession:
        session = self._sessions.enter(name, person.name)
        if session is None and self._records is not None:
            session = await self._resume(name, person, self._records)
        if session is None:
            text = f"Unknown MCP session: {name[:64]}\nhint: send initialize again"
            raise HttpRefusal(404, UNKNOWN_SESSION, text)
        return session

    async def _resume(
        self, name: str, person: Person, records: SessionRecords
    ) -> HttpSession | None:
        """Go on with a session that another server has opened."""
        record = await records.load(name, person.name)
        session = self._sessions.enter(name, person.name)  # a request at the same time was first
        if session is None and record is not None:
            conversation = self._converse(person, connection=name, batches=True, record=record)
            await self._add_session(HttpSession(name, person.name, conversation))
            session = self._sessions.enter(name, person.name)
        return session

    async def _open_session(self, post: Post) -> None:
        name = secrets.token_hex(16)
        conversation = self._converse(post.person, connection=name, modern=False, batches=True)
        fields: Fields = []
        exchange = self._exchange(post, fields)
        conversation.receive(post.message, post.take_body(), exchange.channel)
        if conversation.is_initialized:
            session = HttpSession(name, post.principal, conversation)
            await self._add_session(session)
            if self._records is not None:
                await self._records.save(session)
                await self._records.note_handshake()
            self._initialized = True
            fields += self._fields(name, conversation.revision)
        await exchange.finish(post.send, post.request_id, _ok)

    async def _add_session(self, session: HttpSession) -> None:
        try:
            displaced = self._sessions.open(session)
        except SessionsFull:
            text = "Every session is busy\nhint: try again when a call ends, or DELETE a session"
            again = {"Retry-After": "1"}
            raise HttpRefusal(503, wire.INTERNAL_ERROR, text, None, again) from None
        if displaced is not None:
            if self._records is not None:
                await self._records.remove(displaced.name)
            who = {"principal": displaced.principal, "newcomer": session.principal}
            self._server.audit.record("session_displaced", **who)

    async def _continue_session(self, session: HttpSession, post: Post) -> None:
        session.conversation.set_rights(post.person.rights)
        fields = self._fields(session.name, session.conversation.revision)
        if not any_expects_reply(post.message):
            session.conversation.receive(post.message, post.take_body(), _DISCARD)
            await send_empty(post.send, 202, fields)
            return
        exchange = self._exchange(post, fields)
        # A call goes on when its client is gone, but can ask no more questions.
        watch = response.HangUp(post.receive, exchange.hung_up)
        try:
            session.conversation.receive(post.message, post.take_body(), exchange.channel)
            if self._records is not None:
                await self._records.save(session)
            await exchange.finish(post.send, post.request_id, _ok)
        finally:
            watch.stop()

    async def _answer_without_session(self, post: Post, status: int, name: str | None) -> None:
        """Answer a message that has no session, or that is invalid in any session."""
        if name is None and self._profile.strict_handshake:
            name = self._process_session
        fields = self._fields(name) if name else []
        if not self._initialized and self._records is not None:
            self._initialized = await self._records.has_handshake()
        client = self._anonymous_client(post) if self._initialized else None
        conversation = self._converse(post.person, client=client, batches=True)
        if not any_expects_reply(post.message):
            if client is not None:
                conversation.receive(post.message, post.take_body(), _DISCARD)
            await send_empty(post.send, 202, fields)
            return
        post.accepted.stream = False
        exchange = self._exchange(post, fields)
        await self._answer(conversation, post, exchange, lambda _: status)

    def _anonymous_client(self, post: Post) -> Client:
        unnamed = self._profile.default_revision or revisions.UNNAMED_OVER_HTTP
        revision = post.version or unnamed
        cap = self._settings.protocol
        if cap in revisions.HANDSHAKE and revision > cap:
            revision = cap
        connection = SESSIONLESS + post.principal
        return Client(
            protocol=revision,
            principal=post.principal,
            connection=connection,
            rights=post.person.rights,
        )

    # --- the stateless era -------------------------------------------------------------------

    async def handle_stateless(self, post: Post) -> None:
        """Answer a message of the stateless era; a client that hangs up cancels its call."""
        message = post.message
        if not is_valid(message) or "method" not in message:
            text = "Body must be a single JSON-RPC request or notification"
            raise HttpRefusal(400, wire.INVALID_REQUEST, text)
        try:
            self._check_headers(message, post)
        except Refusal as refusal:
            reply = refusal.reply(post.request_id)
            await send_json(post.send, header_rules.status_of(reply), reply, {})
            return
        if "id" not in message:
            await send_empty(post.send, 202, [])
            return
        name = client_name(message)
        conversation = self._converse(post.person, owner=name, modern=True)
        exchange = self._exchange(post, [])

        def hung_up() -> None:
            conversation.close(cancel=True)
            exchange.end()

        watch = response.HangUp(post.receive, hung_up)
        try:
            await self._answer(conversation, post, exchange, header_rules.status_of)
        finally:
            watch.stop()

    def _check_headers(self, message: Json, post: Post) -> None:
        if "id" not in message:
            header_rules.check_version(post.version)
            return
        header_rules.check_headers(message, post.headers)
        if message["method"] != "tools/call":
            return
        params = message.get("params") or {}
        found = self._server.catalog.find(str(params.get("name")))
        if found is not None:
            name = found.tool.name
            if name not in self._marked:
                self._marked[name] = header_rules.marked_arguments(found.tool.input_schema)
            header_rules.check_arguments(self._marked[name], params.get("arguments"), post.headers)

    # --- both --------------------------------------------------------------------------------

    async def _answer(
        self,
        conversation: Conversation,
        post: Post,
        exchange: response.HttpExchange,
        status: Callable[[Any], int],
    ) -> None:
        self._active.add(conversation)
        try:
            conversation.receive(post.message, post.take_body(), exchange.channel)
            await exchange.finish(post.send, post.request_id, status)
        finally:
            self._active.discard(conversation)

    def _converse(
        self, person: Person, *, connection: str | None = None, owner: str = "", **known: Any
    ) -> Conversation:
        connection = connection or SESSIONLESS + person.name
        return Conversation(
            self._server,
            # Without authentication, each session or client name is an owner of calls.
            partial(
                self._workers.submit,
                owner=person.name or connection + owner,
                max_calls=person.max_calls,
                person=person.name,
            ),
            cap=self._settings.protocol,
            connection=connection,
            person=person,
            **known,
        )

    def _exchange(self, post: Post, fields: Fields) -> response.HttpExchange:
        return response.HttpExchange(
            post.accepted, fields, self._answer_cancelled, self._workers.turns
        )

    def _answer_cancelled(self, request_id: Any) -> Any:
        if not self._is_lost:
            return response.answer_cancelled(request_id)
        text = "Another server has the workspace now, and this call was cancelled here"
        hint = "hint: look whether it was done, then call again"
        data = {"reason": "owner_lost", "done": "unknown"}
        return wire.error(request_id, wire.INTERNAL_ERROR, f"{text}\n{hint}", data)

    def _fields(self, session: str, revision: str | None = None) -> Fields:
        fields = [(b"mcp-session-id", session.encode())]
        if self._profile.strict_handshake:
            agreed = revision or self._profile.oldest_revision
            fields.append((b"mcp-protocol-version", agreed.encode()))
        return fields


def _ok(_reply: Any) -> int:
    return 200
