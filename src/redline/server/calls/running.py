"""One tools/call: validate, run the handler, and answer in the dialect's words whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

from redline.core.budget import call_budget
from redline.core.cancellation import running
from redline.core.errors import ReadOnlyMode, RedlineError
from redline.server.calls.argument_names import Prepared, nearest, prepare
from redline.server.calls.arguments import validate
from redline.server.calls.catalog import Entry
from redline.server.calls.elicitation.asking import asker_for
from redline.server.observe.log import log_exception, warn
from redline.server.rpc import wire
from redline.server.rpc.cancel import StateRefused
from redline.toolsets.call import Call, FailedCall, Json, Result, RpcFailure

if TYPE_CHECKING:
    from redline.server.calls.dispatch import Context, Dispatch
    from redline.toolsets.tool import Client, Wording


class Runner:
    """Runs calls for one Dispatch."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._catalog = dispatch.catalog
        self._handlers: dict[str, Callable[[Call], Result]] = {}

    def call(self, params: Any, context: Context) -> Json | RpcFailure:
        """The result object of a tools/call, or the JSON-RPC error to send."""
        started = perf_counter()
        name, arguments, malformed = self._parse(params)
        outcome = malformed or self._answer(name, arguments, params, context)
        seconds = perf_counter() - started
        if self._dispatch.trace is not None:
            from redline.server.observe.trace import trace_call

            trace_call(self._dispatch.trace, name, arguments, outcome, seconds)
        if self._dispatch.watchers:
            self._tell_watchers(name, outcome, seconds)
        self._tell_client(name, outcome, seconds, context)
        return outcome

    def _tell_client(
        self, name: str, outcome: Json | RpcFailure, seconds: float, context: Context
    ) -> None:
        for notice in self._dispatch.runtime.take_notices():
            warn(notice)
            if context.log is not None:
                context.log("notice", "workspace", message=notice)
        if context.log is not None:
            ok = isinstance(outcome, dict) and not outcome.get("isError")
            spent = round(seconds * 1000, 3)
            context.log("debug", "call_finished", tool=name, ok=ok, duration_ms=spent)

    def _tell_watchers(self, name: str, outcome: Json | RpcFailure, seconds: float) -> None:
        listed = self._catalog.find(name)
        ok = isinstance(outcome, dict) and not outcome.get("isError")
        for watch in self._dispatch.watchers:
            watch(listed.tool.name if listed else "unknown", ok, seconds)

    def _parse(self, params: Any) -> tuple[str, Any, RpcFailure | None]:
        if not isinstance(params, dict):
            return "", {}, _invalid("params must be an object with name and arguments")
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            return "", {}, _invalid("params.name must be the name of a tool")
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, dict):
            return name, {}, _invalid("params.arguments must be an object")
        return name, arguments, None

    def _answer(
        self, name: str, arguments: Json, params: Json, context: Context
    ) -> Json | RpcFailure:
        listed = self._catalog.find(name)
        if listed is None:
            return self._unknown_tool(name, context.client)
        entry = self._catalog.route(listed, arguments)
        if entry is not listed:
            arguments = self._relative(entry, arguments)
        outcome: Result | Json | RpcFailure
        try:
            outcome = self._run(entry, arguments, params, context)
        except StateRefused:
            self._dispatch.audit.record("request_state_refused", tool=entry.tool.name)
            return _invalid(
                "requestState is not one this call was given, or it was used before\n"
                "hint: call again without requestState and inputResponses"
            )
        except Exception as failure:
            outcome = self._failed(entry, arguments, context, failure)
        if isinstance(outcome, Result):
            return result_json(outcome)
        if isinstance(outcome, RpcFailure) and self._as_result(outcome, context.client):
            return failure_as_result(outcome)
        return outcome

    def _relative(self, entry: Entry, arguments: Json) -> Json:
        """A shared read_file takes either spelling of a path; the one that answers may not."""
        path = arguments.get("path")
        if entry.dialect.name != "coding" or not isinstance(path, str):
            return arguments
        root = self._dispatch.runtime.workspace.roots[0].path.rstrip("/") + "/"
        # Only the spelling changes: what the path may reach is decided when it is resolved.
        return {**arguments, "path": path[len(root) :]} if path.startswith(root) else arguments

    def _run(self, entry: Entry, arguments: Json, params: Json, context: Context) -> Result | Json:
        if self._catalog.is_refused(entry):
            raise ReadOnlyMode(f"The server is read-only; refused: {entry.tool.name}")
        prepared = prepare(entry.tool, arguments)
        arguments = validate(entry.tool, prepared.arguments)
        asking = asker_for(params, entry.tool.name, arguments, context)
        call = Call(
            tool=entry.tool,
            arguments=arguments,
            runtime=self._dispatch.runtime,
            client=context.client,
            cancel=context.cancel,
            progress=context.progress,
            request_id=context.request_id,
            raw=context.raw,
            ask=asking.ask,
            log=_telling(entry.tool.name, context),
        )
        with call_budget(), running(context.cancel):
            outcome = asking.run(lambda: self._handler(entry)(call))
        return _with_ignored(outcome, prepared)

    def _handler(self, entry: Entry) -> Callable[[Call], Result]:
        handler = self._handlers.get(entry.tool.handler)
        if handler is None:
            handler = self._handlers[entry.tool.handler] = entry.tool.load()
        return handler

    def _failed(
        self, entry: Entry, arguments: Json, context: Context, failure: Exception
    ) -> Result | RpcFailure:
        if isinstance(failure, RedlineError):
            self._dispatch.audit.record_failure(
                failure, entry.tool.name, context.client, context.request_id
            )
            if context.log is not None:
                context.log.failure(failure, entry.tool.name)
            try:
                return self._worded(failure, entry, arguments, context)
            except Exception as second:
                failure = second
        log_exception(context.request_id, entry.tool.name, failure)
        if context.log is not None:
            tool, request = entry.tool.name, context.request_id
            context.log("error", "internal_error", tool=tool, request=request)
        return internal_error(context.request_id)

    def _worded(
        self, error: RedlineError, entry: Entry, arguments: Json, context: Context
    ) -> Result | RpcFailure:
        module, _, function = entry.dialect.wording.partition(":")
        wording: Wording = getattr(import_module(module), function)
        failed = FailedCall(entry.tool.name, arguments, context.client, context.request_id)
        return wording(error, failed)

    def _unknown_tool(self, name: str, client: Client) -> RpcFailure:
        near = nearest(name, self._catalog.names)
        shown = name if len(name) <= 100 else name[:97] + "..."
        hint = f"\nhint: did you mean {near}?" if near else "\nhint: see tools/list"
        data: Json = {"reason": "unknown_tool", "tool": shown}
        if near:
            data["nearest"] = near
        code = -32602 if client.is_modern else self._dispatch.profile.unknown_tool_code
        return RpcFailure(code, f"Unknown tool: {shown}{hint}", data)

    def _as_result(self, failure: RpcFailure, client: Client) -> bool:
        if client.is_modern and failure.code in wire.MODERN_CODES:
            return False  # these the specification itself asks for
        return self._dispatch.errors_as_results or client.is_modern


def _with_ignored(outcome: Result | Json, prepared: Prepared) -> Result | Json:
    """Name the arguments that had no effect in the answer."""
    if not prepared.ignored or not isinstance(outcome, Result):
        return outcome
    names = ", ".join(name if len(name) <= 60 else name[:57] + "..." for name in prepared.ignored)
    note = {"type": "text", "text": f"note: unknown arguments were ignored: {names}"}
    return Result([*outcome.content, note], outcome.structured, outcome.is_error, outcome.meta)


def _telling(tool: str, context: Context) -> Callable[[str, str], None]:
    """How a handler tells the client something beside its answer."""
    log = context.log
    if log is None:
        return lambda _level, _message: None
    return lambda level, message: log(level, "tool", tool=tool, message=message)


def result_json(result: Result) -> Json:
    """A Result as MCP spells it."""
    body: Json = {"content": list(result.content)}
    if result.structured is not None:
        body["structuredContent"] = result.structured
    body["isError"] = result.is_error
    if result.meta is not None:
        body["_meta"] = result.meta
    return body


def failure_as_result(failure: RpcFailure) -> Json:
    """The same failure where JSON-RPC codes are not ours to use: visible to the model."""
    error: Json = {"code": failure.code, "message": failure.message}
    if failure.data is not None:
        error["data"] = failure.data
    return {
        "content": [{"type": "text", "text": failure.message}],
        "structuredContent": {"error": error},
        "isError": True,
    }


def internal_error(request_id: str) -> RpcFailure:
    """A bug on our side: the caller learns only how to report it."""
    return RpcFailure(
        wire.INTERNAL_ERROR,
        f"Internal error\nhint: the server's log has the details under request {request_id}",
        {"request_id": request_id},
    )


def _invalid(message: str) -> RpcFailure:
    return RpcFailure(wire.INVALID_PARAMS, message, {"reason": "invalid_params"})
