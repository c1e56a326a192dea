"""The calls of one conversation while they run: started, cancelled, answered."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Condition, Event, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from redline.server.calls.client_log import ClientLog
from redline.server.calls.dispatch import Context, Dispatch, Progress, no_progress
from redline.server.calls.elicitation.asking import elicitation, read_answer
from redline.server.calls.results import Outcome, internal_error
from redline.server.calls.workers import QueueFull, release_slot_while_waiting
from redline.server.observe.log import log_exception, warn
from redline.server.rpc import revisions, wire
from redline.server.rpc.messages import CancelToken, Channel, Refusal, Send, Submit
from redline.toolsets.call import Answer, Question
from redline.toolsets.tool import Client, Json

if TYPE_CHECKING:
    from redline.server.rpc.messages import Channel
    from redline.toolsets.tool import Json


_ASK_SECONDS = 600.0
_LOOK_SECONDS = 0.1
_MARK = "-on-page-"


def posted_id(key: str) -> str:
    """Return the id on the review page of the question that was sent with *key*, or ""."""
    return key.partition(_MARK)[2]


class _Pending:
    """A question that was sent: `arrived` is set by its answer, or when none will come."""

    __slots__ = ("answer", "arrived", "elsewhere")

    def __init__(self) -> None:
        self.arrived = Event()
        self.answer: Any = None
        self.elsewhere: Answer | None = None


class Questions:
    """The open questions of one conversation; asked and answered from different threads."""

    __slots__ = ("_asked", "_closed", "_lock", "_name", "_open")

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[str, _Pending] = {}
        # An answer to what another server asked in the same session must not be taken for ours.
        self._name = os.urandom(4).hex()
        self._asked = 0
        self._closed = False

    def ask(self, question: Question, channel: Channel, token: CancelToken) -> Answer:
        """Send *question* and wait while the client listens and the call is not cancelled."""
        with self._lock:
            if self._closed:
                return read_answer(None)
            self._asked += 1
            # With the id on the review page, another server can take the answer if this one ends.
            named = f"redline-{self._name}-{self._asked}"
            key = f"{named}{_MARK}{question.posted}" if question.posted else named
            pending = self._open[key] = _Pending()
        token.on_cancel(pending.arrived.set)
        if channel.gone is not None:
            channel.gone.on_cancel(pending.arrived.set)
        channel.notify({"jsonrpc": "2.0", "id": key, **elicitation(question)})
        release_slot_while_waiting(lambda: _wait(question, pending))
        with self._lock:
            self._open.pop(key, None)
        if pending.elsewhere is None:
            return read_answer(pending.answer)
        withdrawn = {"requestId": key, "reason": "a person answered elsewhere"}
        channel.notify({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": withdrawn})
        return pending.elsewhere

    def receive_answer(self, message: Json) -> bool:
        """Take a response from the client and wake the call that waits; False when none does."""
        with self._lock:
            pending = self._open.get(str(message.get("id")))
        if pending is None:
            return False
        pending.answer = message.get("result")
        pending.arrived.set()
        return True

    def close(self) -> None:
        """Stop waiting: no more answers will come. Later questions are cancelled at once."""
        with self._lock:
            self._closed = True
            waiting = list(self._open.values())
        for pending in waiting:
            pending.arrived.set()


def _wait(question: Question, pending: _Pending) -> None:
    """Wait for the client, or for a person who answers elsewhere before it."""
    if question.elsewhere is None:
        pending.arrived.wait(_ASK_SECONDS)
        return
    end = monotonic() + _ASK_SECONDS
    while not pending.arrived.wait(_LOOK_SECONDS) and monotonic() < end:
        pending.elsewhere = question.elsewhere()
        if pending.elsewhere is not None:
            return


Answering = Callable[[Any, Context], Outcome]

_LATE_SECONDS = 5.0


class CallsInFlight:
    """Runs requests that need a handler on workers; each is answered once, by its channel."""

    __slots__ = ("_dispatch", "_late", "_lock", "_questions", "_running", "_submit", "_taken")

    def __init__(self, dispatch: Dispatch, submit: Submit) -> None:
        self._dispatch = dispatch
        self._submit = submit
        self._lock = Lock()
        self._running: dict[Any, CancelToken] = {}
        self._questions = Questions()
        # Answers to questions of a server that is gone: a call sent behind one must find it.
        self._late = 0
        self._taken = Condition(self._lock)

    def start(
        self, message: Json, raw: bytes, client: Client, channel: Channel, level: str | None
    ) -> None:
        """Start the request in *message*; Refusal when it cannot be queued."""
        request_id, method, params = message["id"], message["method"], message.get("params")
        token = CancelToken(warn)
        with self._lock:
            if request_id in self._running:
                raise Refusal(wire.INVALID_REQUEST, "A request with this id is still running")
            self._running[request_id] = token
        context = Context(
            client,
            request_id=str(request_id),
            cancel=token,
            progress=_progress_for(params, client, token, channel.notify),
            raw=raw,
            asker=self._asker(channel, token),
            log=None if level is None else _log_for(level, token, channel.notify),
        )
        try:
            answer = self._dispatch.call
            if method != "tools/call":
                answer = partial(self._dispatch.answer_other, method)
            run = partial(self._run, answer, request_id, params, context, channel.reply)
            self._submit(run, len(raw))
        except QueueFull as full:
            self._finish(request_id)
            raise _too_many_calls(full) from None

    def _finish(self, request_id: Any) -> None:
        with self._lock:
            self._running.pop(request_id, None)

    def _run(
        self, answer: Answering, request_id: Any, params: Any, context: Context, reply: Send
    ) -> None:
        outcome: Outcome
        with self._taken:
            self._taken.wait_for(lambda: not self._late, _LATE_SECONDS)
        try:
            # A call that was cancelled while it was queued does nothing at all.
            outcome = {} if context.cancel.cancelled else answer(params, context)
        except BaseException as failure:  # even then the client waits for an answer
            mask = None if context.secrets is None else context.secrets.mask_text
            log_exception(context.request_id, "", failure, mask)
            outcome = internal_error(context.request_id)
        finally:
            self._finish(request_id)
        if context.cancel.cancelled:
            reply({})  # MCP wants no answer to a cancelled request
        elif isinstance(outcome, dict):
            is_modern = context.client.is_modern
            body = revisions.add_server_info(outcome) if is_modern else outcome
            reply(wire.result(request_id, body))
        else:
            reply(wire.error(request_id, outcome.code, outcome.message, outcome.data))

    def _asker(self, channel: Channel, token: CancelToken) -> Callable[[Question], Answer] | None:
        if not channel.takes_questions:
            return None
        return lambda question: self._questions.ask(question, channel, token)

    def receive_answer(self, message: Json, client: Client) -> None:
        """Take the client's response to a question, including one from a server that has gone."""
        posted = posted_id(str(message.get("id")))
        if self._questions.receive_answer(message) or not posted:
            return
        with self._lock:
            self._late += 1
        try:
            self._submit(partial(self._take_late, posted, message, client), 0)
        except QueueFull:
            self._note_taken()

    def _take_late(self, posted: str, message: Json, client: Client) -> None:
        from redline.toolsets.consent import take_late_answer

        server, answer = self._dispatch.server, read_answer(message.get("result"))
        try:
            if take_late_answer(server.runtime, client, posted, answer):
                server.audit.record_success(
                    "decision", client, question=posted, action=answer.action
                )
        finally:
            self._note_taken()

    def _note_taken(self) -> None:
        with self._taken:
            self._late -= 1
            self._taken.notify_all()

    def cancel(self, request_id: Any) -> None:
        """Cancel one call, if it is still running."""
        with self._lock:
            token = self._running.get(request_id)
        if token is not None:
            token.cancel()

    def run_cancel_alias(self, params: Json, client: Client) -> None:
        """Run the tool that a toolset maps this cancellation to, if there is one."""
        catalog = self._dispatch.server.catalog
        for alias in (toolset.profile.cancel_alias for toolset in catalog.toolsets):
            if alias is None or catalog.find(alias.tool) is None:
                continue
            value = params.get(alias.parameter)
            if isinstance(value, str):
                call = {"name": alias.tool, "arguments": {alias.parameter: value}}
                # A notification cannot be refused: when the queue is full, it is dropped.
                with suppress(QueueFull):
                    self._submit(partial(self._run_unanswered, call, Context(client)), 0)

    def _run_unanswered(self, params: Json, context: Context) -> None:
        self._dispatch.call(params, context)

    def close(self, *, cancel: bool) -> None:
        """Stop waiting for answers to questions; with *cancel*, cancel every call."""
        self._questions.close()
        with self._lock:
            tokens = list(self._running.values()) if cancel else []
        for token in tokens:
            token.cancel()


def _too_many_calls(full: QueueFull) -> Refusal:
    text = f"Too many calls at once: {full.waiting} wait for their turn already"
    data = {"reason": "too_many_calls", "running": full.share, "waiting": full.waiting}
    return Refusal(wire.INVALID_REQUEST, f"{text}\nhint: call again after an answer came", data)


def _progress_for(params: Any, client: Client, token: CancelToken, notify: Send) -> Progress:
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
        notify({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    return progress


def _log_for(level: str, token: CancelToken, notify: Send) -> ClientLog:
    def deliver(params: Json) -> None:
        if not token.cancelled:
            notify({"jsonrpc": "2.0", "method": "notifications/message", "params": params})

    return ClientLog(level, deliver)
