"""Runs one tools/call: checks it, runs the handler, and answers in the toolset's form."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from redline.core.call_scope import call_scope
from redline.core.errors import ReadOnlyMode, RedlineError
from redline.core.text_limits import shorten
from redline.server.calls.argument_names import nearest, prepare
from redline.server.calls.arguments import validate
from redline.server.calls.elicitation.asking import NeedsAnswer, asker_for
from redline.server.calls.results import (
    Outcome,
    failure_as_result,
    internal_error,
    invalid_params,
    is_success,
    result_json,
)
from redline.server.observe.log import log_exception, warn
from redline.server.rpc import wire
from redline.server.rpc.cancel import CancelToken, StateRefused
from redline.toolsets.call import (
    Call,
    FailedCall,
    Handler,
    Result,
    RpcFailure,
    Wording,
    session_of,
)
from redline.toolsets.consent import describe_decision
from redline.toolsets.tool import Json, load_function

if TYPE_CHECKING:
    from redline.server.calls.catalog import CatalogEntry
    from redline.server.calls.client_log import ClientLog
    from redline.server.calls.tool_server import ToolServer
    from redline.toolsets.call import Answer, Question
    from redline.toolsets.tool import Client

Progress = Callable[[float, float | None, str], None]
_MAX_NAME_CHARS = 100
# In the _meta of a call: how many seconds it may wait for a person who must approve its change.
META_WAIT = "redline/wait_seconds"


def no_progress(_done: float, _total: float | None, _message: str) -> None:
    """Drop a progress report: the client did not ask for any."""


class Context:
    """Everything about a request except the tool's name and arguments."""

    __slots__ = ("asker", "cancel", "client", "log", "progress", "raw", "request_id")

    def __init__(
        self,
        client: Client,
        *,
        request_id: str = "",
        cancel: CancelToken | None = None,
        progress: Progress = no_progress,
        raw: bytes | None = None,
        asker: Callable[[Question], Answer] | None = None,
        log: ClientLog | None = None,
    ) -> None:
        self.client = client
        self.request_id = request_id
        self.cancel = cancel or CancelToken(warn)
        self.progress = progress
        self.raw = raw
        # Asks the person while the call runs; None where the transport cannot.
        self.asker = asker
        # Sends log messages while the call runs; None when the client did not ask for any.
        self.log = log


class Dispatch:
    """Answers the calls of every conversation; may be used from any number of threads."""

    def __init__(self, server: ToolServer) -> None:
        self.server = server
        self._catalog = server.catalog
        self._handlers: dict[str, Handler] = {}

    def call(self, params: Any, context: Context) -> Outcome:
        """Return the result object of a tools/call, or the JSON-RPC error to send."""
        started = perf_counter()
        name, arguments, malformed = _read_params(params)
        outcome = malformed or self._answer(name, arguments, params, context)
        self._report(name, arguments, outcome, perf_counter() - started, context)
        return outcome

    def _answer(self, name: str, arguments: Json, params: Json, context: Context) -> Outcome:
        listed = self._catalog.find(name)
        if listed is None:
            return self._unknown_tool(name, context.client)
        entry, arguments = self._catalog.route(listed, arguments, self.server.runtime)
        try:
            return self._run(entry, arguments, params, context)
        except StateRefused:
            self.server.audit.record("request_state_refused", tool=entry.tool.name)
            return invalid_params(
                "requestState is not one this call was given, or it was used before\n"
                "hint: call again without requestState and inputResponses"
            )
        except Exception as failure:
            answer = self._answer_failure(entry, arguments, context, failure)
        if isinstance(answer, Result):
            return self._with_decisions(result_json(answer), context)
        return failure_as_result(answer) if self._as_result(answer, context.client) else answer

    def _run(self, entry: CatalogEntry, arguments: Json, params: Json, context: Context) -> Json:
        tool = entry.tool
        if self._catalog.is_refused(entry):
            raise ReadOnlyMode(f"The server is read-only; refused: {tool.name}")
        prepared = prepare(tool, arguments)
        arguments = validate(tool, prepared.arguments)
        asker = asker_for(params, tool.name, arguments, context)
        call = Call(
            tool=tool,
            arguments=arguments,
            runtime=self.server.runtime,
            client=context.client,
            cancel=context.cancel,
            progress=context.progress,
            request_id=context.request_id,
            raw=context.raw,
            ask=asker,
            wait=_read_wait(params),
            log=_logger(tool.name, context),
        )
        handler = self._handlers.get(tool.handler)
        if handler is None:
            handler = self._handlers[tool.handler] = load_function(tool.handler)
        try:
            with call_scope(context.cancel):
                result = handler(call)
                answer = result_json(result, prepared.ignored, self._remarks(context.client))
            return self._with_decisions(answer, context)
        except NeedsAnswer as needed:
            return needed.input_request()

    def _with_decisions(self, answer: Json, context: Context) -> Json:
        """Add to an answer what a person decided about this session's held changes; each once."""
        try:
            decided = self.server.runtime.held.take_decisions(session_of(context.client))
        except RedlineError as failure:
            warn(f"decisions about held changes cannot be read: {failure.message}")
            return answer  # the call itself is done
        if not decided:
            return answer
        text = "\n".join(describe_decision(held) for held in decided)
        block = {"type": "text", "text": text}
        return {**answer, "content": [*answer.get("content", ()), block]}

    def _remarks(self, client: Client) -> list[str]:
        """Return what a person says to the session of *client*, each comment once."""
        try:
            found = self.server.runtime.comments.take_undelivered(session_of(client))
        except RedlineError as failure:
            warn(f"comments cannot be read: {failure.message}")
            return []  # the call itself is done
        if not found:
            return []
        from redline.services.comments import announce_comments

        return [announce_comments(found)]

    # --- failures ----------------------------------------------------------------------------

    def _answer_failure(
        self, entry: CatalogEntry, arguments: Json, context: Context, failure: Exception
    ) -> Result | RpcFailure:
        tool, request = entry.tool.name, f"{context.request_id}-{os.urandom(6).hex()}"
        if isinstance(failure, RedlineError):
            self.server.audit.record_failure(failure, tool, context.client, request)
            if context.log is not None:
                context.log.failure(failure, tool)
            try:
                wording: Wording = load_function(entry.toolset.wording)
                return wording(failure, FailedCall(tool, arguments, context.client, request))
            except Exception as second:
                failure = second
        log_exception(request, tool, failure)
        if context.log is not None:
            context.log("error", "internal_error", tool=tool, request=request)
        return internal_error(request)

    def _unknown_tool(self, name: str, client: Client) -> RpcFailure:
        near = nearest(name, self._catalog.names)
        given = shorten(name, _MAX_NAME_CHARS)
        hint = f"\nhint: did you mean {near}?" if near else "\nhint: see tools/list"
        data: Json = {"reason": "unknown_tool", "tool": given}
        if near:
            data["nearest"] = near
        code = wire.INVALID_PARAMS if client.is_modern else self.server.profile.unknown_tool_code
        return RpcFailure(code, f"Unknown tool: {given}{hint}", data)

    def _as_result(self, failure: RpcFailure, client: Client) -> bool:
        if client.is_modern and failure.code in wire.MODERN_CODES:
            return False  # MCP itself asks for these as JSON-RPC errors
        return self.server.errors_as_results or client.is_modern

    # --- reports -----------------------------------------------------------------------------

    def _report(
        self, name: str, arguments: Json, outcome: Outcome, seconds: float, context: Context
    ) -> None:
        """Report a finished call to the trace, the watchers and the client's log."""
        server, ok = self.server, is_success(outcome)
        if server.trace is not None:
            from redline.server.observe.trace import trace_call

            trace_call(server.trace, name, arguments, outcome, seconds)
        if server.watchers:
            listed = self._catalog.find(name)
            for watch in server.watchers:
                watch(listed.tool.name if listed else "unknown", ok, seconds)
        for notice in server.runtime.take_notices():
            warn(notice)
            if context.log is not None:
                context.log("notice", "workspace", message=notice)
        if context.log is not None:
            duration = round(seconds * 1000, 3)
            context.log("debug", "call_finished", tool=name, ok=ok, duration_ms=duration)


def _read_params(params: Any) -> tuple[str, Any, RpcFailure | None]:
    if not isinstance(params, dict):
        return "", {}, invalid_params("params must be an object with name and arguments")
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        return "", {}, invalid_params("params.name must be the name of a tool")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return name, {}, invalid_params("params.arguments must be an object")
    return name, arguments, None


def _read_wait(params: Json) -> float:
    """Return how many seconds the client lets this call wait for a person's approval."""
    meta = params.get("_meta")
    wait = meta.get(META_WAIT) if isinstance(meta, dict) else None
    return float(wait) if isinstance(wait, int | float) and wait > 0 else 0.0


def _logger(tool: str, context: Context) -> Callable[[str, str], None]:
    """Return what a handler logs with; it reaches clients that asked for log messages."""
    log = context.log
    if log is None:
        return lambda _level, _message: None
    return lambda level, message: log(level, "tool", tool=tool, message=message)
