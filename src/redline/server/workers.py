"""A few threads, made when needed, that run calls."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Condition, Thread, local

from redline.server.log import warn

# So many may wait for a person at once before their waiting holds up others.
_MOST_ASIDE = 200
_here = local()


def aside(wait: Callable[[], object]) -> None:
    """Run *wait*, which only waits for a person; the worker's place is another's meanwhile."""
    workers: Workers | None = getattr(_here, "workers", None)
    if workers is None:
        wait()
    else:
        workers.lend(wait)


class Workers:
    """Runs jobs concurrently; a new thread only when every existing one is busy."""

    def __init__(self, limit: int = 32) -> None:
        self._limit = limit
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._changed = Condition()
        self._threads = 0
        self._unfinished = 0
        self._aside = 0

    def submit(self, job: Callable[[], None]) -> None:
        """Run *job* soon."""
        with self._changed:
            self._unfinished += 1
        self._jobs.put(job)
        self._grow()

    def lend(self, wait: Callable[[], object]) -> None:
        """Run *wait* on this worker while a further one may exist."""
        with self._changed:
            counts = self._aside < _MOST_ASIDE
            self._aside += counts
        self._grow()
        try:
            wait()
        finally:
            with self._changed:
                self._aside -= counts

    def _grow(self) -> None:
        with self._changed:
            has_room = self._threads < self._limit + self._aside
            if self._unfinished <= self._threads or not has_room:
                return
            self._threads += 1
        Thread(target=self._work, name=f"call-{self._threads}", daemon=True).start()

    def _work(self) -> None:
        _here.workers = self
        while True:
            job = self._jobs.get()
            try:
                job()
            except Exception as failure:
                warn(f"a reply could not be sent: {failure!r}")
            with self._changed:
                self._unfinished -= 1
                self._changed.notify_all()
                if self._threads > self._limit + self._aside:
                    self._threads -= 1
                    return

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until every job is done; False when *timeout* came first."""
        with self._changed:
            return self._changed.wait_for(lambda: self._unfinished == 0, timeout)
