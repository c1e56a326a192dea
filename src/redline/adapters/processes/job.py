"""A started command in the server: its state, output, input and end."""

from __future__ import annotations

import heapq
import json
import os
import selectors
import signal as signals
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from threading import Condition, Lock, Thread

from redline.core.errors import SessionClosed
from redline.core.ports.commands import (
    Captured,
    CommandView,
    Difference,
    JobState,
    Look,
    SandboxFacts,
)


class Reactor:
    """Run callbacks in one thread, when a descriptor is ready or a deadline has passed."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._orders: deque[Callable[[], None]] = deque()
        self._alarms: list[tuple[float, int, Callable[[], None]]] = []
        self._count = count()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_in, False)
        os.set_blocking(self._wake_out, False)
        self._selector.register(self._wake_in, selectors.EVENT_READ, self._drain)

    def do(self, action: Callable[[], None]) -> None:
        """Run *action* in the reactor's thread as soon as it is free."""
        self._orders.append(action)
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="commands", daemon=True)
                self._thread.start()
        try:
            os.write(self._wake_out, b"x")
        except BlockingIOError:
            pass

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Run *action* in the reactor's thread at *moment* of the monotonic clock."""
        self.do(lambda: heapq.heappush(self._alarms, (moment, next(self._count), action)))

    def watch(self, descriptor: int, events: int, action: Callable[[], object]) -> None:
        """Run *action* whenever the descriptor is ready. Call it in the reactor's thread only."""
        try:
            self._selector.modify(descriptor, events, action)
        except KeyError:
            self._selector.register(descriptor, events, action)

    def unwatch(self, descriptor: int) -> None:
        """Stop watching the descriptor. Call it in the reactor's thread only."""
        try:
            self._selector.unregister(descriptor)
        except KeyError:
            pass

    def _drain(self) -> None:
        os.read(self._wake_in, 4096)

    def _run(self) -> None:
        while True:
            pause = self._alarms[0][0] - time.monotonic() if self._alarms else None
            if self._orders:
                pause = 0
            ready = self._selector.select(None if pause is None else max(0.0, pause))
            for key, _events in ready:
                key.data()
            while self._orders:
                self._orders.popleft()()
            while self._alarms and self._alarms[0][0] <= time.monotonic():
                heapq.heappop(self._alarms)[2]()


HEAD = 64 << 10
TAIL = 1 << 20


class RollingBuffer:
    """Keep the head and the tail of the unread part of a stream; not thread-safe."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._head_cap = head
        self._tail_cap = tail
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._lost = 0
        self._lost_ever = 0
        self._lost_lines = 0
        self._held = b""
        self.total = 0

    @property
    def has_unread(self) -> bool:
        """Whether bytes arrived since the last `take`."""
        return bool(self._head or self._tail_size or self._lost)

    def append(self, data: bytes) -> None:
        """Add *data*, dropping the oldest bytes after the head when over the cap."""
        self.total += len(data)
        data = self._held + data
        self._held = b""
        room = self._head_cap - len(self._head)
        if room > 0 and not self._tail_size and not self._lost:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            self._trim()

    def _trim(self) -> None:
        while self._tail_size > self._tail_cap:
            over = self._tail_size - self._tail_cap
            first = self._tail[0]
            if len(first) <= over:
                self._tail.popleft()
                cut = len(first)
            else:
                self._tail[0] = first[over:]
                cut = over
            self._lost_lines += first.count(b"\n", 0, cut)
            self._tail_size -= cut
            self._lost += cut
            self._lost_ever += cut

    def take(self, *, final: bool = True) -> Captured:
        """Return everything unread and mark it as read.

        Unless *final*, an incomplete UTF-8 character at the end stays unread.
        """
        head, tail = bytes(self._head), b"".join(self._tail)
        if not self._lost:
            head, tail = b"", head + tail
        if final:
            tail, self._held = self._held + tail, b""
        else:
            cut = len(tail) - _started_character(tail)
            tail, self._held = tail[:cut], tail[cut:]
        if not self._lost:
            head, tail = tail, b""
        captured = Captured(head, tail, self._lost, self._lost_ever, self._lost_lines)
        self._head.clear()
        self._tail.clear()
        self._tail_size = self._lost = self._lost_lines = 0
        return captured

    def recall(self) -> Captured:
        """Return everything kept and leave it unread."""
        tail = b"".join(self._tail)
        return Captured(bytes(self._head), tail, self._lost, self._lost_ever, self._lost_lines)


def _started_character(data: bytes) -> int:
    """Return the length of the incomplete UTF-8 character at the end of *data*."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 2 if byte & 0xE0 == 0xC0 else 3 if byte & 0xF0 == 0xE0 else 4
        return back if byte >= 0xC2 and byte < 0xF5 and needed > back else 0
    return 0


class HeadBuffer:
    """Keep the first bytes of a stream, and whether there were more."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.data = bytearray()
        self.is_cut = False

    def append(self, got: Captured) -> None:
        """Add captured output up to its first gap."""
        room = self._limit - len(self.data)
        piece = got.head if got.lost else got.head + got.tail
        if not self.is_cut:
            self.data += piece[: max(0, room)]
        self.is_cut = self.is_cut or got.lost > 0 or len(piece) > room


_CHUNK = 64 << 10
_ORDERS = {"TERM": b"T", "INT": b"I", "KILL": b"K"}
_INPUT_CAP = 4 << 20
Finisher = Callable[[JobState], tuple[str | None, Sequence[str]]]
DryFinisher = Callable[[str, Difference, JobState], tuple[str | None, Sequence[str]]]
JudgedFinisher = Callable[[CommandView, JobState], tuple[str | None, Sequence[str]]]
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class RunningJob:
    """See `core.ports.commands.Job`. The reactor's thread moves the state; callers wait for it."""

    def __init__(self, job_id: str, owner: str, facts: SandboxFacts, reactor: Reactor) -> None:
        self._id = job_id
        self.owner = owner
        self._facts = facts
        self._reactor = reactor
        self._changed = Condition()
        self._state = JobState("running")
        self._started = time.monotonic()
        self._buffers = {"stdout": RollingBuffer(), "stderr": RollingBuffer()}
        self._record = RollingBuffer()
        self._last_look: Look | None = None
        self._streams: dict[int, str] = {}
        self._input: int | None = None
        self._keep_input = False
        self._pending = bytearray()
        self._control: socket.socket | None = None
        self._heard = b""
        self._ending = ""
        self._report: dict[str, object] | None = None
        self._change: str | None = None
        self._notes: list[str] = []
        self._finisher: Finisher | None = None
        self._note_source: Callable[[], Sequence[str]] = tuple

    @property
    def id(self) -> str:
        """Return the handle with which clients name this command."""
        return self._id

    @property
    def sandbox(self) -> SandboxFacts:
        """Return what the sandbox restricts."""
        return self._facts

    @property
    def notes(self) -> Sequence[str]:
        """Return what became known after the end, for the answer."""
        return tuple(self._notes)

    @property
    def change(self) -> str | None:
        """Return the id of the journalled operation of what the command changed, if any."""
        return self._change

    def attach(
        self, control: socket.socket, streams: dict[int, str], stdin: int, typed: bytes | None
    ) -> None:
        """Take ownership of the server's ends of the descriptors and start reading them.

        *typed* is the command's whole input; None keeps the input open for `send`.
        """
        keep = typed is None
        self._pending += typed or b""
        self._control, self._streams, self._input, self._keep_input = control, streams, stdin, keep
        for descriptor in (*streams, stdin, control.fileno()):
            os.set_blocking(descriptor, False)
        self._reactor.do(self._listen)

    def before_end(self, finisher: Finisher) -> None:
        """Run *finisher* in its own thread between the end of the last process and its report."""
        self._finisher = finisher

    def add_notes_at_end(self, source: Callable[[], Sequence[str]]) -> None:
        """Call *source*, which must not block, for more notes after the last process ended."""
        self._note_source = source

    def state(self) -> JobState:
        """Return whether the command runs, or how it ended."""
        with self._changed:
            return self._now()

    @property
    def last_look(self) -> Look | None:
        """Return the `take` that reported the end; None while no `take` has."""
        with self._changed:
            return self._last_look

    @property
    def is_ending(self) -> bool:
        """Whether the last process is gone, so that the end is about to be reported."""
        return self._report is not None

    def send(self, data: bytes) -> None:
        """Queue *data* for the command's input; SessionClosed when it takes no more."""
        with self._changed:
            if self._state.has_ended or self._input is None:
                raise SessionClosed("The command does not take input any more")
            if len(self._pending) + len(data) > _INPUT_CAP:
                raise SessionClosed("The command does not read its input")
            self._pending += data
        self._reactor.do(self._want_write)

    @property
    def byte_count(self) -> int:
        """Return how many bytes the command has written so far."""
        with self._changed:
            return self._total()

    def wait(self, seconds: float, *, for_output: bool = False, beyond: int | None = None) -> None:
        """Block until the command ends, but at most *seconds*.

        With *for_output* unread output ends the wait too, and with *beyond* a larger `byte_count`.
        """

        def ready() -> bool:
            fresh = beyond is not None and self._total() > beyond
            return self._state.has_ended or fresh or (for_output and self._has_output())

        with self._changed:
            self._changed.wait_for(ready, max(0.0, seconds))

    def take(self) -> Look:
        """Return the state, and the output since the last call.

        Both are read under one lock, so a caller that sees the end has all of the output.
        """
        with self._changed:
            ended = self._state.has_ended
            out, err = (self._buffers[name].take(final=ended) for name in ("stdout", "stderr"))
            look = Look(self._now(), out, err)
            if ended and self._last_look is None:
                self._last_look = look
            return look

    def recall(self) -> Captured:
        """Return what is kept of all output so far, both streams in order of arrival."""
        with self._changed:
            return self._record.recall()

    def kill(self, signal: str = "TERM", grace: float = 1.0) -> None:
        """Send *signal* to the whole process tree; kill what is left after *grace* seconds."""
        self._reactor.do(lambda: self._end("killed", signal, grace))

    def expire_at(self, moment: float, grace: float) -> None:
        """Send TERM at *moment* of the monotonic clock, and KILL *grace* seconds later."""
        self._reactor.at(moment, lambda: self._end("timeout", "TERM", grace))

    # The methods below run in the reactor's thread, except those that only read the state
    # (`_now`, `_total`, `_has_output`) and `_run_finisher`, which has a thread of its own.

    def _listen(self) -> None:
        for descriptor in self._streams:
            self._reactor.watch(descriptor, READ, partial(self._read, descriptor))
        if self._control is not None:
            self._reactor.watch(self._control.fileno(), READ, self._hear)
        self._want_write()

    def _now(self) -> JobState:
        if self._state.has_ended:
            return self._state
        return JobState("running", elapsed=time.monotonic() - self._started)

    def _total(self) -> int:
        return sum(buffer.total for buffer in self._buffers.values())

    def _has_output(self) -> bool:
        return any(buffer.has_unread for buffer in self._buffers.values())

    def _read(self, descriptor: int) -> bool:
        """Read one chunk; return False when nothing is there or the stream has ended."""
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # a terminal whose other side is closed
            data = b""
        if not data:
            self._close_stream(descriptor)
            return False
        with self._changed:
            self._buffers[self._streams[descriptor]].append(data)
            self._record.append(data)
            self._changed.notify_all()
        return True

    def _close_stream(self, descriptor: int) -> None:
        self._reactor.unwatch(descriptor)
        if self._streams.pop(descriptor, None) is not None:
            if descriptor == self._input:
                self._input = None
            os.close(descriptor)

    def _want_write(self) -> None:
        if self._input is None:
            return
        if not self._pending:
            if not self._keep_input:
                self._close_input()
            elif self._input in self._streams:
                self._reactor.watch(self._input, READ, self._read_terminal)
            else:
                self._reactor.unwatch(self._input)
            return
        terminal = self._input in self._streams
        events = READ | WRITE if terminal else WRITE
        self._reactor.watch(self._input, events, self._write)

    def _read_terminal(self) -> None:
        if self._input is not None:
            self._read(self._input)

    def _write(self) -> None:
        if self._input is not None and self._input in self._streams:
            self._read(self._input)
        if self._input is None or not self._pending:
            return
        try:
            written = os.write(self._input, self._pending[:_CHUNK])
        except BlockingIOError:
            return
        except OSError:
            self._close_input()
            return
        with self._changed:
            del self._pending[:written]
        self._want_write()

    def _close_input(self) -> None:
        if self._input is not None and self._input not in self._streams:
            self._reactor.unwatch(self._input)
            os.close(self._input)
            self._input = None

    def _end(self, why: str, signal: str, grace: float) -> None:
        if self._report is not None or self._control is None:
            return
        self._ending = self._ending or why
        self._order(_ORDERS[signal])
        if signal != "KILL":
            moment = time.monotonic() + grace
            self._reactor.at(moment, lambda: self._order(b"K"))

    def _order(self, letter: bytes) -> None:
        if self._control is not None:
            try:
                self._control.send(letter)
            except OSError:
                pass

    def _hear(self) -> None:
        if self._control is None:
            return
        try:
            part = self._control.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        self._heard += part
        if part and not self._heard.endswith(b"\n"):
            return
        self._reactor.unwatch(self._control.fileno())
        self._control.close()
        self._control = None
        lost: dict[str, object] = {"failed": "the supervisor was killed"}
        self._report = json.loads(self._heard) if self._heard else lost
        self._finish(self._report)

    def _finish(self, report: dict[str, object]) -> None:
        for descriptor in list(self._streams):
            while self._read(descriptor):
                pass
            self._close_stream(descriptor)
        self._keep_input = False
        self._close_input()
        final = self._final_state(report)
        self._notes += self._note_source()
        if self._finisher is None:
            self._settle(final)
            return
        Thread(target=self._run_finisher, args=(self._finisher, final), daemon=True).start()

    def _run_finisher(self, finisher: Finisher, final: JobState) -> None:
        try:
            self._change, notes = finisher(final)
            self._notes += notes
        except Exception as problem:
            self._notes.append(f"Recording what the command changed failed: {problem}")
        self._settle(final)

    def _settle(self, final: JobState) -> None:
        with self._changed:
            self._state = final
            self._changed.notify_all()

    def _final_state(self, report: dict[str, object]) -> JobState:
        elapsed = time.monotonic() - self._started
        if "failed" in report:
            self._notes.append(f"The command could not be started: {report['failed']}")
            return JobState("failed", 127, None, elapsed)
        if report.get("why") == "memory":
            self._notes.append(f"The command was ended at its memory limit: {self._facts.memory}")
        code = os.waitstatus_to_exitcode(int(str(report["status"])))
        name = signals.Signals(-code).name if code < 0 else None
        left = int(str(report.get("left", 0)))
        lacked = report.get("lacked_network") is True
        ending = self._ending or "exited"
        return JobState(ending, code, name, elapsed, left, lacked_network=lacked)
