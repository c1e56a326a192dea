"""What servers share besides leases, in a real Redis."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from redline.core.errors import StoreUnavailable
from redline.core.ports.session_memory import Grant
from redline.teams.adapters.group_store import GroupStore
from redline.teams.adapters.redis_group import (
    RedisCallSlots,
    RedisGrants,
    RedisRate,
    RedisSessions,
    RedisUsedOnce,
)
from tests.adapters.previews.redis_server import RedisServer

pytestmark = pytest.mark.redis


def grant(name: str, scope: str = "once", life: float = 60, owner: str = "ana") -> Grant:
    return Grant(name, owner, "exec_command", "network", scope, time.time() + life, "d" * 64)


def consume(grants: RedisGrants, owner: str = "ana") -> str | None:
    found = grants.consume(owner, "exec_command", "network", "d" * 64)
    return None if found is None else found.id


@pytest.mark.requirement("group-shared-grants")
def test_a_grant_counts_at_every_server_and_once_if_it_was_for_one_call(store: GroupStore) -> None:
    a, b = RedisGrants(store, "w"), RedisGrants(store, "w")
    a.add(grant("one"))
    assert consume(RedisGrants(store, "other")) is None
    assert consume(b, "bob") is None
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: consume(b), range(8)))
    assert sorted(filter(None, taken)) == ["one"], "of calls at once, one uses it up"
    a.add(grant("all", "session"))
    assert [consume(b), consume(a)] == ["all", "all"]
    late = RedisGrants(store, "w", lambda: time.time() + 100)
    assert consume(late) is None, "expired"
    late.add(grant("never"))
    assert consume(b) is None


@pytest.mark.requirement("group-trust")
def test_a_grant_that_was_written_past_the_servers_gives_nothing(
    store: GroupStore, redis: RedisServer
) -> None:
    stranger = GroupStore(redis.url, store._name, b"x" * 32)
    RedisGrants(stranger, "w").add(grant("forged"))
    with pytest.raises(StoreUnavailable, match="no server of this group"):
        consume(RedisGrants(store, "w"))
    stranger.redis.close()


@pytest.mark.requirement("group-shared-sessions")
def test_a_session_is_found_in_its_workspace_until_it_is_removed(store: GroupStore) -> None:
    a, b = RedisSessions(store, "w", 60), RedisSessions(store, "w", 60)
    a.save("s", {"principal": "ana", "protocol": "2025-11-25"})
    assert b.load("s") == {"principal": "ana", "protocol": "2025-11-25"}
    assert RedisSessions(store, "v", 60).load("s") is None
    with store.redis.connect() as client:
        (key,) = client.keys(f"redline:{store._name}:session:*")
        assert 0 < client.pttl(key) <= 60_000
    b.remove("s")
    assert a.load("s") is None


@pytest.mark.requirement("group-shared-questions")
def test_the_state_of_a_question_is_used_once_at_any_server(store: GroupStore) -> None:
    a, b = RedisUsedOnce(store), RedisUsedOnce(store)
    assert a.take("ana", "n", 100.0, 50.0)
    assert not b.take("ana", "n", 100.0, 50.0)
    assert b.take("bob", "n", 100.0, 50.0)
    assert not b.take("ana", "m", 100.0, 100.0), "expired"


@pytest.mark.requirement("group-shared-limits")
def test_requests_are_counted_over_all_servers(store: GroupStore) -> None:
    def alone(_who: str, _own: float | None = None) -> float:
        raise AssertionError("Redis is there")

    a = RedisRate(store, "requests", 0.001, alone)
    b = RedisRate(store, "requests", 0.001, alone)
    assert a.wait_for("ana") == 0
    assert 0 < b.wait_for("ana") <= 1000
    assert b.wait_for("bob") == 0
    assert [b.wait_for("eva", 1.0) for _ in range(2)] == [0, 0], "twice the rate at once"
    assert a.wait_for("ana", 0) == 0, "no limit"
    away = RedisRate(GroupStore("redis://127.0.0.1:1/0", "g", b""), "r", 1, lambda *_: 7.0)
    assert away.wait_for("ana") == 7.0, "without Redis each server counts by itself"


@pytest.mark.requirement("group-shared-limits")
def test_calls_at_once_are_counted_over_all_servers(store: GroupStore) -> None:
    a, b = RedisCallSlots(store), RedisCallSlots(store)
    running, may_end = threading.Event(), threading.Event()
    order: list[str] = []

    def first() -> None:
        order.append("first")
        running.set()
        assert may_end.wait(60)
        a.pause(lambda: waiter.join(60))  # it waits for a person: the second one's turn
        order.append("first again")

    waiter = threading.Thread(target=lambda: b.run("ana", 1, lambda: order.append("second")))
    one = threading.Thread(target=lambda: a.run("ana", 1, first))
    one.start()
    assert running.wait(60)
    waiter.start()
    b.run("bob", 1, lambda: order.append("bob"))
    assert order == ["first", "bob"]
    may_end.set()
    one.join(60)
    assert order == ["first", "bob", "second", "first again"]
    with store.redis.connect() as client:
        assert client.keys(f"redline:{store._name}:calls:*") == [], "nothing is held any more"
    away = RedisCallSlots(GroupStore("redis://127.0.0.1:1/0", "g", b""))
    away.run("ana", 1, lambda: order.append("away"))
    assert order[-1] == "away"
    for slots in (a, b, away):
        slots.close()
