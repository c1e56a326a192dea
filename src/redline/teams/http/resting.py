"""Parks workspaces that had no call for long, and wakes them for the next one."""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic

from redline.core.errors import Busy, InvalidArgument, RedlineError
from redline.server.http.host_policy import HttpRefusal
from redline.server.observe.log import warn
from redline.server.rpc import wire
from redline.teams.http.opened import OpenWorkspaces
from redline.teams.idle import IdleWorkspaces
from redline.teams.ports import WorkspaceEntry

# A call waits this long for its workspace; longer than most take to wake.
_PATIENCE = 10.0
_MAX_RETRY_SECONDS = 60
_RETRY_SECONDS = 600.0
_MB = 1 << 20


class _Waking:
    """A workspace on its way back."""

    def __init__(self) -> None:
        self.started = monotonic()
        self.done, self.all = 0, 0
        self.task: asyncio.Task[None]

    def note(self, done: int, whole: int) -> None:
        """Remember how far it is."""
        self.done, self.all = done, whole

    def estimate(self) -> int:
        """Return how many seconds it may still take."""
        if not self.done:
            return 5
        left = (monotonic() - self.started) * (self.all - self.done) / self.done
        return max(1, min(_MAX_RETRY_SECONDS, round(left)))


class RestingWorkspaces:
    """Everything happens in the event loop, but moving itself."""

    def __init__(
        self, idle: IdleWorkspaces, opened: OpenWorkspaces, patience: float = _PATIENCE
    ) -> None:
        self._idle = idle
        self._opened = opened
        self._patience = patience
        self._waking: dict[str, _Waking] = {}
        # When to try again what could not be parked.
        self._retry_at: dict[str, float] = {}
        self._parking: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Park what had no call for long, unless that is still being done."""
        if self._parking is None or self._parking.done():
            self._parking = asyncio.create_task(self.park_idle())

    def stop(self) -> None:
        """Begin nothing more."""
        if self._parking is not None:
            self._parking.cancel()

    async def park_idle(self) -> None:
        """Park every workspace that had no call for long."""
        try:
            due = await asyncio.to_thread(self._idle.find_due)
        except (RedlineError, OSError) as failure:
            warn(f"idle workspaces cannot be found: {failure}")
            return
        for entry in due:
            is_failed = self._retry_at.get(entry.name, 0.0) > monotonic()
            if entry.name not in self._waking and not is_failed:
                await self._park(entry)

    async def _park(self, entry: WorkspaceEntry) -> None:
        try:
            await self._opened.while_closed(entry.name, partial(self._idle.park, entry.name))
        except Busy:
            return  # in use, or moved by another server
        except (RedlineError, OSError) as failure:
            warn(f"the idle workspace {entry.name} cannot be parked: {failure}")
            self._retry_at[entry.name] = monotonic() + _RETRY_SECONDS

    async def note_use(self, entry: WorkspaceEntry) -> None:
        """Remember that a workspace was called."""
        try:
            await asyncio.to_thread(self._idle.note_use, entry)
        except OSError as failure:
            warn(f"the time of a call to {entry.name} cannot be noted: {failure}")

    async def find_elsewhere(self, name: str) -> WorkspaceEntry | None:
        """Return the workspace that another server has parked."""
        try:
            return await asyncio.to_thread(self._idle.place.find, name)
        except (RedlineError, OSError) as failure:
            warn(f"the store of idle workspaces cannot be read: {failure}")
            return None

    def wakes(self, entry: WorkspaceEntry) -> bool:
        """Return whether a call brings this parked workspace back."""
        return self._idle.place.rests_here(entry)

    async def wake(self, entry: WorkspaceEntry) -> None:
        """Bring a workspace back; HttpRefusal when that takes longer than a call may wait."""
        waking = self._waking.get(entry.name)
        if waking is None:
            waking = self._waking[entry.name] = _Waking()
            waking.task = asyncio.create_task(self._fetch(entry, waking))
        # The call may be given up; the workspace still wakes.
        done, _ = await asyncio.wait({waking.task}, timeout=self._patience)
        if not done:
            seconds = waking.estimate()
            raise HttpRefusal(
                503,
                wire.INTERNAL_ERROR,
                f"The workspace is waking up: {entry.name} ({waking.done // _MB} of"
                f" {waking.all // _MB} MB are here)\nhint: try again in {seconds} s",
                headers={"Retry-After": str(seconds)},
            )
        failure = waking.task.exception()
        if failure is not None:
            raise _refusal(entry.name, failure)

    async def _fetch(self, entry: WorkspaceEntry, waking: _Waking) -> None:
        try:
            await asyncio.to_thread(self._idle.place.wake, entry, waking.note)
        finally:
            self._waking.pop(entry.name, None)


def _refusal(name: str, failure: BaseException) -> HttpRefusal:
    if isinstance(failure, Busy):
        text = f"The workspace is being moved: {name}\nhint: try again in 2 s"
        return HttpRefusal(503, wire.INTERNAL_ERROR, text, headers={"Retry-After": "2"})
    warn(f"the workspace {name} cannot be woken: {failure}")
    why = str(failure) if isinstance(failure, InvalidArgument) else "the operator's log says why"
    return HttpRefusal(503, wire.INTERNAL_ERROR, f"The workspace cannot be woken: {name}: {why}")
