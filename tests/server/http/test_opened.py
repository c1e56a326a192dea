"""Workspaces that are opened for their first request and closed when idle."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from redline.core.ports.teams import WorkspaceEntry
from redline.server.http.many.opened import OpenWorkspaces, ServedWorkspace


class Bench:
    """Workspaces that only count what happens to them."""

    def __init__(self, limit: int = 10) -> None:
        self.now = 100.0
        self.events: list[str] = []
        self.busy: set[str] = set()
        self.gate = threading.Event()
        self.gate.set()
        self.opened = OpenWorkspaces(self._open, limit, 60.0, lambda: self.now)

    def _open(self, entry: WorkspaceEntry) -> ServedWorkspace:
        self.gate.wait(30)
        self.events.append(f"open {entry.name}")
        return ServedWorkspace(
            entry,
            self,  # type: ignore[arg-type]
            lambda: self.events.append(f"close {entry.name}"),
            lambda: entry.name in self.busy,
            lambda: self.events.append(f"rest {entry.name}"),
        )

    def stop(self) -> None:
        """What an application does when its workspace is closed."""

    async def visit(self, name: str, path: str = "/p") -> None:
        served = await self.opened.enter(WorkspaceEntry(name, path))
        await asyncio.sleep(0)
        await self.opened.leave(served)


def run(story: Callable[[Bench], Coroutine[Any, Any, None]], **options: int) -> list[str]:
    bench = Bench(**options)
    asyncio.run(story(bench))
    return bench.events


@pytest.mark.requirement("many-opened")
def test_many_first_requests_open_a_workspace_once() -> None:
    async def story(bench: Bench) -> None:
        bench.gate.clear()
        visits = [asyncio.create_task(bench.visit("a")) for _ in range(20)]
        await asyncio.sleep(0)
        bench.gate.set()
        await asyncio.gather(*visits)

    assert run(story) == ["open a"]


@pytest.mark.requirement("many-opened")
def test_an_idle_one_rests_and_is_closed_and_opened_again() -> None:
    async def story(bench: Bench) -> None:
        await bench.visit("a")
        bench.now += 31
        await bench.opened.close_idle()
        await bench.opened.close_idle()
        bench.now += 30
        await bench.opened.close_idle()
        await bench.visit("a")

    assert run(story) == ["open a", "rest a", "close a", "open a"]


@pytest.mark.requirement("many-opened")
def test_one_in_use_or_with_a_running_command_stays_open() -> None:
    async def story(bench: Bench) -> None:
        served = await bench.opened.enter(WorkspaceEntry("a", "/p"))
        bench.now += 1000
        await bench.opened.close_idle(is_served=lambda _: False)
        assert bench.opened.names == ["a"]
        assert not await bench.opened.shut("a")
        await bench.opened.leave(served)
        bench.busy.add("a")
        bench.now += 1000
        await bench.opened.close_idle(is_served=lambda _: False)
        assert not await bench.opened.shut("a")
        bench.busy.clear()
        assert await bench.opened.shut("a")

    assert run(story) == ["open a", "close a"]


@pytest.mark.requirement("many-opened")
def test_over_the_limit_the_longest_idle_is_closed() -> None:
    async def story(bench: Bench) -> None:
        for name in "abcb":
            await bench.visit(name)
            bench.now += 1
        await bench.visit("d")
        assert bench.opened.names == ["b", "c", "d"]

    assert run(story, limit=3) == ["open a", "open b", "open c", "open d", "close a"]


@pytest.mark.requirement("many-opened")
def test_one_that_is_archived_or_has_other_settings_is_closed() -> None:
    async def story(bench: Bench) -> None:
        await bench.visit("a")
        await bench.visit("a", "/elsewhere")
        await bench.opened.close_idle(is_served=lambda name: name != "a")
        bench.opened.close_all()

    assert run(story) == ["open a", "close a", "open a", "close a"]


def test_a_workspace_that_cannot_be_opened_is_tried_again() -> None:
    async def story(bench: Bench) -> None:
        def fail(_: WorkspaceEntry) -> ServedWorkspace:
            raise OSError("no such directory")

        opened = OpenWorkspaces(fail, 3, 60.0)
        for _ in range(2):
            with pytest.raises(OSError, match="no such"):
                await opened.enter(WorkspaceEntry("a", "/p"))
        assert opened.names == []

    assert run(story) == []
