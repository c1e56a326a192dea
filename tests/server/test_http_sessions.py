"""Sessions over HTTP: how many, for how long, and whose."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from redline.dialects.tool import READS, Dialect, Tool
from redline.server.catalog import Catalog
from redline.server.conversation import Conversation
from redline.server.dispatch import Dispatch
from redline.server.http_sessions import Session, Sessions
from redline.server.messages import Channel

ECHO = Tool("echo", "Echo", "Echoes.", {"type": "object"}, "m:f", READS)
RUNTIME = cast(Any, SimpleNamespace(take_notices=tuple))
DISPATCH = Dispatch(Catalog([Dialect("test", "Test", (ECHO,), "m:w")]), RUNTIME)


class World:
    """Sessions under a clock of our own."""

    def __init__(self, limit: int = 2, idle: float = 10.0) -> None:
        self.now = 100.0
        self.jobs: list[Callable[[], None]] = []
        self.sessions = Sessions(limit, idle, clock=lambda: self.now)

    def open(self, name: str, principal: str = "ann") -> Session:
        session = Session(name, principal, Conversation(DISPATCH, self.jobs.append, modern=False))
        self.sessions.open(session)
        return session


def test_no_more_than_the_limit_are_open_at_once() -> None:
    world = World(limit=2)
    world.open("a")
    assert not world.sessions.is_full
    session = world.open("b")
    assert world.sessions.is_full
    world.sessions.end(session)
    assert not world.sessions.is_full


def test_one_without_a_request_for_the_idle_time_is_forgotten_and_makes_room() -> None:
    world = World(limit=2, idle=10)
    world.open("old")
    world.now += 6
    world.open("young")
    world.now += 4.5
    assert not world.sessions.is_full
    assert world.sessions.enter("old", "ann") is None
    assert world.sessions.enter("young", "ann") is not None


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
    assert not world.sessions.is_full


def test_the_calls_of_a_session_that_ends_are_cancelled() -> None:
    world = World()
    session = world.open("a")
    replies: list[Any] = []
    channel = Channel(replies.append, replies.append)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}
    session.talk.receive(call, b"", channel)
    world.sessions.end(session)
    world.jobs.pop()()
    assert replies == [{}], "over, without an answer"
