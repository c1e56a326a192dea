"""One thread that reads every job's output, writes its input and keeps its time limit."""

from __future__ import annotations

import heapq
import os
import selectors
import time
from collections import deque
from collections.abc import Callable
from itertools import count
from threading import Lock, Thread


class Reactor:
    """Calls back from its own thread when a descriptor is ready or a moment has come."""

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
        """Run *action* in the thread, soon."""
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
        """Run *action* in the thread at *moment* of the monotonic clock."""
        self.do(lambda: heapq.heappush(self._alarms, (moment, next(self._count), action)))

    def watch(self, descriptor: int, events: int, action: Callable[[], object]) -> None:
        """Run *action* whenever the descriptor is ready. Only from the thread."""
        try:
            self._selector.modify(descriptor, events, action)
        except KeyError:
            self._selector.register(descriptor, events, action)

    def unwatch(self, descriptor: int) -> None:
        """Stop watching the descriptor. Only from the thread."""
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
