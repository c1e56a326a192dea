"""Leases in a real Redis, and the number beside the journal that keeps an older server out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from redline.adapters.shared import LEASE_SECONDS, Fence, GroupStore, RedisLeases, read_number
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.errors import LeaseLost, StoreUnavailable, WriteFailed
from redline.core.paths import WorkspacePath
from redline.core.ports.history import HistoryQuery, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.adapters.previews.redis_server import RedisServer

pytestmark = pytest.mark.redis


class Clock:
    """A clock that only goes on when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def server(
    store: GroupStore, name: str, clock: Callable[[], float] | None = None
) -> RedisLeases:  # fmt: skip
    leases = RedisLeases(store, name, clock or Clock())
    leases._address = f"http://{name}"
    return leases


def end_lease(store: GroupStore, workspace: str = "w") -> None:
    """What time does to the lease of a server that was killed."""
    with store.redis.connect() as client:
        assert client.delete(store.key("lease", workspace)) == 1


@pytest.mark.requirement("group-one-owner")
def test_one_server_has_a_workspace_and_the_others_learn_which(store: GroupStore) -> None:
    a, b = server(store, "a"), server(store, "b")
    assert a.take_lease("w", lambda: 0) is None
    assert a.take_lease("w", lambda: 0) is None
    found = b.take_lease("w", lambda: 0)
    assert found is not None
    assert (found.server, found.address, found.number) == ("a", "http://a", 1)
    assert b.find_owner("w") == found
    assert a.holds("w")
    assert not b.holds("w")
    assert b.take_lease("v", lambda: 0) is None
    a.give_back("w")
    assert b.find_owner("w") is None
    assert b.take_lease("w", lambda: 0) is None
    assert b.require("w") == 2
    with pytest.raises(LeaseLost):
        a.require("w")


@pytest.mark.requirement("group-one-owner")
def test_a_lease_ends_by_itself_and_its_server_knows_when(store: GroupStore) -> None:
    clock = Clock()
    a, b = server(store, "a", clock), server(store, "b")
    assert a.take_lease("w", lambda: 0) is None
    with store.redis.connect() as client:
        assert 0 < client.pttl(store.key("lease", "w")) <= LEASE_SECONDS * 1000
    clock.now += LEASE_SECONDS
    assert not a.holds("w"), "the end is known without asking Redis"
    assert a.require("w") == 1, "nobody else was faster, so it goes on"
    end_lease(store)
    assert b.take_lease("w", lambda: 0) is None
    clock.now += LEASE_SECONDS
    with pytest.raises(LeaseLost):
        a.require("w")
    assert not a.renew("w")


@pytest.mark.requirement("group-fence")
def test_a_redis_that_lost_its_data_gives_a_higher_number_than_the_journal_has(
    store: GroupStore,
) -> None:
    a = server(store, "a")
    assert a.take_lease("w", lambda: 41) is None
    assert a.require("w") == 42
    with store.redis.connect() as client:
        client.flushdb()
    assert a.renew("w"), "nobody else was faster"
    assert a.require("w") == 43
    with store.redis.connect() as client:
        client.flushdb()
    b = server(store, "b")
    assert b.take_lease("w", lambda: 43) is None
    assert b.require("w") == 44
    assert not a.renew("w")


@pytest.mark.requirement("group-store-away")
def test_while_redis_is_away_a_workspace_goes_on_until_the_lease_ends(
    tmp_path: Path, site: Site
) -> None:
    redis = RedisServer(tmp_path)
    redis.start()
    store = GroupStore(redis.url, "g", b"s" * 32)
    clock = Clock()
    try:
        a = server(store, "a", clock)
        assert a.take_lease("w", lambda: read_number(str(site.state))) is None
        redline = site.open(a)
        redis.stop()
        clock.now += LEASE_SECONDS - 0.1
        create(redline, "one")
        assert a.renew("w"), "still"
        clock.now += 0.1
        assert not a.holds("w")
        with pytest.raises(LeaseLost):
            create(redline, "two")
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            a.take_lease("w", lambda: 0)
        redis.start()
        create(redline, "three")
        assert a.require("w") == 2, "higher than the one beside the journal"
        assert sorted(os.listdir(site.root)) == ["one", "three"]
    finally:
        store.redis.close()
        redis.stop()


@pytest.mark.requirement("group-trust")
def test_a_lease_that_no_server_of_the_group_wrote_is_not_believed(
    store: GroupStore, redis: RedisServer
) -> None:
    key = store.key("lease", "w")
    stranger = GroupStore(redis.url, store._name, b"x" * 32)
    for forged in (stranger.seal(key, ["e", "http://evil", 9]), b"", b"\0" * 40,
                   store.seal(store.key("lease", "v"), ["e", "http://evil", 9])):  # fmt: skip
        with store.redis.connect() as client:
            client.set(key, forged)
        with pytest.raises(StoreUnavailable, match="no server of this group"):
            server(store, "a").find_owner("w")
        with pytest.raises(StoreUnavailable, match="no server of this group"):
            server(store, "a").take_lease("w", lambda: 0)
    store.check_secret()
    with pytest.raises(StoreUnavailable, match="state directory"):
        stranger.check_secret()
    stranger.redis.close()


class Site:
    """One workspace that two servers of one process open."""

    def __init__(self, base: Path) -> None:
        self.root, self.state = base / "w", base / "state"
        self.root.mkdir()
        self._open: list[Redline] = []

    def open(self, leases: RedisLeases | None) -> Redline:
        redline = Redline(Settings(workspace=str(self.root), state_dir=str(self.state)))
        if leases is not None:
            redline.fence = Fence("w", lambda: leases.require("w")).check
        self._open.append(redline)
        redline.tree  # noqa: B018  opens the journal
        return redline

    def close(self) -> None:
        for redline in self._open:
            redline.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    yield found
    found.close()


def create(redline: Redline, name: str) -> str:
    path = WorkspacePath(0, (name,))
    new = ChangeSet((Change(path, ABSENT, FileState.of(b"x\n")),))
    return redline.editor.commit(new, Origin("test")).id


@pytest.mark.requirement("group-fence")
@pytest.mark.parametrize("is_fenced", [True, False])
def test_a_server_that_believes_in_a_lease_it_lost_cannot_write(
    store: GroupStore, site: Site, is_fenced: bool
) -> None:
    # The clock of the first never goes on: for it, its lease never ends.
    a, b = server(store, "a"), server(store, "b")
    assert a.take_lease("w", lambda: 0) is None
    first = site.open(a if is_fenced else None)
    create(first, "one")
    end_lease(store)
    assert b.take_lease("w", lambda: read_number(str(site.state))) is None
    second = site.open(b)
    assert a.holds("w"), "it does not know"
    if not is_fenced:
        create(first, "two")
        assert (site.root / "two").exists(), "what the fence is for"
        return
    with pytest.raises(LeaseLost, match="nothing was changed") as refused:
        create(first, "two")
    assert "repeat the call" in str(refused.value.hint)
    with pytest.raises(LeaseLost):
        first.editor.note_checkpoint(Origin("test"))
    assert sorted(os.listdir(site.root)) == ["one"], "nothing is left of the refused change"
    create(second, "three")
    ids = [each.id for each in second.history.list(HistoryQuery())]
    assert len(ids) == 2
    assert read_number(str(site.state)) == b.require("w")


@pytest.mark.requirement("group-fence")
def test_the_number_beside_the_journal_never_falls(store: GroupStore, site: Site) -> None:
    a = server(store, "a")
    assert a.take_lease("w", lambda: 0) is None
    site.open(a)
    assert read_number(str(site.state)) == 1
    (site.state / "lease-number").write_text("7\n")
    with pytest.raises(LeaseLost):
        site.open(a)
    assert read_number(str(site.state)) == 7
    (site.state / "lease-number").write_text("seven\n")
    with pytest.raises(WriteFailed, match="lease-number"):
        read_number(str(site.state))
