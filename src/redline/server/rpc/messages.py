"""The small parts of a JSON-RPC conversation: refusals, batches, and what counts as what."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from redline.toolsets.tool import Json

if TYPE_CHECKING:
    from redline.server.rpc.cancel import Token

MAX_BATCH = 50

Send = Callable[[Any], None]
# A job, and how many bytes it holds until it runs.
Submit = Callable[[Callable[[], None], int], None]


class Refusal(Exception):
    """A request that gets a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Channel:
    """Where everything about one request goes: `tell` what comes before, then `reply`, once.

    An empty reply means: nothing to send, but the request is over. `gone` is cancelled when the
    client no longer listens.
    """

    __slots__ = ("gone", "reply", "takes_questions", "tell")

    def __init__(
        self,
        reply: Send,
        tell: Send,
        *,
        takes_questions: bool = True,
        gone: Token | None = None,
    ) -> None:
        self.reply = reply
        self.tell = tell
        self.takes_questions = takes_questions
        self.gone = gone

    def gathered(self, reply: Send) -> Channel:
        """The same way, but replies go to *reply*."""
        questions = self.takes_questions
        return Channel(reply, self.tell, takes_questions=questions, gone=self.gone)


class Batch:
    """Collects the replies of a batch and sends them as one array; empty when none is left."""

    def __init__(self, send: Send, expected: int) -> None:
        self._send = send
        self._waiting = expected
        self._replies: list[Json] = []
        self._lock = Lock()

    def add(self, reply: Json) -> None:
        """One reply; an empty one stands for a request that was cancelled."""
        with self._lock:
            self._waiting -= 1
            if reply:
                self._replies.append(reply)
            done = self._waiting == 0
        if done:
            self._send(self._replies or {})


def is_id(value: Any) -> bool:
    """Whether a value can be a request id in MCP."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def id_in(data: bytes) -> str | int | None:
    """The id of a message that cannot be decoded for text no UTF-8 can carry; else None."""
    import json

    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return None
    found: str | int | None = message.get("id") if isinstance(message, dict) else None
    return found if is_id(found) else None


def expects_reply(item: Any) -> bool:
    """Whether a decoded message gets an answer."""
    if not isinstance(item, dict):
        return True
    if item.get("jsonrpc") == "2.0" and "method" not in item:
        return "result" not in item and "error" not in item
    return "id" in item or not isinstance(item.get("method"), str) or item.get("jsonrpc") != "2.0"
