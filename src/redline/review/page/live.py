"""What is new, for pages that are open: one look at the history for all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

_LOOK_SECONDS = 0.08
_QUIET_SECONDS = 15.0


class LiveFeed:
    """Streams of events; while none is open, nothing is polled.

    *look* returns the newest id of everything that may change; it runs in a thread.
    """

    def __init__(self, look: Callable[[], dict[str, str]]) -> None:
        self._look = look
        self._state: dict[str, str] = {}
        self._waiting: set[asyncio.Future[None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open = 0
        self._is_closed = False

    async def events(self, is_admitted: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Yield the state now, and again whenever it changed, while the reader *is_admitted*."""
        self._loop = asyncio.get_running_loop()
        self._open += 1
        try:
            if self._task is None:
                self._task = asyncio.create_task(self._watch())
            sent: dict[str, str] = {}
            yield b"retry: 1000\n\n"
            # Asked before whatever is sent: who was let in before is not let in for ever.
            while not self._is_closed and await asyncio.to_thread(is_admitted):
                if self._state != sent:
                    sent = self._state
                    yield b"event: state\ndata: " + json.dumps(sent).encode() + b"\n\n"
                elif not await self._wait_for_change():
                    yield b": still here\n\n"
        finally:
            self._open -= 1
            if not self._open and self._task is not None:
                self._task.cancel()
                self._task = None

    def close(self) -> None:
        """End every stream; may be called from any thread."""
        self._is_closed = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    async def _wait_for_change(self) -> bool:
        """Wait for a change; False after a quiet while."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            await asyncio.wait_for(waiting, _QUIET_SECONDS)
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(waiting)
        return True

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    async def _watch(self) -> None:
        while True:
            state = await asyncio.to_thread(self._look)
            if state != self._state:
                self._state = state
                self._wake()
            await asyncio.sleep(_LOOK_SECONDS)
