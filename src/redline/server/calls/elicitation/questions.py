"""What was asked of the person at the client, and waits for an answer."""

from __future__ import annotations

from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from redline.server.calls.elicitation.asking import elicitation, read_answer
from redline.server.calls.workers import aside

if TYPE_CHECKING:
    from redline.server.rpc.cancel import Token
    from redline.server.rpc.messages import Channel
    from redline.toolsets.tool import Answer, Json, Question

_ASK_SECONDS = 600.0


class _Pending:
    """A question on its way: `arrived` is set once the answer is there, or will never be."""

    __slots__ = ("answer", "arrived")

    def __init__(self) -> None:
        self.arrived = Event()
        self.answer: Any = None


class Questions:
    """The open questions of one conversation; asked and answered from different threads."""

    __slots__ = ("_asked", "_closed", "_lock", "_open")

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[str, _Pending] = {}
        self._asked = 0
        self._closed = False

    def ask(self, question: Question, channel: Channel, token: Token) -> Answer:
        """Send *question* and wait, but no longer than the client listens or the call runs."""
        with self._lock:
            if self._closed:
                return read_answer(None)
            self._asked += 1
            key = f"redline-{self._asked}"
            pending = self._open[key] = _Pending()
        token.on_cancel(pending.arrived.set)
        if channel.gone is not None:
            channel.gone.on_cancel(pending.arrived.set)
        channel.tell({"jsonrpc": "2.0", "id": key, **elicitation(question)})
        aside(lambda: pending.arrived.wait(_ASK_SECONDS))
        with self._lock:
            self._open.pop(key, None)
        return read_answer(pending.answer)

    def answered(self, message: Json) -> None:
        """A response came from the client."""
        with self._lock:
            pending = self._open.get(str(message.get("id")))
        if pending is not None:
            pending.answer = message.get("result")
            pending.arrived.set()

    def close(self) -> None:
        """Nobody will answer any more."""
        with self._lock:
            self._closed = True
            waiting = list(self._open.values())
        for pending in waiting:
            pending.arrived.set()
