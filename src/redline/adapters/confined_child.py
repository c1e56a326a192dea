"""The program inside a worker of `confined`; run by path, with the parent's module path."""

from __future__ import annotations

import marshal
import os
import sys
from importlib import import_module
from typing import Any, BinaryIO

_PLAIN = (str, int, float, bool, bytes, type(None))


class _Channel:
    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests = requests
        self._answers = answers

    def receive(self) -> Any:
        """The next message; None at the end."""
        head = self._requests.read(4)
        if len(head) < 4:
            return None
        body = self._requests.read(int.from_bytes(head, "little"))
        return marshal.loads(body)  # noqa: S302 - our parent

    def send(self, message: Any) -> None:
        """Send one message."""
        data = marshal.dumps(message)
        self._answers.write(len(data).to_bytes(4, "little") + data)
        self._answers.flush()

    def ask(self, *asked: Any) -> Any:
        """What the parent's function of that name answers."""
        self.send(("ask", asked))
        verdict, value = self.receive()
        if verdict == "error":
            raise decoded_error(value)
        return value


def serve(requests: BinaryIO, answers: BinaryIO, memory: int) -> None:
    """Answer until the input ends."""
    from redline.adapters.native_memory import load_sparingly
    from redline.adapters.regex_child import limit_memory, limit_time
    from redline.core.loading import load_with

    load_with("toml_rs", load_sparingly)
    limit_memory(memory)
    channel = _Channel(requests, answers)
    while (request := channel.receive()) is not None:
        function, seconds, arguments = request
        limit_time(seconds)
        channel.send(_done(channel, function, arguments))


def _done(channel: _Channel, function: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    from redline.core.errors import RedlineError

    module, _, name = function.partition(":")
    try:
        return "value", getattr(import_module(module), name)(channel.ask, *arguments)
    except RedlineError as error:
        return "error", encoded_error(error)
    except (MemoryError, RecursionError):
        return "gone", None
    except Exception as error:  # told to the parent, which raises it as its own
        return "failed", f"{type(error).__name__}: {error}"


def encoded_error(error: Any) -> tuple[str, dict[str, Any]]:
    """A RedlineError as plain data."""
    state = {name: value for name, value in vars(error).items() if isinstance(value, _PLAIN)}
    return type(error).__name__, {**state, "details": _plain(error.details)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, _PLAIN) else str(value)


def decoded_error(data: tuple[str, dict[str, Any]]) -> Exception:
    """The RedlineError that was encoded."""
    from redline.core import errors

    name, state = data
    kind = getattr(errors, name)
    error: errors.RedlineError = kind.__new__(kind, state["message"])
    vars(error).update(state)
    return error


if __name__ == "__main__":
    sys.path[:] = sys.argv[1].split(os.pathsep)
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints gets among the answers
    serve(sys.stdin.buffer, sink, int(sys.argv[2]))
