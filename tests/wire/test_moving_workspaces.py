"""`redline workspace park` and `wake` against a real S3 server, beside a server that is running."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import LONG, need
from tests.teams.workspaces.test_moving import facts_of
from tests.wire.client import ROOT, Client, HttpClient, connect
from tests.wire.many import Site

try:
    import moto  # noqa: F401
    import obstore
except ImportError:
    obstore = None  # type: ignore[assignment]

FILES, OPERATIONS = (20_000, 1_000) if LONG else (400, 12)


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    """Where an S3 server listens, as the environment of a client."""
    need(obstore is not None, "obstore and moto")

    program = "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])"
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr
    port = ""
    for line in server.stderr:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            port = found[1]
            break
    assert port, "the S3 server did not start"
    threading.Thread(target=server.stderr.read, daemon=True).start()
    address = f"http://127.0.0.1:{port}"
    env = {"AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
           "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}  # fmt: skip
    import urllib.request

    urllib.request.urlopen(urllib.request.Request(f"{address}/bucket", method="PUT"), timeout=30)
    try:
        yield env
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


def redline(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")}
    return subprocess.run(
        [sys.executable, "-m", "redline", *arguments],
        env={**variables, "PYTHONPATH": str(ROOT / "src"), **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.requirement("moving-same", "moving-new-only", "moving-one-copy")
def test_a_workspace_goes_through_s3_to_another_machine(s3: dict[str, str], tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for place in (here / "ws", there / "ws"):
        place.mkdir(parents=True)
    site = here / "ws" / "site"
    for number in range(FILES):
        path = site / f"part{number % 50}" / f"file{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"file {number}\n")
    env = {**s3, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    args = ["--workspaces", str(here / "ws"), "--no-record", "--workspace-idle", "1"]
    state = {"REDLINE_STATE_DIR": str(here / "state")}
    with connect("http", args, cwd=here, handshake=False, env=state) as client:
        assert isinstance(client, HttpClient)
        server = Site(client, here)
        for number in range(OPERATIONS):
            path = str(site / f"part{number % 50}" / f"file{number}.txt")
            done = server.call("", "site", "write_file", path=path, content=f"new {number}\n")
            assert not done["isError"]
        found = server.call("", "site", "list_changes")["structuredContent"]
        assert "changes" in found, found
        change = found["changes"][0]["id"]
        before = facts_of(site)
        where = ["--workspaces", str(here / "ws"), "--state-dir", str(here / "state")]
        parked = redline(env, "workspace", "park", "site", "s3://bucket/site", *where)
        assert parked.returncode == 0, parked.stderr
        assert f"{FILES} files" in parked.stdout
        assert not site.exists()
        status, reply = server.ask("", "site", "tools/list")
        assert (status, "parked" in json.dumps(reply)) == (503, True)
        assert "parked" in client.fetch("GET", "/")[2].decode()
    away = ["--workspaces", str(there / "ws"), "--state-dir", str(there / "state")]
    woke = redline(env, "workspace", "wake", "site", "s3://bucket/site", *away)
    assert (woke.returncode, "Another server parked" in woke.stderr) == (2, True)
    key = redline(env, "workspace", "key", *where).stdout.strip()
    trust = ["--trust", key]
    woke = redline(env, "workspace", "wake", "site", "s3://bucket/site", *away, *trust)
    assert woke.returncode == 0, woke.stderr
    assert facts_of(there / "ws" / "site") == before
    again = redline(env, "workspace", "wake", "site", *where)
    assert (again.returncode, "awake elsewhere" in again.stderr) == (2, True)
    state["REDLINE_STATE_DIR"] = str(there / "state")
    args[1] = str(there / "ws")
    with connect("http", args, cwd=there, handshake=False, env=state) as client:
        assert isinstance(client, HttpClient)
        server = Site(client, there)
        listed = server.call("", "site", "list_changes", limit=100)["structuredContent"]["changes"]
        assert len(listed) == min(OPERATIONS, 100)
        undone = server.call("", "site", "undo_change", id=change)
        assert not undone["isError"], undone
        last = there / "ws" / "site" / f"part{(OPERATIONS - 1) % 50}" / f"file{OPERATIONS - 1}.txt"
        assert last.read_text() == f"file {OPERATIONS - 1}\n"
    parked = redline(env, "workspace", "park", "site", "s3://bucket/site", *away)
    assert parked.returncode == 0, parked.stderr
    moved = int(parked.stdout.split()[-3])
    assert moved < 20_000 + OPERATIONS * 1000, "only the last change and its history"


@pytest.mark.requirement("moving-interrupted")
def test_a_workspace_in_use_is_not_parked(tmp_path: Path) -> None:
    need(obstore is not None, "obstore")
    (tmp_path / "ws" / "site").mkdir(parents=True)
    args = ["--workspace", str(tmp_path / "ws" / "site"), "--no-record"]
    env = {"REDLINE_STATE_DIR": str(tmp_path / "state" / "site")}
    with connect("stdio", args, cwd=tmp_path, env=env) as client:
        name = str(tmp_path / "ws" / "site" / "a.txt")
        assert not client.call("write_file", {"path": name, "content": "a"})["result"]["isError"]
        refused = redline(
            {}, "workspace", "park", "site", "--wait", "0",
            f"file://{tmp_path}/store", "--workspaces", str(tmp_path / "ws"),
            "--state-dir", str(tmp_path / "state"),
        )  # fmt: skip
        assert (refused.returncode, "has the workspace open" in refused.stderr) == (1, True)
        assert Path(name).read_text() == "a"
        listed = redline({}, "workspace", "list", "--workspaces", str(tmp_path / "ws"))
        assert "parked" not in listed.stdout


@pytest.mark.requirement("moving-by-itself", "moving-woken-by-a-call")
def test_an_idle_workspace_is_parked_and_the_next_call_wakes_it_there_or_elsewhere(
    tmp_path: Path,
) -> None:
    need(obstore is not None, "obstore")
    flags = ["--no-record", "--park-after-days", "0.00001", "--park-to", f"file://{tmp_path}/idle"]
    places = [tmp_path / "here", tmp_path / "there"]
    for place in places:
        (place / "ws").mkdir(parents=True)
    (places[0] / "ws" / "site").mkdir()
    path = places[0] / "ws" / "site" / "a.txt"

    first = ["--workspaces", str(places[0] / "ws"), "--state-dir", str(places[0] / "state")]
    key = redline({}, "workspace", "key", *first).stdout.strip()

    def serve(place: Path) -> Client:
        env = {"REDLINE_STATE_DIR": str(place / "state")}
        args = ["--workspaces", str(place / "ws"), *flags, "--park-trust", key]
        return connect("http", args, cwd=place, handshake=False, env=env)

    def wait_until_parked(client: HttpClient, place: Path) -> None:
        end = time.monotonic() + 120
        while not json.loads(client.fetch("GET", "/workspaces")[2])["workspaces"][0]["parked"]:
            assert time.monotonic() < end, "it is not parked"
            time.sleep(0.1)
        while list((place / "ws").glob("*site*")) + list((place / "ws").glob(".site*")):
            assert time.monotonic() < end, "it is not removed"
            time.sleep(0.1)

    with serve(places[0]) as client:
        assert isinstance(client, HttpClient)
        site = Site(client, places[0])
        done = site.call("", "site", "write_file", path=str(path), content="first\n")
        assert not done["isError"]
        wait_until_parked(client, places[0])
        found = site.call("", "site", "read_file", path="a.txt")
        assert "first" in json.dumps(found), "woken by the call"
        assert not site.call("", "site", "undo_change")["isError"], "with its history"
        assert not path.exists()
        assert not site.call("", "site", "redo_change")["isError"]
        wait_until_parked(client, places[0])
    with serve(places[1]) as client:
        assert isinstance(client, HttpClient)
        site = Site(client, places[1])
        assert site.ask("", "other", "tools/list")[0] == 404
        assert "first" in json.dumps(site.call("", "site", "read_file", path="a.txt"))
        assert (places[1] / "ws" / "site" / "a.txt").read_text() == "first\n"
