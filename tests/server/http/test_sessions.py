"""Sessions over HTTP: how many, for how long, and whose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.server.calls.catalog import Catalog
from redline.server.calls.tool_server import ToolServer
from redline.server.conversation import Conversation
from redline.server.http.sessions import HttpSession, Sessions, SessionsFull
from redline.server.rpc.messages import Channel
from redline.toolsets.tool import READS, Tool, Toolset

ECHO = Tool("echo", "Echo", "Echoes.", {"type": "object"}, "m:f", READS)
RUNTIME = cast(Any, SimpleNamespace(take_notices=tuple))
SERVER = ToolServer(Catalog([Toolset("test", "Test", (ECHO,), "m:w")]), RUNTIME)


class World:
    """Sessions under a clock of our own."""

    def __init__(self, limit: int = 2, idle: float = 10.0) -> None:
        self.now = 100.0
        self.jobs: list[Callable[[], None]] = []
        self.displaced: HttpSession | None = None
        self.sessions = Sessions(limit, idle, clock=lambda: self.now)

    def _take(self, job: Callable[[], None], _size: int) -> None:
        self.jobs.append(job)

    def open(self, name: str, principal: str = "ann") -> HttpSession:
        session = HttpSession(name, principal, Conversation(SERVER, self._take, modern=False))
        self.displaced = self.sessions.open(session)
        return session

    def displaced_by(self, name: str, principal: str = "ann") -> str | None:
        """Which session ends when this one opens."""
        self.open(name, principal)
        return self.displaced.name if self.displaced else None

    def use(self, name: str, principal: str = "ann") -> None:
        session = self.sessions.enter(name, principal)
        assert session is not None
        self.sessions.leave(session)


def test_no_more_than_the_limit_are_open_at_once() -> None:
    world = World(limit=2)
    assert world.open("a").conversation in world.sessions.conversations
    world.open("b")
    world.open("c")
    assert len(world.sessions.conversations) == 2


def test_one_without_a_request_for_the_idle_time_is_forgotten_and_makes_room() -> None:
    world = World(limit=2, idle=10)
    world.open("old")
    world.now += 6
    world.open("young")
    world.now += 4.5
    assert world.sessions.enter("old", "ann") is None
    assert world.sessions.enter("young", "ann") is not None


def test_when_full_the_longest_idle_makes_room() -> None:
    world = World(limit=3)
    for name in ("a", "b", "c"):
        world.open(name)
        world.use(name)
    world.use("a")
    displaced = []
    for name in ("d", "e", "f"):
        displaced.append(world.displaced_by(name))
        world.use(name)
    assert displaced == ["b", "c", "a"]
    assert world.sessions.enter("b", "ann") is None


def test_handshakes_that_nothing_followed_make_room_before_clients_that_work() -> None:
    world = World(limit=3)
    for name in ("works", "worked"):
        world.open(name)
        world.use(name)
    world.open("abandoned")
    flood = [world.displaced_by(f"f{number}") for number in range(50)]
    assert flood == ["abandoned", *(f"f{number}" for number in range(49))]
    world.use("f49")
    assert world.displaced_by("new") == "works"


def test_a_session_with_a_request_in_flight_never_makes_room() -> None:
    world = World(limit=2)
    world.open("busy")
    world.open("idle")
    busy = world.sessions.enter("busy", "ann")
    assert world.displaced_by("new") == "idle"
    assert world.sessions.enter("new", "ann") is not None
    with pytest.raises(SessionsFull):
        world.open("late")
    assert busy is not None
    world.sessions.leave(busy)
    assert world.displaced_by("late") == "busy"


def test_who_holds_most_gives_first_and_a_newcomer_takes_from_nobody_who_holds_less() -> None:
    world = World(limit=4)
    world.open("bob", "bob")
    for name in ("a1", "a2", "a3"):
        world.open(name, "ann")
    assert world.displaced_by("a4", "ann") == "a1", "her own, though another's idles longer"
    assert world.displaced_by("carl", "carl") == "a2"
    assert world.displaced_by("bob2", "bob") == "bob", "as many as she holds: his own first"
    for name in ("a3", "a4"):
        assert world.sessions.enter(name, "ann")
    with pytest.raises(SessionsFull):
        world.open("a5", "ann")


def test_where_everybody_holds_one_a_newcomer_still_comes_in() -> None:
    world = World(limit=3)
    for name in ("ann", "bob", "carl"):
        world.open(name, name)
    assert world.displaced_by("dan", "dan") == "ann"


@given(st.lists(st.sampled_from("abc"), max_size=60), st.integers(1, 6))
@settings(max_examples=60)
def test_no_flood_takes_the_last_session_of_another(visits: list[str], limit: int) -> None:
    world = World(limit=limit)
    held: dict[str, str] = {}
    for number, who in enumerate(visits):
        name = f"{who}{number}"
        displaced = world.displaced_by(name, who)
        held[name] = who
        if displaced is not None:
            owner = held.pop(displaced)
            counts = Counter(held.values())
            assert counts[owner] + 1 >= counts[who], "nobody gives to one who holds more"
        assert len(held) == len(world.sessions.conversations) <= limit


def test_each_request_counts_as_use_and_one_in_flight_keeps_a_session_for_ever() -> None:
    world = World(idle=10)
    world.open("a")
    for _ in range(3):
        world.now += 9
        session = world.sessions.enter("a", "ann")
        assert session is not None
        world.sessions.leave(session)
    first, second = world.sessions.enter("a", "ann"), world.sessions.enter("a", "ann")
    assert first is second is not None
    world.sessions.leave(first)
    world.now += 1000
    assert world.sessions.enter("a", "ann") is first, "the second request still runs"
    world.sessions.leave(first)
    world.sessions.leave(first)
    world.now += 10
    assert world.sessions.enter("a", "ann") is None


def test_nobody_enters_the_session_of_another_nor_keeps_it_alive() -> None:
    world = World(idle=10)
    world.open("a", "ann")
    world.now += 9
    assert world.sessions.enter("a", "bob") is None
    assert world.sessions.enter("a", "") is None
    world.now += 2
    assert world.sessions.enter("a", "ann") is None


def test_a_session_that_ends_during_a_request_stays_ended() -> None:
    world = World()
    world.open("a")
    session = world.sessions.enter("a", "ann")
    assert session is not None
    world.sessions.end(session)
    world.sessions.leave(session)
    assert world.sessions.enter("a", "ann") is None
    world.now += 100
    assert not world.sessions.conversations


def test_the_calls_of_a_session_that_ends_are_cancelled() -> None:
    world = World()
    session = world.open("a")
    replies: list[Any] = []
    channel = Channel(replies.append, replies.append)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}
    session.conversation.receive(call, b"", channel)
    world.sessions.end(session)
    world.jobs.pop()()
    assert replies == [{}], "over, without an answer"
