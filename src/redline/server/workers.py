"""A few threads, made when needed, that run calls."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Condition, Thread

from redline.server.log import warn


class Workers:
    """Runs jobs concurrently; a new thread only when every existing one is busy."""

    def __init__(self, limit: int = 32) -> None:
        self._limit = limit
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._changed = Condition()
        self._threads = 0
        self._unfinished = 0

    def submit(self, job: Callable[[], None]) -> None:
        """Run *job* soon."""
        with self._changed:
            self._unfinished += 1
            grow = self._unfinished > self._threads and self._threads < self._limit
            if grow:
                self._threads += 1
        self._jobs.put(job)
        if grow:
            Thread(target=self._work, name=f"call-{self._threads}", daemon=True).start()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job()
            except Exception as failure:
                warn(f"a reply could not be sent: {failure!r}")
            with self._changed:
                self._unfinished -= 1
                self._changed.notify_all()

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until every job is done; False when *timeout* came first."""
        with self._changed:
            return self._changed.wait_for(lambda: self._unfinished == 0, timeout)
