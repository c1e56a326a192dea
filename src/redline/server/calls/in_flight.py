"""The calls of one conversation: started, cancelled, and what they tell before they are over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from redline.server.calls.dispatch import Context, Dispatch, Progress, no_progress
from redline.server.calls.workers import LineFull
from redline.server.observe.log import log_exception, warn
from redline.server.rpc import revisions, wire
from redline.server.rpc.cancel import Token
from redline.server.rpc.messages import Channel, Refusal, Send, Submit

if TYPE_CHECKING:
    from redline.server.calls.client_log import ClientLog
    from redline.server.calls.elicitation.questions import Questions
    from redline.toolsets.tool import Answer, Client, Json, Question, RpcFailure


class Calls:
    """Runs tools/call requests on workers; each is answered once, through its own channel."""

    __slots__ = ("_dispatch", "_lock", "_questions", "_running", "_submit")

    def __init__(self, dispatch: Dispatch, submit: Submit) -> None:
        self._dispatch = dispatch
        self._submit = submit
        self._lock = Lock()
        self._running: dict[Any, Token] = {}
        self._questions: Questions | None = None

    def start(
        self, message: Json, raw: bytes, client: Client, channel: Channel, level: str | None
    ) -> None:
        """Begin the call in *message*; Refusal when it cannot even begin."""
        request_id, params = message["id"], message.get("params")
        token = Token(warn)
        with self._lock:
            if request_id in self._running:
                raise Refusal(wire.INVALID_REQUEST, "A request with this id is still running")
            self._running[request_id] = token
        context = Context(
            client,
            request_id=str(request_id),
            cancel=token,
            progress=_progress(params, client, token, channel.tell),
            raw=raw,
            asker=self._asker(channel, token),
            log=None if level is None else _log(level, token, channel.tell),
        )
        try:
            run = partial(self._run, request_id, params, context, channel.reply)
            self._submit(run, len(raw))
        except LineFull as full:
            self._over(request_id)
            raise _too_many(full) from None

    def _over(self, request_id: Any) -> None:
        with self._lock:
            self._running.pop(request_id, None)

    def _run(self, request_id: Any, params: Any, context: Context, reply: Send) -> None:
        try:
            # One that was cancelled while it waited for its turn does nothing at all.
            outcome = {} if context.cancel.cancelled else self._dispatch.call(params, context)
        except BaseException as failure:  # whatever it is, somebody waits for an answer
            outcome = _broken(context.request_id, failure)
        finally:
            self._over(request_id)
        if context.cancel.cancelled:
            reply({})  # the specification wants no answer to a cancelled request
        elif isinstance(outcome, dict):
            body = revisions.stamped(outcome) if context.client.is_modern else outcome
            reply(wire.result(request_id, body))
        else:
            reply(wire.error(request_id, outcome.code, outcome.message, outcome.data))

    def _asker(self, channel: Channel, token: Token) -> Callable[[Question], Answer] | None:
        if not channel.takes_questions:
            return None

        def ask(question: Question) -> Answer:
            return self._asked().ask(question, channel, token)

        return ask

    def _asked(self) -> Questions:
        with self._lock:
            if self._questions is None:
                from redline.server.calls.elicitation.questions import Questions

                self._questions = Questions()
            return self._questions

    def answered(self, message: Json) -> None:
        """A response to something that was asked."""
        if self._questions is not None:
            self._questions.answered(message)

    def cancel(self, request_id: Any) -> None:
        """The caller gave up on one call."""
        with self._lock:
            token = self._running.get(request_id)
        if token is not None:
            token.cancel()

    def close(self, *, cancel: bool) -> None:
        """Nobody will answer questions; with *cancel*, calls stop too."""
        if self._running or self._questions is not None:
            self._asked().close()  # also for a call that has asked nothing yet
        with self._lock:
            tokens = list(self._running.values()) if cancel else []
        for token in tokens:
            token.cancel()


def _too_many(full: LineFull) -> Refusal:
    text = f"Too many calls at once: {full.waiting} wait for their turn already"
    data = {"reason": "too_many_calls", "running": full.share, "waiting": full.waiting}
    return Refusal(wire.INVALID_REQUEST, f"{text}\nhint: call again after an answer came", data)


def _broken(request_id: str, failure: BaseException) -> RpcFailure:
    from redline.server.calls.running import internal_error

    log_exception(request_id, "", failure)
    return internal_error(request_id)


def _progress(params: Any, client: Client, token: Token, tell: Send) -> Progress:
    meta = params.get("_meta") if isinstance(params, dict) else None
    progress_token = meta.get("progressToken") if isinstance(meta, dict) else None
    if not isinstance(progress_token, str | int) or isinstance(progress_token, bool):
        return no_progress
    last = [-1.0]

    def progress(done: float, total: float | None = None, message: str = "") -> None:
        if done <= last[0] or token.cancelled:
            return  # progress only ever increases
        last[0] = done
        params: Json = {"progressToken": progress_token, "progress": done}
        if total is not None:
            params["total"] = total
        if message and client.protocol != "2024-11-05":
            params["message"] = message
        tell({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    return progress


def _log(level: str, token: Token, tell: Send) -> ClientLog:
    from redline.server.calls.client_log import ClientLog

    def deliver(params: Json) -> None:
        if not token.cancelled:
            tell({"jsonrpc": "2.0", "method": "notifications/message", "params": params})

    return ClientLog(level, deliver)
