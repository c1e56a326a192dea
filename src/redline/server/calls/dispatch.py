"""Run one tools/call: validate it, call the handler, and format the answer for the toolset."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from redline.core.access.rights import Right
from redline.core.call_scope import CallScope
from redline.core.errors import ProgramChanged, ReadOnlyMode, RedlineError, RightMissing
from redline.core.records import replace
from redline.core.text_limits import shorten
from redline.secrets.answers import CallSecrets
from redline.server.calls.arguments import nearest, prepare, validate
from redline.server.calls.elicitation.asking import NeedsAnswer, asker_for
from redline.server.calls.elicitation.sealed_states import OWN_STATES
from redline.server.calls.prompts_and_resources import HANDLED
from redline.server.calls.results import (
    Outcome,
    as_text,
    failure_as_result,
    fit_schema,
    internal_error,
    invalid_params,
    is_success,
    mask_outcome,
    result_json,
)
from redline.server.observe.log import log_exception, warn
from redline.server.rpc import wire
from redline.server.rpc.messages import CancelToken, StateRefused
from redline.services.runtime import Runtime
from redline.toolsets.call import (
    Call,
    FailedCall,
    Handler,
    Question,
    Result,
    RpcFailure,
    Wording,
    session_of,
)
from redline.toolsets.tool import Client, Json, load_function
from redline.toolsets.trained_words import fold

if TYPE_CHECKING:
    from redline.core.ports.history import Consent
    from redline.server.calls.catalog import CatalogEntry
    from redline.server.calls.client_log import ClientLog
    from redline.server.calls.other_requests import OtherRequests
    from redline.server.calls.tool_server import ToolServer
    from redline.toolsets.call import Answer
    from redline.toolsets.tool import Tool

Progress = Callable[[float, float | None, str], None]
_MAX_NAME_CHARS = 100
# Key in the _meta of a call: how many seconds it may wait for a person to approve its change.
META_WAIT = "redline/wait_seconds"


def no_progress(_done: float, _total: float | None, _message: str) -> None:
    """Drop a progress report: the client did not ask for any."""


class Context:
    """Everything about a request except the tool's name and arguments."""

    __slots__ = (
        "as_owner",
        "asker",
        "cancel",
        "client",
        "consent",
        "log",
        "progress",
        "raw",
        "request_id",
        "secrets",
    )

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
        consent: Consent | None = None,
        as_owner: bool = False,
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
        # What a person at the terminal allowed beforehand, and whether it is the machine's owner.
        self.consent = consent
        self.as_owner = as_owner
        # Masks secrets in the answer and restores them in arguments; set at dispatch.
        self.secrets: CallSecrets | None = None


class Dispatch:
    """Answer the calls of every conversation; safe to use from any number of threads."""

    def __init__(self, server: ToolServer) -> None:
        self.server = server
        self._catalog = server.catalog
        self._handlers: dict[str, Handler] = {}
        self._others: OtherRequests | None = None

    def call(self, params: Any, context: Context) -> Outcome:
        """Return the result object of a tools/call, or the JSON-RPC error to send."""
        started = perf_counter()
        name, arguments, malformed = _read_params(params)
        # Handlers remove large arguments, which the trace still needs.
        given = arguments if self.server.trace is None else dict(arguments)
        outcome = malformed or self._answer(name, arguments, params, context)
        self._report(name, given, outcome, perf_counter() - started, context)
        return outcome

    def _answer(self, name: str, arguments: Json, params: Json, context: Context) -> Outcome:
        listed = self._catalog.find(name)
        if listed is None:
            return self._unknown_tool(name, context.client)
        entry, arguments = self._catalog.route(listed, arguments, self.server.runtime)
        secrets = context.secrets = self.open_secrets(context.client, runs=entry.tool.runs)
        try:
            return self._run(entry, arguments, params, context)
        except StateRefused:
            return self.refuse_state(entry.tool.name)
        except Exception as failure:
            if secrets is not None:
                secrets.look_through()
            answer = self._answer_failure(entry, arguments, context, failure)
        if isinstance(answer, Result):
            shown = self._fit_answer(entry, answer)
            return mask_outcome(secrets, self._with_remarks(entry, result_json(shown), context))
        if not self._as_result(answer, context.client):
            return mask_outcome(secrets, answer)
        return mask_outcome(
            secrets, result_json(self._fit_answer(entry, failure_as_result(answer)))
        )

    def open_secrets(self, client: Client, *, runs: bool = False) -> CallSecrets | None:
        """Return the masking and restoring for one call; None without a secrets service."""
        desk = getattr(self.server.runtime, "secrets", None)
        return None if desk is None else CallSecrets(desk, session_of(client), runs=runs)

    def _run(self, entry: CatalogEntry, arguments: Json, params: Json, context: Context) -> Outcome:
        tool, secrets = entry.tool, context.secrets
        if self._catalog.is_refused(entry):
            raise ReadOnlyMode(f"The server is read-only; refused: {tool.name}")
        if secrets is not None:
            restored = secrets.restore(arguments)
            if restored is not arguments and context.raw is not None:
                context.raw = secrets.restore_raw(context.raw)
            arguments = restored
        prepared = prepare(tool, arguments)
        call = self.build_call(tool, prepared.arguments, params, context)
        call.notes.extend(prepared.notes)
        handler = self._handlers.get(tool.handler)
        if handler is None:
            handler = self._handlers[tool.handler] = load_function(tool.handler)
        try:
            with CallScope(context.cancel, secrets):
                fitted = self._fit_answer(entry, handler(call))
                answer = result_json(fitted, prepared.ignored, call.notes)
            answer = self._with_remarks(entry, answer, context)
            if secrets is None:
                return answer
            try:
                # The client may have to repeat the call with the person's answer, and a tool
                # that writes must not run twice.
                return secrets.finish(answer, None if tool.writes else _ask_to_show(call))
            except RecursionError as failure:  # too deep to be written as JSON
                return self.answer_bug(failure, tool.name, context.request_id, context)
        except NeedsAnswer as needed:
            return needed.input_request()

    def _with_remarks(self, entry: CatalogEntry, answer: Json, context: Context) -> Json:
        with_news = entry.toolset.tells_news and not self._catalog.read_only
        return _add_remarks(answer, self.server.runtime, context.client, with_news=with_news)

    def _fit_answer(self, entry: CatalogEntry, result: Result) -> Result:
        """Return *result* with structured content only where this server sends it for the tool."""
        if not self._catalog.is_structured(entry):
            return as_text(result)
        return fit_schema(result, entry.tool.output_schema)

    def build_call(self, tool: Tool, arguments: Json, params: Json, context: Context) -> Call:
        """Return the handler's Call; InvalidArgument when *arguments* do not fit the schema."""
        _check_rights(tool, context.client)
        arguments = validate(tool, arguments)
        # Ask only a client whose answer would count.
        may_approve = Right.APPROVE in context.client.rights
        where, states = self.server.name, self.server.states or OWN_STATES
        asker = None
        if may_approve:
            asker = asker_for(params, tool.name, arguments, context, states, where)
        if not tool.exact:
            context.raw = None  # free it: a large request would be in memory twice
        return Call(
            tool=tool,
            arguments=arguments,
            runtime=self.server.runtime,
            client=context.client,
            cancel=context.cancel,
            progress=_mask_progress(context),
            request_id=context.request_id,
            raw=context.raw,
            ask=None if asker is None else self._with_audit(asker, tool.name, context),
            wait=_read_wait(params),
            log=_logger(tool.name, context),
            consent=context.consent,
            as_owner=context.as_owner,
            hook_session=self._session_of(tool, params, context),
        )

    def _session_of(self, tool: Tool, params: Json, context: Context) -> str:
        """Return the session whose hook announced a call that may change something."""
        if not (tool.writes or tool.runs) or not context.client.name:
            return ""
        return self.server.runtime.session_of_call(context.client.name, params)

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
        """Wrap *asker*: mask secrets in the question and audit what the person decides."""

        def ask(question: Question) -> Answer:
            if context.secrets is not None:
                question = replace(question, message=context.secrets.mask_text(question.message))
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
                runtime = self.server.runtime
                failed = FailedCall(tool, arguments, context.client, request, runtime)
                return wording(failure, failed)
            except ProgramChanged as changed:  # the toolset's words cannot be loaded, either
                return RpcFailure(wire.INTERNAL_ERROR, changed.text, {"request_id": request})
            except Exception as second:
                failure = second
        return self.answer_bug(failure, tool, request, context)

    def note_failure(
        self, failure: RedlineError, name: str, request: str, context: Context
    ) -> None:
        """Write a failure to the client's log, and to the audit log if it concerns security."""
        if context.secrets is not None:
            masked = context.secrets.mask_text(failure.message)
            if masked != failure.message:  # an unmasked message keeps its translatable names
                failure.message = masked
        self.server.audit.record_failure(failure, name, context.client, request)
        if context.log is not None:
            context.log.failure(failure, name)

    def answer_bug(
        self, failure: Exception, name: str, request: str, context: Context
    ) -> RpcFailure:
        """Log an internal error, and return the JSON-RPC error that the client gets."""
        secrets = context.secrets
        log_exception(request, name, failure, None if secrets is None else secrets.mask_text)
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
        listed, given = self._catalog.names_for(client), shorten(name, _MAX_NAME_CHARS)
        instead = self._known_as(name, listed)
        near = instead.partition(" ")[0].rstrip(",") or nearest(name, listed)
        hint = f"\nhint: did you mean {near}?" if near else "\nhint: see tools/list"
        if instead:
            hint = f"\nhint: call {instead}"
        data: Json = {"reason": "unknown_tool", "tool": given}
        if near:
            data["nearest"] = near
        code = wire.INVALID_PARAMS if client.is_modern else self.server.profile.unknown_tool_code
        return RpcFailure(code, f"Unknown tool: {given}{hint}", data)

    def _known_as(self, name: str, listed: Sequence[str]) -> str:
        """Return what to call instead of a tool that models know from elsewhere, or ""."""
        for toolset in self._catalog.toolsets:
            if toolset.tool_names:
                known: str = load_function(toolset.tool_names).get(fold(name), "")
                if known.partition(" ")[0].rstrip(",") in listed:
                    return known
        return ""

    def _as_result(self, failure: RpcFailure, client: Client) -> bool:
        if client.is_modern and failure.code in wire.MODERN_CODES:
            return False  # MCP requires JSON-RPC errors for these codes
        return self.server.errors_as_results or client.is_modern

    # --- reports -----------------------------------------------------------------------------

    def _report(
        self, name: str, arguments: Json, outcome: Outcome, seconds: float, context: Context
    ) -> None:
        """Report a finished call to the trace, the watchers and the client's log."""
        server, ok = self.server, is_success(outcome)
        if server.trace is not None:
            from redline.server.observe.trace import trace_call

            if context.secrets is not None:
                arguments = context.secrets.mask_json(arguments)
            trace_call(server.trace, name, arguments, outcome, seconds)
        self._record_and_notify(name, ok, seconds, context.client, context.request_id)
        for notice in server.runtime.take_notices():
            warn(notice)
            if context.log is not None:
                context.log("notice", "workspace", message=notice)
        if context.log is not None:
            duration = round(seconds * 1000, 3)
            context.log("debug", "call_finished", tool=name, ok=ok, duration_ms=duration)

    def _record_and_notify(
        self, name: str, ok: bool, seconds: float, client: Client, request_id: str
    ) -> None:
        """Audit a successful change, and notify the watchers and observers of the call."""
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
    """Return the log function for a handler; it sends nothing unless the client asked for logs."""
    log = context.log
    if log is None:
        return lambda _level, _message: None
    secrets = context.secrets

    def send(level: str, message: str) -> None:
        shown = message if secrets is None else secrets.mask_text(message)
        log(level, "tool", tool=tool, message=shown)

    return send


def _mask_progress(context: Context) -> Progress:
    """Wrap the progress callback of a call so that secrets in its messages are masked."""
    secrets = context.secrets
    if secrets is None or context.progress is no_progress:
        return context.progress

    def progress(done: float, total: float | None = None, message: str = "") -> None:
        context.progress(done, total, secrets.mask_text(message))

    return progress


def _ask_to_show(call: Call) -> Callable[[str], bool] | None:
    """Return a function that asks the person whether the model may see the named secrets."""
    ask = call.ask
    if ask is None:
        return None

    def may_show(names: str) -> bool:
        schema: Json = {"type": "object", "properties": {}}
        message = f"{call.tool.name} would show secrets to the model: {names}. Show them?"
        return ask(Question(message, schema, key="secrets")).accepted

    return may_show


def _add_remarks(answer: Json, runtime: Runtime, client: Client, *, with_news: bool) -> Json:
    """Append to *answer* what people decided or remarked about the session's changes and commands.

    With *with_news*, also append what others did to its changes and to the files it has read.
    """
    session = session_of(client)
    texts = list(runtime.inbox.take(session, warn))
    if with_news:
        texts.append(_news(runtime, session, client.connection))
    blocks = [{"type": "text", "text": text} for text in texts if text]
    return {**answer, "content": [*answer.get("content", ()), *blocks]} if blocks else answer


def _news(runtime: Runtime, session: str, connection: str) -> str:
    from redline.services.history.news import describe_news

    try:
        return describe_news(runtime, session, connection)
    except RedlineError as failure:
        # The call itself has succeeded: warn and leave the news out.
        warn(f"what others changed cannot be read: {failure.message}")
        return ""
