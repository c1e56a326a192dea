"""A whole server answers pings while language servers start, hang, lie and are killed."""

from __future__ import annotations

import os
import queue
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.adapters.language_servers.pool import measure_servers
from tests.adapters.language_servers.conftest import FAKE, SHOP, USE
from tests.support import LONG
from tests.wire.client import StdioClient, connect

MODES = [
    *("right", "flood", "crash", "dies at once", "leaves a child", "hang", "truncated"),
    *("no header", "huge", "not json", "deep", "outside", "climbs", "wrong text", "far"),
    *("backwards", "no file", "numbers", "text", "booleans"),
]
# Begins the server whose mode stands in a file beside it.
TY = """\
#!/bin/sh
here=$(dirname "$0")
exec "{python}" -I "$here/fake.txt" "$(cat "$here/mode")"
"""
# On a quiet machine, in the long mode; beside other tests a ping may only not wait for a server.
LATE = 0.1 if LONG else 1.0


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project whose environment has a `ty` that does what `mode` says."""
    root = tmp_path / "shop"
    programs = root / ".venv" / "bin"
    programs.mkdir(parents=True)
    (root / "a.py").write_text(SHOP)
    (root / "use.py").write_text(USE)
    (programs / "fake.txt").write_bytes(FAKE.read_bytes())
    (programs / "ty").write_text(TY.format(python=sys.executable))
    (programs / "ty").chmod(0o755)
    return root


@pytest.fixture
def client(shop: Path) -> Iterator[StdioClient]:
    """A server for the project."""
    with connect("stdio", ["--tools", "agent"], cwd=shop) as opened:
        assert isinstance(opened, StdioClient)
        yield opened


@pytest.fixture
def idle(tmp_path: Path) -> Iterator[StdioClient]:
    """A server that does nothing: how long a ping takes on this machine at this moment."""
    (tmp_path / "idle").mkdir()
    with connect("stdio", ["--tools", "agent"], cwd=tmp_path / "idle") as opened:
        assert isinstance(opened, StdioClient)
        yield opened


def _ping(client: StdioClient) -> float:
    began = time.monotonic()
    assert client.request("ping")["result"] == {}
    return time.monotonic() - began


def _kill(root: Path) -> None:
    for each in measure_servers(str(root)):
        try:
            os.kill(each.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.mark.requirement("agent-rename-server-pings")
@pytest.mark.slow
def test_pings_are_answered_while_servers_start_hang_lie_and_are_killed(
    shop: Path, client: StdioClient, idle: StdioClient
) -> None:
    chosen = random.Random(36)
    arguments = {"symbol": "size", "to": "extent", "path": "a.py", "line": 2, "dry_run": True}
    client.call("context", {"symbol": "Shop"})
    late: list[tuple[str, float]] = []
    ends = {"renamed": 0, "refused": 0, "cancelled": 0, "killed": 0}
    for _ in range(1000 if LONG else 25):
        mode = chosen.choice(MODES)
        (shop / ".venv/bin/mode").write_text(mode)
        request, answer = client.start("tools/call", {"name": "rename", "arguments": arguments})
        began, how = time.monotonic(), chosen.choice(["killed", "cancelled"])
        while answer.empty():
            here, there = _ping(client), _ping(idle)
            if here > LATE + there:
                late.append((mode, here))
            time.sleep(0.01)
            if mode == "hang" and time.monotonic() - began > 1.0:
                if how == "cancelled":
                    client.notify("notifications/cancelled", {"requestId": request})
                    break
                _kill(shop)
            assert time.monotonic() - began < 60.0, mode
        try:
            reply = answer.get(timeout=1.0)["result"]
        except queue.Empty:
            ends["cancelled"] += 1
        else:
            text = reply["content"][0]["text"]
            is_refused = reply["isError"]
            ends["killed" if mode == "hang" else "refused" if is_refused else "renamed"] += 1
            assert is_refused == (mode not in ("right", "flood")), (mode, text)
            assert is_refused or text.count("+") >= 3, text
        _kill(shop)
    assert min(ends.values()) > 0, ends
    assert not late, late
    assert (shop / "a.py").read_text() == SHOP
    assert (shop / "use.py").read_text() == USE
    client.close()
    assert measure_servers(str(shop)) == []
