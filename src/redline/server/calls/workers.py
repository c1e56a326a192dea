"""A few threads, started when needed, that run calls; each owner of calls gets a fair share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Condition, Lock, Thread, local
from time import monotonic
from typing import TYPE_CHECKING

from redline.server.observe.log import warn

if TYPE_CHECKING:
    from redline.core.ports.shared import CallSlots
    from redline.server.calls.thread_bridge import LoopTurns

Job = Callable[[], None]

# Jobs that may wait for a person at once without occupying a slot.
_MAX_LENT = 200
# Owners that get a thread for their first call even when every other thread is busy.
_MAX_SPARE = 200
_MAX_WAITING = 1000
# Bytes of requests that may wait in one queue; a request takes a few times its size.
_MAX_HELD_BYTES = 64 << 20
# A thread that began a job so recently will soon look for the next one.
_RECENT_SECONDS = 0.001
_here = local()


class QueueFull(Exception):
    """An owner has as many calls waiting as may wait."""

    def __init__(self, waiting: int, share: int) -> None:
        super().__init__(f"{waiting} calls wait already")
        self.share = share
        self.waiting = waiting


def release_slot_while_waiting(wait: Callable[[], object]) -> None:
    """Run *wait* without occupying this worker's slot."""
    slot: tuple[Workers, _Queue] | None = getattr(_here, "slot", None)
    if slot is None:
        wait()
    else:
        workers, queue = slot
        slots = workers.slots
        workers.lend(queue, wait if slots is None else lambda: slots.pause(wait))


class _Queue:
    """The jobs of one owner: how many have a slot, and those that wait for one."""

    __slots__ = ("held", "lent", "owner", "placed", "share", "waiting")

    def __init__(self, owner: str, share: int) -> None:
        self.owner = owner
        self.share = share
        self.placed = 0
        self.lent = 0
        self.waiting: deque[tuple[Job, int]] = deque()
        self.held = 0


class Workers:
    """Runs jobs concurrently; a new thread only when every existing one is busy.

    An owner has at most *share* jobs running; further ones wait for its own jobs to end. The first
    job of an owner never waits for other owners.
    """

    def __init__(
        self, limit: int = 32, share: int | None = None, slots: CallSlots | None = None
    ) -> None:
        # Counts the calls of people over several servers.
        self.slots = slots
        # Decides when threads are woken; without it one is woken for each job at once.
        self.turns: LoopTurns | None = None
        self._limit = limit
        self._share = share or limit
        self._queues: dict[str, _Queue] = {}
        self._first: deque[tuple[_Queue, Job]] = deque()
        self._ready: deque[tuple[_Queue, Job]] = deque()
        # Threads that wait for a job; the last one is woken first. How many have been woken or
        # started and have not looked for a job yet, and when the last job began.
        self._resting: list[Lock] = []
        self._coming = 0
        self._began = 0.0
        # Entered directly, this is much cheaper than its condition.
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._threads = 0
        self._unfinished = 0
        # Jobs that have a slot.
        self._placed = 0
        self._lent = 0

    def submit(
        self,
        job: Job,
        size: int = 0,
        owner: str = "",
        max_calls: int | None = None,
        person: str = "",
    ) -> None:
        """Run *job*, which holds *size* bytes, in its turn; QueueFull when too many wait.

        *max_calls* is the share of this owner, if it is not everybody's; for a *person* it counts
        over all servers.
        """
        share = max_calls or self._share
        if self.slots is not None and person:
            job = partial(self.slots.run, person, share, job)
        with self._lock:
            queue = self._queues.get(owner)
            if queue is None:
                queue = self._queues[owner] = _Queue(owner, share)
            queue.share = share
            is_too_much = queue.waiting and queue.held + size > _MAX_HELD_BYTES
            if is_too_much or len(queue.waiting) >= _MAX_WAITING:
                raise QueueFull(len(queue.waiting), share)
            self._unfinished += 1
            queue.waiting.append((job, size))
            queue.held += size
            self._advance(queue)
        if self.turns is None:
            self.wake()
        else:
            self.turns.announce()

    @property
    def has_ready(self) -> bool:
        """Whether a job waits only for a thread."""
        return bool(self._first or self._ready)

    def wake(self, *, sparingly: bool = False) -> None:
        """Have a thread take each job that is ready.

        *Sparingly*: none while one is on its way, or has just begun a job and will soon take the
        next one; else as many as are busy. Threads that compete for the interpreter cost more than
        they do.
        """
        new = 0
        with self._lock:
            wanted = len(self._first) + len(self._ready) - self._coming
            if sparingly:
                busy = self._threads - len(self._resting)
                is_recent = busy and monotonic() - self._began < _RECENT_SECONDS
                wanted = 0 if self._coming or is_recent else min(wanted, max(busy, 1))
            for _ in range(wanted):
                if self._resting:
                    self._resting.pop().release()
                elif self._takes_thread():
                    new += 1
                else:
                    break
                self._coming += 1
        for _ in range(new):
            self._start_thread()

    def _advance(self, queue: _Queue) -> None:
        """Give free slots to the next jobs in *queue*."""
        while queue.waiting and queue.placed < queue.share:
            ready = self._ready if queue.placed else self._first
            job, size = queue.waiting.popleft()
            ready.append((queue, job))
            queue.held -= size
            queue.placed += 1
            self._placed += 1

    def lend(self, queue: _Queue, wait: Callable[[], object]) -> None:
        """Run *wait* on this thread; its slot goes to another job while it waits."""
        with self._lock:
            counts = self._lent < _MAX_LENT
            if counts:
                self._lent += 1
                queue.lent += 1
                queue.placed -= 1
                self._advance(queue)
        self.wake()
        try:
            wait()
        finally:
            with self._lock:
                if counts:
                    self._lent -= 1
                    queue.lent -= 1
                    queue.placed += 1

    def _takes_thread(self) -> bool:
        """Count one more thread, if there are more jobs than threads; return whether."""
        if self._threads >= min(self._placed, self._room):
            return False
        self._threads += 1
        return True

    def _start_thread(self) -> None:
        try:
            Thread(target=self._work, name=f"call-{self._threads}", daemon=True).start()
        except RuntimeError:  # the system has no more: the threads there are take its job
            with self._lock:
                self._threads -= 1
                self._coming -= 1
            if not self._threads:
                raise

    @property
    def _room(self) -> int:
        """The number of threads that may exist now."""
        spare = min(len(self._queues), _MAX_SPARE) if self._first else 0
        return self._limit + self._lent + spare

    def _work(self) -> None:
        rest = Lock()
        rest.acquire()  # to be released by `wake`
        is_coming = True
        while True:
            with self._lock:
                self._coming -= is_coming
                is_coming = not self.has_ready
                if is_coming:
                    self._resting.append(rest)
                else:
                    queue, job = (self._first or self._ready).popleft()
                    self._began = monotonic()
            if is_coming:
                if self.turns is not None:
                    self.turns.note_rest()
                rest.acquire()
                continue
            _here.slot = (self, queue)
            try:
                job()
            except Exception as failure:
                warn(f"a reply could not be sent: {failure!r}")
            del job  # or its request stays in memory until the next job
            if self._leave(queue):
                self.wake()  # what this thread would have taken
                return

    def _leave(self, queue: _Queue) -> bool:
        """Free the slot of a finished job; return whether its thread should end."""
        with self._lock:
            self._unfinished -= 1
            self._placed -= 1
            queue.placed -= 1
            self._advance(queue)
            if not (queue.placed or queue.lent):
                del self._queues[queue.owner]
            if not self._unfinished:
                self._changed.notify_all()
            too_many = self._threads > self._room
            self._threads -= too_many
            return too_many

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until every job is done; False when *timeout* came first."""
        self.wake()  # turns may have ended
        with self._changed:
            return self._changed.wait_for(lambda: self._unfinished == 0, timeout)
