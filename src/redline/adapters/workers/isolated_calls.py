"""Functions run in worker processes with a budget: see `core.ports.confined`.

Parsers, expressions and schemas can crash, ask for exponential work, hold the interpreter's lock,
exhaust the memory or the stack. There only the worker dies of it.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from redline.adapters.templates.template import Template
from redline.adapters.workers.messages import decode, decode_error, encode, encode_error
from redline.adapters.workers.worker_process import Keeper, WorkerProcess
from redline.core.errors import (
    Busy,
    LimitReached,
    ProgramChanged,
    RedlineError,
    TimeLimit,
    WorkerDied,
)
from redline.core.ports.confined import Budget

_MAX_BUSY = 4
# As many are kept as can be busy: starting one takes longer than most calls.
_MAX_IDLE = _MAX_BUSY
_START_SECONDS = 30.0
_HINT = "narrow the expression, simplify the schema or name a smaller file"


class IsolatedCalls:
    """Answers `ports.Confined`; each call has a process of its own while it runs.

    *descriptors* are the only ones that workers inherit. With a *template*, workers are copies of
    it.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        *,
        busy: int = _MAX_BUSY,
        idle: int = _MAX_IDLE,
        descriptors: Sequence[int] = (),
        template: Template | None = None,
    ) -> None:
        self._budget = budget or Budget()
        self._max_idle = idle
        self._descriptors = tuple(descriptors)
        self._template = template
        self._slots: SimpleQueue[None] = SimpleQueue()
        for _ in range(busy):
            self._slots.put(None)
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._asked: set[WorkerProcess] = set()
        self._keeper: Keeper | None = None
        self._closed = False
        # Who forgets to close it leaves no process behind.
        weakref.finalize(self, _end_all, self._idle).atexit = False

    def call(
        self,
        function: str,
        arguments: Sequence[Any],
        answers: Mapping[str, Callable[..., Any]] | None = None,
        *,
        budget: Budget | None = None,
    ) -> Any:
        """What *function* gives for *arguments*; TimeLimit, WorkerDied, LimitReached, Busy."""
        allowed = budget or self._budget
        request = encode((function, allowed, arguments))
        try:
            self._slots.get(timeout=allowed.seconds)
        except Empty:
            raise Busy("Too many queries and checks are running", hint="try again") from None
        try:
            verdict, value = self._ask(request, allowed, answers or {})
        finally:
            self._slots.put(None)
        if verdict == "error":
            raise decode_error(value)
        if verdict == "exhausted":
            raise LimitReached(
                "It needed too much memory or nested too deeply, and was stopped", hint=_HINT
            )
        if verdict != "value":
            raise RuntimeError(value)
        return value

    def rest(self) -> None:
        """End the workers that wait for a call; the next call starts one again."""
        with self._lock:
            idle = [*self._idle]
            self._idle.clear()
        _end_all(idle)

    def close(self) -> None:
        """End all workers; a call that still waits for one fails."""
        with self._lock:
            self._closed = True
            idle = [*self._idle]
            self._idle.clear()
            for worker in self._asked:
                worker.signal_end()
            keeper, self._keeper = self._keeper, None
        _end_all(idle)
        if keeper is not None:
            keeper.close()

    def _ask(
        self, request: bytes, budget: Budget, answers: Mapping[str, Callable[..., Any]]
    ) -> tuple[str, Any]:
        keeper, worker = self._take()
        is_reusable = False
        try:
            with keeper.kill_at(worker, monotonic() + budget.seconds) as deadline:
                reply = _receive(worker, request)
                while reply is not None and reply[0] == "ask":
                    reply = _receive(worker, _answer(answers, reply[1]))
            is_reusable = reply is not None and not reply[2]
        finally:
            self._give_back(worker, keep=is_reusable)
        if reply is not None:
            return reply[0], reply[1]
        if worker.found_changes:
            raise ProgramChanged
        if deadline.has_struck or worker.ran_out_of_time:
            used = deadline.used if deadline.has_struck else float(budget.cpu)
            raise TimeLimit(
                f"It took longer than {budget.cpu or budget.seconds:g} s and was stopped",
                hint=_HINT,
                details={"cpu_seconds": round(used, 2)},
            )
        raise WorkerDied(
            "It needed too much memory or nested too deeply, and was stopped", hint=_HINT
        )

    def _take(self) -> tuple[Keeper, WorkerProcess]:
        with self._lock:
            if self._closed:
                raise Busy("The server is ending")
            if self._keeper is None:
                self._keeper = Keeper()
                weakref.finalize(self, self._keeper.finish).atexit = False
            keeper = self._keeper
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive:
                    self._asked.add(worker)
                    return keeper, worker
        worker = keeper.start_worker(self._descriptors, self._template)
        with self._lock:
            self._asked.add(worker)
            has_ended = self._keeper is not keeper
        if has_ended:
            worker.signal_end()
        with keeper.kill_at(worker, monotonic() + _START_SECONDS):
            worker.wait_until_ready()  # starting is not on the budget of the call
        return keeper, worker

    def _give_back(self, worker: WorkerProcess, *, keep: bool) -> None:
        with self._lock:
            self._asked.discard(worker)
            if keep and not self._closed and len(self._idle) < self._max_idle:
                self._idle.append(worker)
                return
        worker.kill()


def _end_all(workers: list[WorkerProcess]) -> None:
    for worker in workers:
        worker.kill()


def _receive(worker: WorkerProcess, request: bytes) -> tuple[str, Any, bool] | None:
    """The worker's next message; None when it ended or its message makes no sense."""
    body = worker.exchange(request)
    if body is None:
        return None
    try:
        verdict, value, is_worn = decode(body)
    except (ValueError, TypeError):
        return None
    return verdict, value, is_worn


def _answer(answers: Mapping[str, Callable[..., Any]], asked: Sequence[Any]) -> bytes:
    name, *arguments = asked
    try:
        return encode(("value", answers[name](*arguments)))
    except RedlineError as error:
        return encode(("error", encode_error(error)))
