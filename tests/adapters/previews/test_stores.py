"""One suite for every preview store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.previews.opening import MemoryPreviews, SharedPreviews, open_previews
from redline.adapters.previews.redis import RedisPreviews
from redline.adapters.previews.sqlite import SqlitePreviews
from redline.core.errors import InvalidArgument, StoreUnavailable
from redline.core.ports.previews import Previews, StoredPreview
from tests.adapters.previews.redis_server import RedisServer

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["memory", "sqlite", "redis"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes stores of one kind that share what they keep (memory only keeps its own)."""
    made: list[Any] = []

    def build(clock: Callable[[], float] = time.time, **options: Any) -> Any:
        store: Any
        if request.param == "memory":
            store = made[0] if made and not options else MemoryPreviews(clock, **options)
        elif request.param == "sqlite":
            store = SqlitePreviews(str(tmp_path / "previews.db"), clock, **options)
        else:
            store = RedisPreviews(request.getfixturevalue("redis").url, clock, **options)
        made.append(store)
        return store

    yield build
    for store in made:
        close = getattr(store, "close", None)
        if close:
            close()


@pytest.mark.requirement("group-trust")
def test_a_preview_that_was_changed_in_the_store_is_not_found() -> None:
    store = MemoryPreviews()
    signed = SharedPreviews(store, "", lambda text: sha256(b"secret" + text).hexdigest())
    shown = preview("p", b'{"set": 1}', "ana")
    signed.save(shown)
    assert signed.get("p", "ana") == shown
    assert signed.get("p", "bob") is None
    assert signed.replace(shown, replace(shown, payload=b"applied"))
    assert not signed.replace(shown, replace(shown, payload=b"applied twice"))
    kept = store.get("p", "ana")
    assert kept is not None
    for payload in (kept.payload.replace(b"applied", b"changed"), b"applied", b""):
        store.save(replace(kept, payload=payload))
        assert signed.get("p", "ana") is None
    store.save(replace(kept, principal="bob"))
    assert signed.get("p", "bob") is None
    store.save(replace(kept, id="q"))
    assert signed.get("q", "ana") is None
    signed.ping()
    signed.close()


def preview(
    name: str, payload: bytes = b"{}", principal: str = "", life: float = 60
) -> StoredPreview:
    return StoredPreview(name, principal, payload, time.time() + life)


@pytest.mark.requirement("json-stores")
def test_what_is_put_is_got(make: Make) -> None:
    store: Previews = make()
    payload = b'{"n": 1.10}\n\x00\xff' + "ü".encode()
    store.save(preview("sess_a", payload))
    found = store.get("sess_a", "")
    assert found is not None
    assert found.payload == payload
    assert store.get("sess_b", "") is None
    store.ping()


@pytest.mark.requirement("json-stores")
def test_another_store_of_the_same_place_sees_it(make: Make) -> None:
    make().save(preview("sess_shared", b"x"))
    found = make().get("sess_shared", "")
    assert found is not None
    assert found.payload == b"x"


@pytest.mark.requirement("json-session-principal")
def test_another_principal_does_not_get_it(make: Make) -> None:
    store: Previews = make()
    store.save(preview("sess_mine", b"x", principal="ann"))
    assert store.get("sess_mine", "bob") is None
    assert store.get("sess_mine", "") is None
    assert store.get("sess_mine", "ann") is not None


@pytest.mark.requirement("json-session-expiry")
def test_an_expired_preview_is_gone(make: Make) -> None:
    now = [time.time()]
    store: Previews = make(lambda: now[0])
    store.save(preview("sess_old", b"x", life=60))
    assert store.get("sess_old", "") is not None
    now[0] += 61
    assert store.get("sess_old", "") is None
    store.save(StoredPreview("sess_dead", "", b"x", now[0] - 1))
    assert store.get("sess_dead", "") is None


def test_replace_swaps_only_what_is_still_there(make: Make) -> None:
    store: Previews = make()
    first = preview("sess_swap", b"one")
    store.save(first)
    second = StoredPreview("sess_swap", "", b"two", first.expires_at)
    third = StoredPreview("sess_swap", "", b"three", first.expires_at)
    assert store.replace(first, second)
    assert not store.replace(first, third)
    found = store.get("sess_swap", "")
    assert found is not None
    assert found.payload == b"two"
    assert not store.replace(preview("sess_never", b"one"), third)


@pytest.mark.requirement("json-concurrent-apply")
def test_of_many_who_replace_at_once_exactly_one_wins(make: Make) -> None:
    stores = [make() for _ in range(4)]
    start = preview("sess_race", b"start")
    stores[0].save(start)

    def swap(number: int) -> bool:
        new = StoredPreview("sess_race", "", f"won {number}".encode(), start.expires_at)
        return bool(stores[number % 4].replace(start, new))

    with ThreadPoolExecutor(8) as pool:
        won = [number for number, done in enumerate(pool.map(swap, range(32))) if done]
    assert len(won) == 1
    assert stores[0].get("sess_race", "").payload == f"won {won[0]}".encode()


@pytest.mark.requirement("json-session-caps")
def test_the_oldest_go_when_there_are_too_many(make: Make) -> None:
    store: Previews = make(max_previews=3)
    for number in range(5):
        store.save(preview(f"sess_cap{number}", b"x", life=60 + number))
    assert store.get("sess_cap0", "") is None
    assert store.get("sess_cap1", "") is None
    for number in (2, 3, 4):
        assert store.get(f"sess_cap{number}", "") is not None


def test_the_oldest_go_when_they_hold_too_much(tmp_path: Path) -> None:
    for store in (
        MemoryPreviews(max_bytes=25),
        SqlitePreviews(str(tmp_path / "p.db"), max_bytes=25),
    ):
        for number in range(3):
            store.save(preview(f"sess_{number}", b"0123456789"))
        assert store.get("sess_0", "") is None
        assert store.get("sess_2", "") is not None


def test_redis_itself_forgets_an_expired_preview(redis: RedisServer) -> None:
    import redis as library

    store = RedisPreviews(redis.url)
    store.save(preview("sess_ttl", b"x", life=60))
    with library.Redis.from_url(redis.url) as client:
        assert 0 < client.pttl("redline:preview:sess_ttl") <= 60_000
    old = store.get("sess_ttl", "")
    assert old is not None
    store.replace(old, StoredPreview("sess_ttl", "", b"y", old.expires_at))
    with library.Redis.from_url(redis.url) as client:
        assert 0 < client.pttl("redline:preview:sess_ttl") <= 60_000
    store.close()


@pytest.mark.requirement("json-redis-error")
def test_redis_may_die_and_come_back(tmp_path: Path) -> None:
    server = RedisServer(tmp_path)
    server.start()
    store = RedisPreviews(server.url)
    try:
        store.save(preview("sess_before", b"x"))
        server.stop()
        with pytest.raises(StoreUnavailable):
            store.get("sess_before", "")
        with pytest.raises(StoreUnavailable):
            store.save(preview("sess_during", b"x"))
        server.start()
        store.save(preview("sess_after", b"y"))
        found = store.get("sess_after", "")
        assert found is not None
        assert found.payload == b"y"
    finally:
        store.close()
        server.stop()


def test_a_store_that_cannot_be_reached_says_so_only_when_used(tmp_path: Path) -> None:
    store = open_previews("redis://127.0.0.1:1/0")
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        store.ping()
    file = open_previews(f"sqlite:{tmp_path}/missing/previews.db")
    with pytest.raises(StoreUnavailable):
        file.ping()


def test_the_session_file_is_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "previews.db"
    store = SqlitePreviews(str(path))
    store.save(preview("sess_a"))
    store.close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_unknown_store_is_refused_without_repeating_its_password() -> None:
    with pytest.raises(InvalidArgument) as caught:
        open_previews("mysql://user:hunter2@host/db")
    assert "hunter2" not in caught.value.text
