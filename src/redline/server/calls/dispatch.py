"""Runs one tools/call: checks it, runs the handler, and answers in the toolset's form."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from redline.core.access.rights import Right
from redline.core.call_scope import call_scope
from redline.core.errors import ReadOnlyMode, RedlineError, RightMissing
from redline.core.text_limits import shorten
from redline.server.calls.argument_names import nearest, prepare
from redline.server.calls.arguments import validate
from redline.server.calls.elicitation.asking import NeedsAnswer, asker_for
from redline.server.calls.elicitation.sealed_states import OWN_STATES
from redline.server.calls.offers import HANDLED
from redline.server.calls.remarks import add_remarks
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
)
from redline.toolsets.tool import Json, load_function

if TYPE_CHECKING:
    from redline.server.calls.catalog import CatalogEntry
    from redline.server.calls.client_log import ClientLog
    from redline.server.calls.other_requests import OtherRequests
    from redline.server.calls.tool_server import ToolServer
    from redline.toolsets.call import Answer, Question
    from redline.toolsets.tool import Client, Tool

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
        self._others: OtherRequests | None = None

    def call(self, params: Any, context: Context) -> Outcome:
        """Return the result object of a tools/call, or the JSON-RPC error to send."""
        started = perf_counter()
        name, arguments, malformed = _read_params(params)
        # Handlers take large arguments away.
        given = arguments if self.server.trace is None else dict(arguments)
        outcome = malformed or self._answer(name, arguments, params, context)
        self._report(name, given, outcome, perf_counter() - started, context)
        return outcome

    def _answer(self, name: str, arguments: Json, params: Json, context: Context) -> Outcome:
        listed = self._catalog.find(name)
        if listed is None:
            return self._unknown_tool(name, context.client)
        entry, arguments = self._catalog.route(listed, arguments, self.server.runtime)
        try:
            return self._run(entry, arguments, params, context)
        except StateRefused:
            return self.refuse_state(entry.tool.name)
        except Exception as failure:
            answer = self._answer_failure(entry, arguments, context, failure)
        if isinstance(answer, Result):
            return add_remarks(result_json(answer), self.server.runtime, context.client)
        return failure_as_result(answer) if self._as_result(answer, context.client) else answer

    def _run(self, entry: CatalogEntry, arguments: Json, params: Json, context: Context) -> Json:
        tool = entry.tool
        if self._catalog.is_refused(entry):
            raise ReadOnlyMode(f"The server is read-only; refused: {tool.name}")
        prepared = prepare(tool, arguments)
        call = self.build_call(tool, prepared.arguments, params, context)
        handler = self._handlers.get(tool.handler)
        if handler is None:
            handler = self._handlers[tool.handler] = load_function(tool.handler)
        try:
            with call_scope(context.cancel):
                answer = result_json(handler(call), prepared.ignored)
            return add_remarks(answer, self.server.runtime, context.client)
        except NeedsAnswer as needed:
            return needed.input_request()

    def build_call(self, tool: Tool, arguments: Json, params: Json, context: Context) -> Call:
        """Return what the handler gets; InvalidArgument when *arguments* do not fit the schema."""
        _check_rights(tool, context.client)
        arguments = validate(tool, arguments)
        # Answers of somebody who may not approve would count for nothing.
        may_approve = Right.APPROVE in context.client.rights
        where, states = self.server.name, self.server.states or OWN_STATES
        asker = None
        if may_approve:
            asker = asker_for(params, tool.name, arguments, context, states, where)
        if not tool.exact:
            context.raw = None  # a large request is in memory once, not twice
        return Call(
            tool=tool,
            arguments=arguments,
            runtime=self.server.runtime,
            client=context.client,
            cancel=context.cancel,
            progress=context.progress,
            request_id=context.request_id,
            raw=context.raw,
            ask=None if asker is None else self._with_audit(asker, tool.name, context),
            wait=_read_wait(params),
            log=_logger(tool.name, context),
        )

    def answer_other(self, method: str, params: Any, context: Context) -> Outcome:
        """Return the result of another request that runs a handler, or its JSON-RPC error."""
        if self._others is None:
            from redline.server.calls.other_requests import OtherRequests

            self._others = OtherRequests(self)
        started = perf_counter()
        outcome = self._others.answer(method, params, context)
        self._report(method, params, outcome, perf_counter() - started, context)
        return outcome

    def _with_audit(
        self, asker: Callable[[Question], Answer], tool: str, context: Context
    ) -> Callable[[Question], Answer]:
        """Return *asker*, with a line in the audit log for what the person decides."""

        def ask(question: Question) -> Answer:
            answer = asker(question)
            self.server.audit.record_success(
                "decision",
                context.client,
                tool=tool,
                question=question.message,
                action=answer.action,
                answer=dict(answer.content),
                request=context.request_id,
            )
            return answer

        return ask

    # --- failures ----------------------------------------------------------------------------

    def _answer_failure(
        self, entry: CatalogEntry, arguments: Json, context: Context, failure: Exception
    ) -> Result | RpcFailure:
        tool, request = entry.tool.name, f"{context.request_id}-{os.urandom(6).hex()}"
        if isinstance(failure, RedlineError):
            self.note_failure(failure, tool, request, context)
            try:
                wording: Wording = load_function(entry.toolset.wording)
                return wording(failure, FailedCall(tool, arguments, context.client, request))
            except Exception as second:
                failure = second
        return self.answer_bug(failure, tool, request, context)

    def note_failure(
        self, failure: RedlineError, name: str, request: str, context: Context
    ) -> None:
        """Write a failure to the audit log, where it concerns security, and the client's log."""
        self.server.audit.record_failure(failure, name, context.client, request)
        if context.log is not None:
            context.log.failure(failure, name)

    def answer_bug(
        self, failure: Exception, name: str, request: str, context: Context
    ) -> RpcFailure:
        """Log a bug of the server, and return what the client learns of it."""
        log_exception(request, name, failure)
        if context.log is not None:
            context.log("error", "internal_error", tool=name, request=request)
        return internal_error(request)

    def refuse_state(self, name: str) -> RpcFailure:
        """Audit a requestState that is not valid for this request, and refuse it."""
        self.server.audit.record("request_state_refused", tool=name)
        return invalid_params(
            "requestState is not one this call was given, or it was used before\n"
            "hint: call again without requestState and inputResponses"
        )

    def _unknown_tool(self, name: str, client: Client) -> RpcFailure:
        near = nearest(name, self._catalog.names_for(client))
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
        self._inform(name, ok, seconds, context.client, context.request_id)
        for notice in server.runtime.take_notices():
            warn(notice)
            if context.log is not None:
                context.log("notice", "workspace", message=notice)
        if context.log is not None:
            duration = round(seconds * 1000, 3)
            context.log("debug", "call_finished", tool=name, ok=ok, duration_ms=duration)

    def _inform(self, name: str, ok: bool, seconds: float, client: Client, request_id: str) -> None:
        """Write a change to the audit log, and tell watchers and observers of the call."""
        server, listed = self.server, self._catalog.find(name)
        shown = listed.tool.name if listed else "unknown"
        if ok and listed is not None and listed.tool.writes:
            server.audit.record_success("change", client, tool=shown, request=request_id)
        for watch in server.watchers:
            watch(name if name in HANDLED else shown, ok, seconds)
        for observe in server.observers:
            observe(client, name)


def _check_rights(tool: Tool, client: Client) -> None:
    missing = tool.rights - client.rights
    if missing:
        rights = ", ".join(sorted(missing))
        raise RightMissing(
            f"{client.principal} does not have the right to {rights} here; refused: {tool.name}",
            hint="the person who runs this server can give it",
        )


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
