"""Several servers as one: any answers, one has a workspace, and what is left when one dies."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.settings import SettingsError, load
from tests.adapters.previews.redis_server import RedisServer
from tests.wire.client import HttpClient, connect
from tests.wire.group import Group, Session, changes, group_of, until, write
from tests.wire.many import Site

pytestmark = pytest.mark.redis


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with group_of(tmp_path) as found:
        found.make("red", "blue")
        yield found


@pytest.mark.requirement("group-any-server")
def test_any_server_answers_and_the_owner_does_the_work(group: Group) -> None:
    a, b = group.start(), group.start()
    assert not write(a, "red", "a.txt", "by a\n")["isError"]
    assert not write(b, "red", "b.txt", "by b\n")["isError"]
    assert not write(b, "blue", "c.txt", "by b\n")["isError"]
    for site in (a, b):
        assert [each["principal"] for each in changes(site, "red")] == ["ana", "ana"]
        assert len(changes(site, "blue")) == 1
        page = site.get(site.sign_in("ana"), "/w/red/")
        assert page[0] == 200
        assert "b.txt" in page[1]


@pytest.mark.requirement("group-takeover")
def test_another_server_goes_on_when_the_owner_is_killed_or_stops(group: Group) -> None:
    a, b = group.start(), group.start()
    assert not write(a, "red", "a.txt", "one\n")["isError"]
    group.kill(a)
    assert not write(b, "red", "a.txt", "two\n")["isError"], "a lease ends by itself"
    assert len(changes(b, "red")) == 2
    c = group.start()
    b.client.process.send_signal(signal.SIGTERM)
    assert b.client.process.wait(60) == 0
    assert lease_seconds(group) == [], "given back, not left to end by itself"
    assert not write(c, "red", "a.txt", "three\n")["isError"]
    assert len(changes(c, "red")) == 3
    (number,) = (group.base / "state").rglob("lease-number")
    assert int(number.read_text()) >= 3


@pytest.mark.requirement("group-takeover")
def test_a_server_that_starts_at_the_address_of_a_killed_owner_is_not_taken_for_it(
    group: Group,
) -> None:
    import redis

    a, b = group.start(), group.start()
    assert not write(a, "red", "a.txt", "one\n")["isError"]
    with redis.Redis.from_url(group.redis.url) as client:
        lease = until(lambda: client.keys("redline:*:lease:*"), "a lease is there")[0]
        value = until(lambda: client.get(lease), "it is renewed")
        group.kill(a)
        client.set(lease, value, px=600_000)
        group.start("--http", f"127.0.0.1:{a.client.port}")
        client.set(lease, value, px=3_000)
    assert not write(b, "red", "a.txt", "two\n")["isError"]


@pytest.mark.requirement("group-any-server")
def test_a_workspace_that_another_server_has_can_be_archived(group: Group) -> None:
    a, b = group.start(), group.start()
    assert not write(a, "red", "a.txt", "one\n")["isError"]
    cookie = b.sign_in("ana")
    status, text = b.post(cookie, "/archive", name="red")
    assert status == 303, text
    assert not (group.base / "ws" / "red").exists()
    assert a.ask("ana", "red", "tools/list")[0] == 404


def lease_seconds(group: Group) -> list[int]:
    import redis

    with redis.Redis.from_url(group.redis.url) as client:
        return [client.ttl(key) for key in client.keys("redline:*:lease:*")]


@pytest.mark.requirement("group-fence", "group-takeover")
def test_an_owner_that_was_stopped_for_longer_than_its_lease_writes_nothing(group: Group) -> None:
    a, b = group.start(), group.start()
    patch = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch"
    session = Session(a, "red", elicitation={})
    asked, ended = threading.Event(), threading.Event()
    seen: list[str] = []

    def listen() -> None:
        for line in session.stream(a, "apply_patch", patch=patch):
            seen.append(line)
            if "elicitation/create" in line:
                asked.set()
        ended.set()

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    assert asked.wait(60), seen
    a.client.process.send_signal(signal.SIGSTOP)
    # What may have been done is not done twice; what reads is made again when the lease has ended.
    late = {"path": str(group.base / "ws" / "red" / "late.txt"), "content": "late\n"}
    status, lost = b.ask("ana", "red", "tools/call", name="write_file", arguments=late)
    made = []
    if status == 502:
        assert lost["error"]["data"] == {"reason": "owner_lost", "done": "unknown"}
    else:  # on a busy machine the lease had ended before
        made.append("late.txt")
    assert len(changes(b, "red")) == len(made)
    assert not write(b, "red", "b.txt", "by b\n")["isError"]
    queued = threading.Thread(target=lambda: seen.append(str(write(a, "red", "q.txt", "q\n"))))
    queued.start()
    a.client.process.send_signal(signal.SIGCONT)
    assert ended.wait(60), "the call is not left waiting"
    queued.join(60)
    assert "call again" in "".join(seen)
    assert any("'isError': False" in each for each in seen), seen
    red = group.base / "ws" / "red"
    assert sorted(os.listdir(red)) == ["b.txt", *made, "q.txt"]
    assert len(changes(a, "red")) == 2 + len(made)
    listener.join(60)


@pytest.mark.requirement("group-store-away")
def test_a_redis_that_goes_away_and_comes_back_without_its_data(group: Group) -> None:
    a, b = group.start(), group.start()
    assert not write(a, "red", "a.txt", "one\n")["isError"]
    assert b.client.fetch("GET", "/readyz")[0] == 200
    group.redis.stop()
    status, answer = b.ask("ana", "red", "tools/list")
    assert status == 503
    assert answer["error"]["data"] == {"reason": "shared_store_unavailable", "done": "nothing"}
    assert "call again" in answer["error"]["message"]
    ready = b.client.fetch("GET", "/readyz")
    assert (ready[0], json.loads(ready[2])) == (503, {"status": "shared store unavailable"})
    assert b.client.fetch("GET", "/healthz")[0] == 200
    # The owner refuses too, once its lease has ended.
    until(lambda: a.ask("ana", "red", "tools/list")[0] == 503, "the end of the lease")
    group.redis.start()
    until(lambda: b.client.fetch("GET", "/readyz")[0] == 200, "ready again")
    for site in (b, a):
        assert not write(site, "red", "a.txt", f"{site.client.port}\n")["isError"]
    assert len(changes(b, "red")) == 3
    (number,) = (group.base / "state").rglob("lease-number")
    assert int(number.read_text()) > 1, "never lower than what the journal has seen"


@pytest.mark.requirement("group-trust")
def test_only_a_server_of_the_group_can_pass_a_request_on(group: Group) -> None:
    a = group.start("--allowed-hosts", "tools.example.com")
    assert not write(a, "red", "a.txt", "one\n")["isError"]
    proof = {"Redline-Forwarded": f"{time.time():.3f} 10.0.0.9 {'0' * 64}"}
    wanted = {"Authorization": "Bearer token-of-ana", **proof}
    status, _, body = a.client.fetch("GET", "/w/red/", None, wanted)
    assert status == 403
    assert b"Not from a server of this group" in body
    rebound = {"Host": "evil.example.com", **wanted}
    assert a.client.fetch("GET", "/w/red/", None, rebound)[0] == 403
    # At the other server the name of the host that the client used counts, and its own credentials.
    b = group.start("--allowed-hosts", "tools.example.com")
    named = {"Host": "tools.example.com", "Authorization": "Bearer token-of-ana"}
    assert b.client.fetch("GET", "/w/red/", None, named)[0] == 200
    assert b.client.fetch("GET", "/w/red/", None, {**named, "Host": "evil.example.com"})[0] == 421
    assert b.ask("nobody", "red", "tools/list")[0] == 401


@pytest.mark.requirement("group-any-server")
def test_streams_are_passed_on_as_they_come(group: Group) -> None:
    a, b = group.start(), group.start()
    assert not write(a, "red", "a.txt", "one\n")["isError"]
    cookie = b.sign_in("ana")
    # A stream ends when the owner was too busy to keep its lease; a browser connects again then.
    until(lambda: sees_a_change(a, b, cookie), "a change seen through another server")


def sees_a_change(owner: Site, other: Site, visit: dict[str, str]) -> bool:
    link = http.client.HTTPConnection(other.client.host, other.client.port, timeout=60)
    try:
        link.request("GET", "/w/red/events", headers=visit)
        stream = link.getresponse()
        assert stream.status == 200
        before = next_state(stream)
        text = f"{time.monotonic_ns()}\n"
        return not write(owner, "red", "b.txt", text)["isError"] and next_state(stream) != before
    except (OSError, http.client.HTTPException):
        return False
    finally:
        link.close()


def next_state(stream: http.client.HTTPResponse) -> str:
    while not (line := stream.readline().decode()).startswith("data: "):
        if not line:
            raise ConnectionError("the stream ended")
    return line


@pytest.mark.requirement("group-one-workspace", "group-any-server")
def test_one_workspace_is_served_by_several_servers_too(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    redis = RedisServer(tmp_path)
    redis.start()
    args = ["--workspace", str(tmp_path / "w"), "--shared", redis.url]
    state = {"REDLINE_STATE_DIR": str(tmp_path / "state")}
    options: dict[str, Any] = {"cwd": tmp_path, "env": state, "protocol": "2026-07-28"}
    try:
        with connect("http", args, **options) as a, connect("http", args, **options) as b:
            for number, client in enumerate((a, b, a)):
                path = str(tmp_path / "w" / f"{number}.txt")
                made = client.call("write_file", {"path": path, "content": "x\n"})
                assert not made["result"]["isError"], made
            for client in (a, b):
                assert isinstance(client, HttpClient)
                listed = client.call("list_changes")["result"]["structuredContent"]["changes"]
                assert len(listed) == 3
                assert client.fetch("GET", "/")[0] == 200
                assert client.fetch("GET", "/readyz")[0] == 200
            assert isinstance(a, HttpClient)
            assert isinstance(b, HttpClient)
            (key,) = re.findall(r"#key=(\w+)", "".join(b._banner))
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            signed_in = [
                site.fetch("POST", "/sign-in", f"key={key}".encode(), form)[0] for site in (a, b)
            ]
            assert signed_in == [200, 403], "a key that one server printed, at another, once"
    finally:
        redis.stop()


@pytest.mark.requirement("group-settings")
def test_a_server_that_cannot_join_says_why(group: Group, tmp_path: Path) -> None:
    group.start()

    def refused(*args: str, **env: str) -> str:
        run = [sys.executable, "-m", "redline", "serve", "--http", "127.0.0.1:0", *args]
        found = subprocess.run(
            run, capture_output=True, text=True, timeout=60, cwd=tmp_path,
            env={**os.environ, "REDLINE_STATE_DIR": f"{tmp_path}-state", **env},
        )  # fmt: skip
        assert found.returncode == 2, found.stderr
        return found.stderr

    many = ["--workspaces", str(group.base / "ws"), "--shared"]
    assert "cannot be reached" in refused(*many, "redis://127.0.0.1:1/0")
    elsewhere = str(tmp_path / "other")
    assert "--state-dir" in refused(*many, group.redis.url, REDLINE_STATE_DIR=elsewhere)
    assert "over HTTP" in refused("--stdio", "--shared", group.redis.url)


@pytest.mark.requirement("group-settings")
def test_settings_with_which_servers_cannot_work_as_one_are_refused(tmp_path: Path) -> None:
    here = {"workspace": str(tmp_path), "shared": "redis://127.0.0.1/0"}
    assert load(here, {}).sessions == here["shared"], "previews are shared too"
    everywhere = {**here, "host": "0.0.0.0", "auth_token": "t" * 20}
    assert load({**everywhere, "reachable_at": "http://10.0.0.5:8000"}, {})
    for flags, reason in (
        ({**here, "shared": "memory"}, "redis://HOST:PORT/DB"),
        ({"workspace": str(tmp_path), "reachable_at": "http://a:1"}, "pass --shared too"),
        (everywhere, "pass --reachable-at"),
        ({**here, "reachable_at": "a:1"}, "http://HOST:PORT"),
    ):
        with pytest.raises(SettingsError, match=re.escape(reason)):
            load(flags, {})
