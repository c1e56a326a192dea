"""Passes calls from an event loop to threads, and answers back, several at a time.

Only one thread runs Python at a time. A thread that is woken for each call, and a loop that is
woken for each answer, mostly wait for each other: at eight clients that cost more than the calls.
So the loop first takes all requests that have arrived, then wakes one thread; that thread answers
one call after the other, and wakes the loop when it has no more. While calls wait, the loop looks
every millisecond: it sends what was answered, and wakes another thread if the first is held up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.server.calls.workers import Workers

_LOOK_SECONDS = 0.001


class LoopTurns:
    """The turns of *workers* and one event loop; `announce` is called from the loop's thread."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answers: deque[Callable[[], None]] = deque()
        # Whether `_begin` and `_look` will run, and whether the loop was told to run `_send`.
        self._is_beginning = False
        self._is_looking = False
        self._is_told = False

    def announce(self) -> None:
        """Wake a thread when the loop has taken the other requests that have arrived."""
        if not self._is_beginning:
            self._is_beginning = True
            self._loop = asyncio.get_running_loop()
            self._loop.call_soon(self._begin)

    def deliver(self, answer: Callable[[], None]) -> None:
        """Run *answer* in the loop: at once, or when this thread has no more calls to answer."""
        self._answers.append(answer)
        if not self._is_looking:
            self._tell()

    def note_rest(self) -> None:
        """Have the loop send what was answered: the thread that calls this has no more calls."""
        if self._answers:
            with suppress(RuntimeError):  # the loop has ended: there is no client left
                self._tell()

    def _tell(self) -> None:
        if not self._is_told:
            assert self._loop is not None, "a call was announced before it was answered"
            self._is_told = True
            self._loop.call_soon_threadsafe(self._send)

    def _send(self) -> None:
        self._is_told = False
        while self._answers:
            self._answers.popleft()()

    def _begin(self) -> None:
        self._is_beginning = False
        self._workers.wake(sparingly=True)
        self._look_later()

    def _look_later(self) -> None:
        if not self._is_looking and self._workers.has_ready:
            self._is_looking = True
            assert self._loop is not None
            self._loop.call_later(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._is_looking = False  # set first, so that a later answer is signalled
        self._send()
        self._workers.wake(sparingly=True)
        self._look_later()
