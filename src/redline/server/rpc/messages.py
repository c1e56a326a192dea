"""JSON-RPC messages: which are valid, which expect a reply, where replies go, what ends a call."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from redline.server.rpc import wire
from redline.toolsets.tool import Json, ProtocolProfile


class StateRefused(Exception):
    """A requestState that was altered, has expired, was used before or is another call's."""


class CancelToken:
    """Implements core.ports.search.Cancel; `cancel` may come at any time from any thread.

    *report* gets a line for the operator when an action fails.
    """

    __slots__ = ("_actions", "_lock", "_report", "cancelled")

    def __init__(self, report: Callable[[str], None]) -> None:
        self.cancelled = False
        self._report = report
        self._lock = Lock()
        self._actions: list[Callable[[], None]] = []

    def check(self) -> None:
        """Raise Cancelled when the client cancelled the call."""
        if self.cancelled:
            from redline.core.errors import Cancelled

            raise Cancelled("The caller cancelled the request")

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Run *action* on cancellation; immediately if that has happened."""
        with self._lock:
            if not self.cancelled:
                self._actions.append(action)
                return
        action()

    def cancel(self) -> None:
        """Cancel: run every registered action, once."""
        with self._lock:
            if self.cancelled:
                return
            self.cancelled = True
            actions, self._actions = self._actions, []
        for action in actions:
            try:
                action()
            except Exception as failure:
                self._report(f"cancel action failed: {failure!r}")


MAX_BATCH = 50
_STRICT = ProtocolProfile()

Send = Callable[[Any], None]
# A job, and how many bytes it holds until it runs.
Submit = Callable[[Callable[[], None], int], None]


class Refusal(Exception):
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def reply(self, request_id: Any) -> Json:
        """Return the error message for the request with this id."""
        return wire.error(request_id, self.code, self.message, self.data)


class Channel:
    """Where messages about one request go: `notify` any number of times, then `reply` once.

    An empty reply ends the request without sending anything. `gone` is cancelled when the client
    stops listening.
    """

    __slots__ = ("gone", "notify", "reply", "takes_questions")

    def __init__(
        self,
        reply: Send,
        notify: Send,
        *,
        takes_questions: bool = True,
        gone: CancelToken | None = None,
    ) -> None:
        self.reply = reply
        self.notify = notify
        self.takes_questions = takes_questions
        self.gone = gone

    def with_reply(self, reply: Send) -> Channel:
        """Return the same channel with replies going to *reply*."""
        questions = self.takes_questions
        return Channel(reply, self.notify, takes_questions=questions, gone=self.gone)


class Batch:
    """Collects the replies of a batch and sends them as one array, or {} when there are none."""

    def __init__(self, send: Send, expected: int) -> None:
        self._send = send
        self._waiting = expected
        self._replies: list[Json] = []
        self._lock = Lock()

    def add(self, reply: Json) -> None:
        """Add one reply; an empty one means that the request was cancelled."""
        with self._lock:
            self._waiting -= 1
            if reply:
                self._replies.append(reply)
            done = self._waiting == 0
        if done:
            self._send(self._replies or {})


def check_message(message: Any, profile: ProtocolProfile = _STRICT) -> None:
    """Raise Refusal for anything that is not a valid JSON-RPC message under *profile*."""
    problem = _find_problem(message, profile)
    if problem is not None:
        raise Refusal(wire.INVALID_REQUEST, f"Invalid request: {problem}")
    params, method = message.get("params"), message.get("method")
    is_lenient = method == "initialize" and profile.any_initialize_params
    if params is not None and not isinstance(params, dict) and not is_lenient:
        raise Refusal(wire.INVALID_PARAMS, "params must be an object")


def check_cursor(params: Any) -> None:
    """Refuse the cursor of a list that is always whole."""
    if isinstance(params, dict) and params.get("cursor") is not None:
        raise Refusal(
            wire.INVALID_PARAMS, "Unknown cursor\nhint: this list is one page; send no cursor"
        )


def _find_problem(message: Any, profile: ProtocolProfile) -> str | None:
    if not isinstance(message, dict):
        return "a message is a JSON object"
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if "method" not in message:
        return None if "result" in message or "error" in message else "method is missing"
    if not isinstance(message["method"], str):
        return "method must be a string"
    if is_id(message.get("id", 0)) or (message["id"] is None and profile.null_id_is_request):
        return None
    return "id must be a string or an integer"


def is_id(value: Any) -> bool:
    """Return whether a value can be a request id in MCP."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def id_of(message: Any) -> str | int | None:
    """Return the id of a decoded message that may be invalid; None when there is none."""
    found: str | int | None = message.get("id") if isinstance(message, dict) else None
    return found if is_id(found) else None


def id_in(data: bytes) -> str | int | None:
    """Return the id of a message whose text is not valid UTF-8; None when there is none."""
    import json

    try:
        return id_of(json.loads(data))
    except (ValueError, RecursionError):
        return None


def expects_reply(message: Any) -> bool:
    """Return whether a decoded message gets a reply."""
    if not isinstance(message, dict):
        return True
    if message.get("jsonrpc") == "2.0" and "method" not in message:
        return "result" not in message and "error" not in message
    is_valid = isinstance(message.get("method"), str) and message.get("jsonrpc") == "2.0"
    return "id" in message or not is_valid


def any_expects_reply(body: Any) -> bool:
    """Return whether a message, or one message of a batch, gets a reply."""
    items = body if isinstance(body, list) else [body]
    return any(expects_reply(item) for item in items)
