"""Functions of ours in worker processes: see `core.ports.confined`.

Expressions and schemas can ask for exponential work, and native validators hold the interpreter's
lock, exhaust the memory or the stack while they do it. There only the worker dies of it.
"""

from __future__ import annotations

import marshal
import os
import sys
import threading
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from redline.adapters.confined_child import decoded_error, encoded_error
from redline.adapters.killable import Idle, Killable
from redline.core.errors import LimitReached, RedlineError, TimeLimit

BUDGET = 15.0
MEMORY = 2 << 30
_MOST_IDLE = 1
_MOST_BUSY = 4
# A worker that had more to do may have grown, and is not kept.
_SMALL = 4 << 20
_CHILD = os.path.join(os.path.dirname(__file__), "confined_child.py")


class ConfinedCalls:
    """Answers `ports.Confined`; each call has a process of its own while it runs."""

    def __init__(self, budget: float = BUDGET, memory: int = MEMORY) -> None:
        self._budget = budget
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
        self._idle = Idle(lambda: Killable(_CHILD, path, str(memory)), _MOST_IDLE)
        self._busy = threading.BoundedSemaphore(_MOST_BUSY)

    def call(
        self,
        function: str,
        arguments: tuple[Any, ...],
        answers: Mapping[str, Callable[..., Any]],
    ) -> Any:
        """What *function* gives for *arguments*; TimeLimit, LimitReached."""
        request = marshal.dumps((function, self._budget, arguments))
        ends = monotonic() + self._budget
        if not self._busy.acquire(timeout=self._budget):
            raise TimeLimit("Too many queries and checks are running", hint="try again")
        try:
            verdict, value = self._ask(request, ends, answers)
        finally:
            self._busy.release()
        if verdict == "error":
            raise decoded_error(value)
        if verdict == "failed":
            raise RuntimeError(value)
        return value

    def close(self) -> None:
        """End the idle workers."""
        self._idle.close()

    def _ask(
        self, request: bytes, ends: float, answers: Mapping[str, Callable[..., Any]]
    ) -> tuple[str, Any]:
        worker = self._idle.take()
        size = len(request)
        is_whole = False
        try:
            with worker.until(ends) as late:
                message = _received(worker, request)
                while message[0] == "ask":
                    request = _answered(answers, message[1])
                    size += len(request)
                    message = _received(worker, request)
            is_whole = message[0] != "gone"
        finally:
            if is_whole and size <= _SMALL:
                self._idle.give_back(worker)
            else:
                worker.kill()
        if is_whole:
            return message
        if late.is_set():
            raise TimeLimit(
                f"It took longer than {self._budget:g} s and was stopped",
                hint="narrow the expression, simplify the schema or name a smaller file",
            )
        raise LimitReached(
            "It needed too much memory or nested too deeply, and was stopped",
            hint="narrow the expression, simplify the schema or name a smaller file",
        )


def _received(worker: Killable, request: bytes) -> tuple[str, Any]:
    body = worker.exchange(request)
    if body is None:
        return "gone", None
    message: tuple[str, Any] = marshal.loads(body)  # noqa: S302 - our own child
    return message


def _answered(answers: Mapping[str, Callable[..., Any]], asked: tuple[Any, ...]) -> bytes:
    name, *arguments = asked
    try:
        return marshal.dumps(("value", answers[name](*arguments)))
    except RedlineError as error:
        return marshal.dumps(("error", encoded_error(error)))
