"""Calls to a workspace that rests: one waits, many wait for the same, and none waits for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import cast

import pytest

from redline.core.errors import Busy, InvalidArgument, StoreUnavailable
from redline.core.ports.teams import Progress, RestingPlace, WorkspaceDirectory, WorkspaceEntry
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.many.opened import OpenWorkspaces
from redline.server.http.many.resting import RestingWorkspaces
from redline.services.resting import IdleWorkspaces

SITE = WorkspaceEntry("site", "/ws/site", parked_at="file:///idle/site")


class Place:
    """A store whose moves end when the test lets them."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.began = threading.Event()
        self.woken = 0
        self.parked: list[str] = []
        self.failure: Exception | None = None

    def wake(self, _entry: WorkspaceEntry, progress: Progress) -> None:
        progress(3 << 20, 8 << 20)
        self.began.set()
        assert self.go.wait(60)
        if self.failure is not None:
            raise self.failure
        self.woken += 1

    def park(self, entry: WorkspaceEntry) -> None:
        if self.failure is not None:
            raise self.failure
        self.parked.append(entry.name)

    def rests_here(self, entry: WorkspaceEntry) -> bool:
        return bool(entry.parked_at)

    def is_half_parked(self, _entry: WorkspaceEntry) -> bool:
        return False

    def is_used_since(self, _entry: WorkspaceEntry, _since: float, _now: float) -> bool:
        return False


class Folder:
    """One workspace."""

    def __init__(self, entry: WorkspaceEntry) -> None:
        self.entry = entry

    def list(self) -> list[WorkspaceEntry]:
        return [self.entry]

    def find(self, _name: str) -> WorkspaceEntry:
        return self.entry


def build(place: Place, patience: float, entry: WorkspaceEntry = SITE) -> RestingWorkspaces:
    def open_one(_entry: WorkspaceEntry) -> object:
        raise AssertionError("nothing is opened here")

    idle = IdleWorkspaces(
        cast("WorkspaceDirectory", Folder(entry)), cast("RestingPlace", place), 1.0
    )
    opened = OpenWorkspaces(cast("Callable[..., object]", open_one), 1, 1.0)  # type: ignore[arg-type]
    return RestingWorkspaces(idle, opened, patience)


@pytest.mark.requirement("moving-woken-by-a-call")
def test_a_call_that_would_wait_too_long_is_told_how_long_and_the_workspace_goes_on() -> None:
    place = Place()

    async def run() -> None:
        resting = build(place, 0.05)
        with pytest.raises(HttpRefusal, match="waking up: site"):
            await resting.wake(SITE)
        while not place.began.is_set():
            await asyncio.sleep(0.01)
        with pytest.raises(HttpRefusal, match=r"waking up: site \(3 of 8 MB are here\)") as refusal:
            await resting.wake(SITE)
        assert refusal.value.status == 503
        assert int(refusal.value.headers["Retry-After"]) >= 1
        place.go.set()
        while not place.woken:
            await asyncio.sleep(0.01)

    asyncio.run(run())
    assert place.woken == 1


@pytest.mark.requirement("moving-woken-by-a-call")
def test_many_calls_wake_a_workspace_once() -> None:
    place = Place()

    async def run() -> None:
        resting = build(place, 60.0)
        calls = [asyncio.create_task(resting.wake(SITE)) for _ in range(5)]
        await asyncio.sleep(0)
        place.go.set()
        await asyncio.gather(*calls)

    asyncio.run(run())
    assert place.woken == 1


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (Busy("x"), "being moved: site"),
        (InvalidArgument("The workspace is awake elsewhere: h:/p"), "awake elsewhere: h:/p"),
        (StoreUnavailable("secret detail"), "the operator's log says why"),
    ],
)
def test_a_workspace_that_cannot_be_woken_says_why(failure: Exception, said: str) -> None:
    place = Place()
    place.failure = failure
    place.go.set()

    async def run() -> None:
        with pytest.raises(HttpRefusal, match=said) as refusal:
            await build(place, 60.0).wake(SITE)
        assert refusal.value.status == 503

    asyncio.run(run())


@pytest.mark.requirement("moving-by-itself")
def test_what_could_not_be_parked_is_not_tried_again_at_once() -> None:
    place = Place()
    place.failure = StoreUnavailable("away")

    async def run() -> None:
        resting = build(place, 1.0, SITE._replace(parked_at=""))
        await resting.park_idle()
        place.failure = None
        await resting.park_idle()

    asyncio.run(run())
    assert place.parked == []


def test_an_idle_workspace_is_parked() -> None:
    place = Place()
    asyncio.run(build(place, 1.0, SITE._replace(parked_at="")).park_idle())
    assert place.parked == ["site"]
