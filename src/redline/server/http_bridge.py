"""The official SDK's server with our catalog and dispatch behind it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

import mcp_types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from redline.dialects.tool import Answer, Client, Json, Question, RpcFailure
from redline.server import protocol, wire
from redline.server.cancel import Token
from redline.server.client_log import ClientLog, level_in, level_of_request
from redline.server.dispatch import Context, Dispatch
from redline.server.futures import settle
from redline.server.messages import Refusal
from redline.server.workers import Workers

RequestContext = ServerRequestContext[Any, Any]
_ASK_SECONDS = 600.0
_REMEMBERED_LEVELS = 10_000


class Bridge:
    """Answers what is ours before the SDK looks at it; the rest stays the SDK's."""

    def __init__(self, dispatch: Dispatch, workers: Workers, *, instructions: str) -> None:
        self._dispatch = dispatch
        self._workers = workers
        self._tokens: set[Token] = set()
        # The level each session of the handshake era asked for, the latest last.
        self._levels: dict[str, str] = {}
        info = protocol.SERVER_INFO
        self.server: Server[Any] = Server(
            info["name"],
            version=info["version"],
            title=info["title"],
            instructions=instructions or None,
            cache_hints={
                method: CacheHint(ttl_ms=protocol.LIST_TTL_MS, scope="public")
                for method in ("tools/list", "server/discover")
            },
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        # Ours replaces the SDK's OpenTelemetry middleware: no telemetry.
        self.server.middleware[:] = [self._answer]

    async def _answer(
        self, ctx: RequestContext, call_next: Callable[[RequestContext], Awaitable[Any]]
    ) -> Any:
        if ctx.request_id is None:
            if ctx.method == "notifications/cancelled" and "session_id" in (ctx.params or {}):
                context = Context(client_of(ctx))
                self._workers.submit(lambda: self._dispatch.end_session(ctx.params, context))
            return await call_next(ctx)
        try:
            if ctx.method == "tools/list":
                return self._complete(self._listed(ctx), ctx.protocol_version)
            if ctx.method == "tools/call":
                return self._complete(await self._called(ctx), ctx.protocol_version)
            if ctx.method == "logging/setLevel" and ctx.protocol_version in protocol.HANDSHAKE:
                return self._set_level(ctx)
        except Refusal as refusal:
            raise MCPError(refusal.code, refusal.message, refusal.data) from None
        return self._with_capabilities(ctx.method, await call_next(ctx))

    def _with_capabilities(self, method: str, result: Any) -> Any:
        """An introduction that names what we serve, not what the SDK finds registered."""
        profile = self._dispatch.profile
        ours = {
            "initialize": profile.capabilities,
            "server/discover": profile.modern_capabilities,
        }.get(method)
        if ours is None or not isinstance(result, dict):
            return result
        return {**result, "capabilities": ours}

    def _complete(self, body: Json, version: str) -> Json:
        return protocol.stamped(body) if version in protocol.MODERN else body

    def _set_level(self, ctx: RequestContext) -> Json:
        if "logging" not in self._dispatch.profile.capabilities:
            raise Refusal(wire.METHOD_NOT_FOUND, "Method not found: logging/setLevel")
        level, session = level_in(ctx.params), client_of(ctx).connection
        self._levels.pop(session, None)
        self._levels[session] = level
        if len(self._levels) > _REMEMBERED_LEVELS:
            del self._levels[next(iter(self._levels))]
        return {}

    def _log(self, ctx: RequestContext, client: Client, send: Callable[[Any], None]) -> Any:
        """What tells this client of things while its call runs, if it asked to be told."""
        modern = client.is_modern
        level = level_of_request(ctx.params) if modern else self._levels.get(client.connection)
        if level is None:
            return None

        def deliver(params: Json) -> None:
            told = mcp_types.LoggingMessageNotification.model_validate(
                {"method": "notifications/message", "params": params}
            )
            send(ctx.session.send_notification(told, related_request_id=ctx.request_id))

        return ClientLog(level, deliver)

    # --- the two methods that are ours -------------------------------------------------------

    def _listed(self, ctx: RequestContext) -> Json:
        body: Json = {"tools": self._dispatch.catalog.list(client_of(ctx))}
        if ctx.protocol_version in protocol.MODERN:
            body.update(ttlMs=protocol.LIST_TTL_MS, cacheScope="public")
        return body

    async def _called(self, ctx: RequestContext) -> Json:
        loop = asyncio.get_running_loop()
        token = Token()
        reports: list[Any] = []

        def send(report: Any) -> None:
            reports.append(asyncio.run_coroutine_threadsafe(report, loop))

        client = client_of(ctx)
        context = Context(
            client,
            request_id=str(ctx.request_id),
            cancel=token,
            progress=_progress(ctx, send),
            raw=_scope(ctx).get("redline.raw"),
            asker=_asker(ctx, loop, token),
            log=self._log(ctx, client, send),
        )
        outcome = await self._run(loop, token, lambda: self._dispatch.call(ctx.params, context))
        for report in reports:
            await asyncio.wrap_future(report)
        if isinstance(outcome, RpcFailure):
            raise MCPError(outcome.code, outcome.message, outcome.data)
        return _spelled(ctx, outcome)

    async def _run(
        self, loop: asyncio.AbstractEventLoop, token: Token, job: Callable[[], Json | RpcFailure]
    ) -> Json | RpcFailure:
        done: asyncio.Future[Json | RpcFailure] = loop.create_future()

        def work() -> None:
            outcome = job()
            loop.call_soon_threadsafe(settle, done, outcome)

        self._tokens.add(token)
        self._workers.submit(work)
        try:
            return await done
        except asyncio.CancelledError:
            token.cancel()
            raise
        finally:
            self._tokens.discard(token)

    def cancel_all(self) -> None:
        """Stop every call in flight."""
        for token in list(self._tokens):
            token.cancel()

    # --- registered so that the SDK advertises tools; the middleware answers first -------------

    async def _list_tools(self, ctx: RequestContext, _params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult.model_validate(self._listed(ctx))

    async def _call_tool(self, ctx: RequestContext, _params: Any) -> mcp_types.CallToolResult:
        return mcp_types.CallToolResult.model_validate(await self._called(ctx))

    def _input_schema(self, name: str) -> Json | None:
        entry = self._dispatch.catalog.find(name)
        return entry.tool.input_schema if entry else None


def _spelled(ctx: RequestContext, outcome: Json) -> Json:
    """*outcome* as the SDK can send it; what that would misspell goes beside it, under a mark that
    the reply puts back (`http_reply.JsonFirst`)."""
    kept = _scope(ctx).get("redline.exact")
    structured = outcome.get("structuredContent")
    if kept is None or not structured or not wire.is_spelled(structured):
        return wire.sendable(outcome)
    mark = secrets.token_hex(16)
    kept[mark.encode()] = wire.encode(structured)
    return wire.sendable({**outcome, "structuredContent": {mark: ""}})


def client_of(ctx: RequestContext) -> Client:
    """Who is calling, from the envelope or from the handshake."""
    scope = _scope(ctx)
    principal = str(scope.get("redline.principal", ""))
    if ctx.protocol_version in protocol.MODERN:
        meta = (ctx.params or {}).get("_meta") or {}
        info, capabilities = meta.get(protocol.META_CLIENT), meta.get(protocol.META_CAPABILITIES)
        connection = f"http:{principal}"
    else:
        session = next((v for k, v in scope.get("headers", ()) if k == b"mcp-session-id"), b"")
        connection = session.decode("latin-1") or f"http:{principal}"
        said = ctx.session.client_params
        dumped = said.model_dump(by_alias=True, exclude_none=True) if said else {}
        info, capabilities = dumped.get("clientInfo"), dumped.get("capabilities")
    return protocol.client_of(info, ctx.protocol_version, capabilities, connection, principal)


def _scope(ctx: RequestContext) -> Json:
    return getattr(ctx.request, "scope", None) or {}


def _progress(
    ctx: RequestContext, send: Callable[[Any], None]
) -> Callable[[float, float | None, str], None]:
    last = [-1.0]

    def progress(done: float, total: float | None = None, message: str = "") -> None:
        if done > last[0]:  # progress only ever increases
            last[0] = done
            send(ctx.session.report_progress(done, total, message or None))

    return progress


def _asker(
    ctx: RequestContext, loop: asyncio.AbstractEventLoop, token: Token
) -> Callable[[Question], Answer] | None:
    if not ctx.session.can_send_request or _scope(ctx).get("redline.json_only"):
        return None

    def ask(question: Question) -> Answer:
        asked = ctx.session.elicit_form(question.message, question.schema, ctx.request_id)
        waiting = asyncio.run_coroutine_threadsafe(asked, loop)
        token.on_cancel(lambda: _give_up(waiting))
        try:
            reply = waiting.result(_ASK_SECONDS)
        except Exception as failure:
            logging.getLogger(__name__).info("elicitation failed: %r", failure)
            return Answer("cancel")
        return Answer(reply.action, dict(reply.content or {}))

    return ask


def _give_up(waiting: Future[Any]) -> None:
    waiting.cancel()
