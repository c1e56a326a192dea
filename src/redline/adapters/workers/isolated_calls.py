"""Functions run in worker processes with a budget: see `core.ports.confined`.

Parsers, expressions and schemas can crash, ask for exponential work, hold the interpreter's lock,
exhaust the memory or the stack. There only the worker dies of it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from time import monotonic
from typing import IO, Any

from redline.adapters.process_templates.template import ChildProcess, Template, TemplateEnded
from redline.adapters.workers import loaded_program
from redline.adapters.workers.messages import (
    decode,
    decode_error,
    encode,
    encode_error,
    frame,
    receive,
)
from redline.core import errors
from redline.core.ports.confined import Budget

# A worker that sends more has lost its way, or wants to fill the server's memory.
MAX_ANSWER = 128 << 20
_MIN_SECONDS = 0.05
_ENVIRONMENT = ("SYSTEMROOT",)  # Windows starts no process without it
# In KiB: the allocator of the TOML parser would reserve a gigabyte of addresses, which counts
# against the memory of every later call.
_ALLOCATOR = {"MIMALLOC_ARENA_RESERVE": str(64 << 10)}
_FOUND_CHANGES = 86  # how `child` ends where a module is not what it was at the start


def _command() -> list[str]:
    """Return the command line of a worker: the only place that knows how one is started."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
    start = [sys.executable, "-I", "-S", "-B", "-c", loaded_program.CHILD_SOURCE]
    return [*start, path, str(os.getpid()), loaded_program.STATE]


def start_template(descriptor: int) -> subprocess.Popen[bytes]:
    """Start the process that workers of many workspaces are copied from; see `Template`."""
    return _start([str(descriptor)], [descriptor], stream=subprocess.DEVNULL)


def _start(
    arguments: Sequence[str], descriptors: Sequence[int], stream: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*_command(), *arguments],
        stdin=stream,
        stdout=stream,
        stderr=subprocess.DEVNULL,
        env={**_ALLOCATOR, **{n: os.environ[n] for n in _ENVIRONMENT if n in os.environ}},
        cwd=os.path.dirname(loaded_program.CHILD),
        pass_fds=descriptors,
    )


class WorkerProcess:
    """One process with `child` in it; its holder asks it one thing at a time.

    With a *template* it is a copy of that, and inherits no descriptors.
    """

    def __init__(self, descriptors: Sequence[int] = (), template: Template | None = None) -> None:
        self._process: ChildProcess
        self._sink: IO[bytes]
        self._source: IO[bytes]
        if template is None:
            process = _start((), descriptors, subprocess.PIPE)
            assert process.stdin is not None
            assert process.stdout is not None
            self._process, self._sink, self._source = process, process.stdin, process.stdout
        else:
            self._copy(template)

    def _copy(self, template: Template) -> None:
        requests, sink = os.pipe()
        source, answers = os.pipe()
        self._sink, self._source = os.fdopen(sink, "wb"), os.fdopen(source, "rb")
        try:
            self._process = template.fork((), (requests, answers))
        except BaseException as failure:
            self._sink.close()
            self._source.close()
            if isinstance(failure, TemplateEnded) and failure.status == _FOUND_CHANGES:
                raise errors.ProgramChanged from None
            raise
        finally:
            os.close(requests)
            os.close(answers)

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    @property
    def ran_out_of_time(self) -> bool:
        """Whether it ended by the limit of processor time that it had set itself."""
        limit = getattr(signal, "SIGXCPU", None)
        return limit is not None and self._process.returncode == -limit

    @property
    def found_changes(self) -> bool:
        """Whether it ended because a file of Redline has changed since the server started."""
        return self._process.returncode == _FOUND_CHANGES

    def kill(self) -> None:
        """End it now."""
        self._process.kill()
        for pipe in (self._sink, self._source):
            try:
                pipe.close()
            except OSError:  # what was still buffered has no reader any more
                pass
        self._process.wait()

    def signal_end(self) -> None:
        """Kill it from another thread: the one that waits for its answer sees the end."""
        self._process.kill()

    def cpu_seconds(self) -> float:
        """Processor time it has used; where the system does not say, the time by the clock."""
        clock_gettime = getattr(time, "clock_gettime", None)
        if clock_gettime is None or sys.platform != "linux":
            return monotonic()
        try:  # the clock of another process, as clock_getcpuclockid(3) names it
            return float(clock_gettime(~self._process.pid << 3 | 2))
        except OSError:
            return 0.0

    def wait_until_ready(self) -> None:
        """Wait until it has started; where it could not, the first request fails."""
        receive(self._source.read, MAX_ANSWER)

    def exchange(self, request: bytes) -> bytes | None:
        """Return what it answers to *request*; None when it ended or answers without bound."""
        try:
            for part in frame(request):
                self._sink.write(part)
            self._sink.flush()
            return receive(self._source.read, MAX_ANSWER)
        except (OSError, ValueError):  # gone, or closed beneath us
            return None


class Keeper:
    """The thread that starts workers and kills those that overrun.

    The kernel ends a worker with the thread that started it, so a long-lived thread must start it.
    """

    def __init__(self) -> None:
        self._orders: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._running: set[Deadline] = set()
        self._lock = threading.Lock()
        self._wakes_at = 0.0
        self._thread = threading.Thread(target=self._run, name="workers", daemon=True)
        self._thread.start()

    def start_worker(
        self, descriptors: Sequence[int], template: Template | None = None
    ) -> WorkerProcess:
        """Start a worker on the keeper's thread."""
        made: SimpleQueue[WorkerProcess | BaseException] = SimpleQueue()

        def start() -> None:
            try:
                made.put(WorkerProcess(descriptors, template))
            except BaseException as error:  # raised where it was asked for
                made.put(error)

        self._orders.put(start)
        worker = made.get()
        if isinstance(worker, BaseException):
            raise worker
        return worker

    def kill_at(self, worker: WorkerProcess, ends: float) -> Deadline:
        """Kill *worker* at the moment *ends*, unless the block is left before."""
        deadline = Deadline(self, worker, max(ends, monotonic() + _MIN_SECONDS))
        with self._lock:
            self._running.add(deadline)
            is_sooner = deadline.ends < self._wakes_at
        if is_sooner:
            self._orders.put(_look)
        return deadline

    def cancel(self, deadline: Deadline) -> None:
        """Leave the worker of *deadline* alone from now on."""
        with self._lock:
            self._running.discard(deadline)

    def finish(self) -> None:
        """Let the thread end when it has done what it was asked for."""
        self._orders.put(None)

    def close(self) -> None:
        """End the thread."""
        self.finish()
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                order = self._orders.get(timeout=self._wait())
            except Empty:  # the next deadline has come
                continue
            if order is None:
                return
            order()

    def _wait(self) -> float | None:
        """Kill the workers past their deadline; return how long until the next deadline."""
        with self._lock:
            now = monotonic()
            for deadline in [each for each in self._running if each.ends <= now]:
                self._running.discard(deadline)
                deadline.strike()
            # A call that has been answered by then wakes the thread for nothing, once.
            self._wakes_at = min((each.ends for each in self._running), default=float("inf"))
            return max(0.0, self._wakes_at - now) if self._running else None


def _look() -> None:
    """Have the thread look at the deadlines again."""


class Deadline:
    """The time at which a worker is killed; leaving the block before cancels it."""

    __slots__ = ("_cpu", "_keeper", "_worker", "ends", "has_struck", "used")

    def __init__(self, keeper: Keeper, worker: WorkerProcess, ends: float) -> None:
        self._keeper = keeper
        self._worker = worker
        self._cpu = worker.cpu_seconds()
        self.ends = ends
        self.has_struck = False
        # Processor time the worker used before it was killed.
        self.used = 0.0

    def __enter__(self) -> Deadline:
        return self

    def __exit__(self, *_: object) -> None:
        self._keeper.cancel(self)

    def strike(self) -> None:
        """Kill the worker."""
        self.used = self._worker.cpu_seconds() - self._cpu
        self.has_struck = True
        self._worker.signal_end()


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
            raise errors.Busy("Too many queries and checks are running", hint="try again") from None
        try:
            verdict, value = self._ask(request, allowed, answers or {})
        finally:
            self._slots.put(None)
        if verdict == "error":
            raise decode_error(value)
        if verdict == "exhausted":
            raise errors.LimitReached(
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
            raise errors.ProgramChanged
        if deadline.has_struck or worker.ran_out_of_time:
            used = deadline.used if deadline.has_struck else float(budget.cpu)
            raise errors.TimeLimit(
                f"It took longer than {budget.cpu or budget.seconds:g} s and was stopped",
                hint=_HINT,
                details={"cpu_seconds": round(used, 2)},
            )
        raise errors.WorkerDied(
            "It needed too much memory or nested too deeply, and was stopped", hint=_HINT
        )

    def _take(self) -> tuple[Keeper, WorkerProcess]:
        with self._lock:
            if self._closed:
                raise errors.Busy("The server is ending")
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
    """Return the worker's next message; None when it ended or its message makes no sense."""
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
    except errors.RedlineError as error:
        return encode(("error", encode_error(error)))
