"""A few threads, made when needed, that run calls; each owner of calls has a fair share of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Condition, Thread, local

from redline.server.observe.log import warn

Job = Callable[[], None]

# So many may wait for a person at once before their waiting holds up others.
_MOST_ASIDE = 200
# So many owners have a thread for their first call even when every other thread is busy.
_MOST_SPARE = 200
_MOST_WAITING = 1000
# So many bytes of requests may wait in one line; a request takes a few times its size.
_MOST_HELD = 64 << 20
_here = local()


class LineFull(Exception):
    """An owner has as many calls waiting as may wait."""

    def __init__(self, waiting: int, share: int) -> None:
        super().__init__(f"{waiting} calls wait already")
        self.share = share
        self.waiting = waiting


def aside(wait: Callable[[], object]) -> None:
    """Run *wait*, which only waits for a person; the worker's place is another's meanwhile."""
    place: tuple[Workers, _Line] | None = getattr(_here, "place", None)
    if place is None:
        wait()
    else:
        workers, line = place
        workers.lend(line, wait)


class _Line:
    """The calls of one owner: how many have a place, and those in line for one."""

    __slots__ = ("held", "lent", "owner", "placed", "waiting")

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.placed = 0
        self.lent = 0
        self.waiting: deque[tuple[Job, int]] = deque()
        self.held = 0


class Workers:
    """Runs jobs concurrently; a new thread only when every existing one is busy.

    An owner has at most *share* jobs running, further ones wait for its own; the first of an owner
    waits for nobody.
    """

    def __init__(self, limit: int = 32, share: int | None = None) -> None:
        self._limit = limit
        self._share = share or limit
        self._lines: dict[str, _Line] = {}
        self._first: deque[tuple[_Line, Job]] = deque()
        self._ready: deque[tuple[_Line, Job]] = deque()
        # One for each job that is ready: threads wait here.
        self._calls: SimpleQueue[None] = SimpleQueue()
        self._changed = Condition()
        self._threads = 0
        self._unfinished = 0
        # Jobs that have a thread or want one now.
        self._placed = 0
        self._aside = 0

    def submit(self, job: Job, size: int = 0, owner: str = "") -> None:
        """Run *job*, which holds *size* bytes, soon or in its turn; LineFull when too many wait."""
        with self._changed:
            line = self._lines.setdefault(owner, _Line(owner))
            is_too_much = line.waiting and line.held + size > _MOST_HELD
            if is_too_much or len(line.waiting) >= _MOST_WAITING:
                raise LineFull(len(line.waiting), self._share)
            self._unfinished += 1
            line.waiting.append((job, size))
            line.held += size
            self._advance(line)
        self._grow()

    def _advance(self, line: _Line) -> None:
        """Give places to whoever is next in *line*."""
        while line.waiting and line.placed < self._share:
            ready = self._ready if line.placed else self._first
            job, size = line.waiting.popleft()
            ready.append((line, job))
            line.held -= size
            line.placed += 1
            self._placed += 1
            self._calls.put(None)

    def lend(self, line: _Line, wait: Callable[[], object]) -> None:
        """Run *wait* on this worker while a further one may exist."""
        with self._changed:
            counts = self._aside < _MOST_ASIDE
            if counts:
                self._aside += 1
                line.lent += 1
                line.placed -= 1
                self._advance(line)
        self._grow()
        try:
            wait()
        finally:
            with self._changed:
                if counts:
                    self._aside -= 1
                    line.lent -= 1
                    line.placed += 1

    def _grow(self) -> None:
        with self._changed:
            if self._threads >= min(self._placed, self._room):
                return
            self._threads += 1
        Thread(target=self._work, name=f"call-{self._threads}", daemon=True).start()

    @property
    def _room(self) -> int:
        """How many threads there may be."""
        spare = min(len(self._lines), _MOST_SPARE) if self._first else 0
        return self._limit + self._aside + spare

    def _work(self) -> None:
        while True:
            self._calls.get()
            with self._changed:
                line, job = (self._first or self._ready).popleft()
            _here.place = (self, line)
            try:
                job()
            except Exception as failure:
                warn(f"a reply could not be sent: {failure!r}")
            del job  # or what it was about is held until the next one comes
            if self._leave(line):
                return

    def _leave(self, line: _Line) -> bool:
        """A job is done; whether its thread is one too many now."""
        with self._changed:
            self._unfinished -= 1
            self._placed -= 1
            line.placed -= 1
            self._advance(line)
            if not (line.placed or line.lent):
                del self._lines[line.owner]
            self._changed.notify_all()
            too_many = self._threads > self._room
            self._threads -= too_many
            return too_many

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until every job is done; False when *timeout* came first."""
        with self._changed:
            return self._changed.wait_for(lambda: self._unfinished == 0, timeout)
