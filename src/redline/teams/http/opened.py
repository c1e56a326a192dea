"""Workspaces of one process: opened for their first request, closed when they are idle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

from redline.core.errors import Busy, LeaseLost, RedlineError, StoreUnavailable
from redline.server.http.app import HttpApp
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.replies import Send
from redline.server.http.request import Receive, Scope
from redline.server.observe.log import warn
from redline.server.rpc import wire
from redline.teams.ports import ServerGroup, WorkspaceEntry

# An open workspace ends its parsers and its command helper after this time without a request.
_REST_SECONDS = 30.0
_LEFT_SECONDS = 0.05
_HUNG_UP_SECONDS = 0.5


class ServedWorkspace:
    """An open workspace: what answers its requests, and how it is closed.

    *is_busy* says whether something runs there without a request, such as a command; *rest* ends
    processes that wait for the next request.
    """

    __slots__ = ("app", "close", "entry", "idle_since", "is_busy", "is_resting", "requests", "rest")

    def __init__(
        self,
        entry: WorkspaceEntry,
        app: HttpApp,
        close: Callable[[], None],
        is_busy: Callable[[], bool] = lambda: False,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        self.entry = entry
        self.app = app
        self.close = close
        self.is_busy = is_busy
        self.rest = rest
        self.is_resting = False
        self.requests = 0
        self.idle_since = 0.0


class OpenWorkspaces:
    """At most *limit* are open while there are idle ones to close; *open_one* may take a while.

    Everything but opening and closing happens in the event loop.
    """

    def __init__(
        self,
        open_one: Callable[[WorkspaceEntry], ServedWorkspace],
        limit: int,
        idle_seconds: float,
        clock: Callable[[], float] = monotonic,
        group: ServerGroup | None = None,
    ) -> None:
        self._open_one = open_one
        # The servers that share these workspaces, if there are several.
        self._group = group
        # Workspaces that another server has now and whose calls here have not ended.
        self._dropping: set[asyncio.Task[None]] = set()
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._open: dict[str, ServedWorkspace] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        # Held while a workspace is opened or closed, so that two of one name never exist.
        self._changing: dict[str, asyncio.Lock] = {}

    @property
    def names(self) -> list[str]:
        """The workspaces that are open."""
        return sorted(self._open)

    async def enter(self, entry: WorkspaceEntry) -> ServedWorkspace:
        """Open a workspace if need be, and keep it open until `leave`."""
        self._loop = asyncio.get_running_loop()
        async with self._lock(entry.name):
            served = self._open.get(entry.name)
            if served is not None and served.entry != entry and not served.requests:
                await self._close(served)  # its settings have changed
                served = None
            if served is not None and not await self._is_ours(entry.name):
                self._drop(served)
                served = None
            if served is None:
                served = await asyncio.to_thread(self._open_one, entry)
                self._open[entry.name] = served
            served.requests += 1
            served.is_resting = False
            return served

    async def _is_ours(self, name: str) -> bool:
        """Return whether this server still has an open workspace."""
        if self._group is None or self._group.holds(name):
            return True
        return await asyncio.to_thread(self._group.renew, name)

    def _drop(self, served: ServedWorkspace) -> None:
        """Cancel the calls of a workspace that another server has now; close it when they end."""
        self._open.pop(served.entry.name, None)
        served.app.stop(is_lost=True)
        task = asyncio.create_task(self._close_when_left(served))
        self._dropping.add(task)
        task.add_done_callback(self._dropping.discard)

    async def _close_when_left(self, served: ServedWorkspace) -> None:
        while served.requests:
            await asyncio.sleep(_LEFT_SECONDS)
        # The call of a client that hung up may still run for a moment after it was cancelled.
        await asyncio.sleep(_HUNG_UP_SECONDS)
        await self._end(served)

    def drop_from_thread(self, name: str) -> None:
        """Close a workspace that this server does not have any more; from another thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._drop_if_open, name)

    def _drop_if_open(self, name: str) -> None:
        served = self._open.get(name)
        if served is not None:
            self._drop(served)

    async def serve(
        self, entry: WorkspaceEntry, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Have a workspace answer a request; HttpRefusal when it cannot be opened.

        One of several servers also raises what opening raises when the workspace is not its own.
        """
        name = entry.name
        try:
            served = await self.enter(entry)
        except (RedlineError, OSError) as failure:
            if self._group is not None and isinstance(failure, StoreUnavailable | LeaseLost):
                raise
            if isinstance(failure, Busy):  # it is being parked
                text = f"{failure.message}\nhint: try again in a moment; nothing was done"
                raise HttpRefusal(
                    503, wire.INTERNAL_ERROR, text, headers={"Retry-After": "1"}
                ) from None
            warn(f"the workspace {name} cannot be opened: {failure}")
            raise HttpRefusal(
                503, wire.INTERNAL_ERROR, f"The workspace cannot be opened: {name}"
            ) from None
        try:
            await served.app(scope, receive, send)
        finally:
            await self.leave(served)

    async def leave(self, served: ServedWorkspace) -> None:
        """Note that a request has ended."""
        served.requests -= 1
        served.idle_since = self._clock()
        if len(self._open) > self._limit:
            await self.close_idle()

    async def close_idle(self, *, is_served: Callable[[str], bool] = lambda _: True) -> None:
        """Close what was idle for long, what is too much, and what *is_served* no longer names."""
        oldest = self._clock() - self._idle_seconds
        idle = sorted(
            (served for served in self._open.values() if not served.requests),
            key=lambda served: served.idle_since,
        )
        excess = len(self._open) - self._limit
        for number, served in enumerate(idle):
            is_over = number < excess or served.idle_since <= oldest
            if is_over or not is_served(served.entry.name):
                await self._close_if_idle(served)
            elif not served.is_resting and served.idle_since <= self._clock() - _REST_SECONDS:
                await self._rest(served)

    async def _rest(self, served: ServedWorkspace) -> None:
        async with self._lock(served.entry.name):
            if not served.requests and not served.is_busy():
                served.is_resting = True
                await asyncio.to_thread(served.rest)

    async def _close_if_idle(self, served: ServedWorkspace) -> None:
        name = served.entry.name
        async with self._lock(name):
            is_same = self._open.get(name) is served
            if is_same and not served.requests and not served.is_busy():
                await self._close(served)
        self._changing.pop(name, None)

    async def _close(self, served: ServedWorkspace) -> None:
        self._open.pop(served.entry.name, None)
        served.app.stop()
        await self._end(served)
        if self._group is not None:
            await asyncio.to_thread(self._group.give_back, served.entry.name)

    async def _end(self, served: ServedWorkspace) -> None:
        try:
            await asyncio.to_thread(served.close)
        except Exception as failure:
            warn(f"the workspace {served.entry.name} was not closed cleanly: {failure!r}")

    async def while_closed(self, name: str, action: Callable[[], None]) -> None:
        """Close a workspace and run *action* in a thread; Busy when it is in use.

        Until that ends, no request opens it here.
        """
        async with self._lock(name):
            served = self._open.get(name)
            if served is not None and (served.requests or served.is_busy()):
                raise Busy(f"The workspace is in use: {name}")
            if served is not None:
                await self._close(served)
            await asyncio.to_thread(action)

    async def shut(self, name: str) -> bool:
        """Close a workspace now, unless it is in use; return whether it is closed."""
        served = self._open.get(name)
        if served is not None:
            await self._close_if_idle(served)
        return name not in self._open

    def shut_from_thread(self, name: str) -> bool:
        """The same from another thread than the event loop's, and at every server."""
        is_shut = True
        if self._loop is not None:  # else nothing was opened yet
            is_shut = asyncio.run_coroutine_threadsafe(self.shut(name), self._loop).result()
        return is_shut and (self._group is None or self._group.ask_for(name))

    def shut_soon(self, name: str) -> None:
        """Close a workspace that another server asks for, unless it is in use; from a thread."""
        if self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self.shut(name), self._loop)

    def stop(self) -> None:
        """Cancel every running call, in every workspace."""
        for served in self._open.values():
            served.app.stop()

    def close_all(self) -> None:
        """Close every workspace; called when no request is answered any more."""
        while self._open:
            name, served = self._open.popitem()
            served.close()
            if self._group is not None:
                self._group.give_back(name)

    def _lock(self, name: str) -> asyncio.Lock:
        return self._changing.setdefault(name, asyncio.Lock())
