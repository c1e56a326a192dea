"""Questions that were sent to the person at the client and wait for an answer."""

from __future__ import annotations

import os
from threading import Event, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from redline.server.calls.elicitation.asking import elicitation, read_answer
from redline.server.calls.workers import release_slot_while_waiting

if TYPE_CHECKING:
    from redline.server.rpc.cancel import CancelToken
    from redline.server.rpc.messages import Channel
    from redline.toolsets.call import Answer, Question
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
