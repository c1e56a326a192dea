"""Runs the probes of durable.toml; REDLINE_LONG runs 10,000 races and 400 hostile calls."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.probes import memory, saves
from tests.wire.client import Client, connect

LONG = bool(os.environ.get("REDLINE_LONG"))
PROBES = tomllib.loads(Path(__file__).with_name("durable.toml").read_text())["probe"]
Probe = dict[str, Any]


def _files(root: Path, *args: str, **env: str) -> Client:
    return connect("stdio", ["--workspace", str(root), *args], cwd=root, env=env)


def _edit(client: Client, name: str = "a.txt") -> str:
    edits = [{"oldText": "old", "newText": "new"}]
    return str(client.call("edit_file", {"path": name, "edits": edits}))


def _workspace(top: Path) -> Path:
    root = top / "ws"
    root.mkdir()
    (root / "a.txt").write_text("old\n")
    return root


def _saves(probe: Probe, top: Path) -> None:
    wrong, ends = saves.run(10_000 if LONG else probe["races"], top)
    assert wrong == []
    assert ends


def _held_lock(_probe: Probe, top: Path) -> None:
    root = _workspace(top)
    with _files(root, "--tools", "files") as client, open(root / "a.txt") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        answer = _edit(client)
        fcntl.flock(file, fcntl.LOCK_UN)
        assert "holds a lock" in answer
        assert "a.txt" in answer
        assert "Successfully" in _edit(client)


def _open_writer(_probe: Probe, top: Path) -> None:
    root = _workspace(top)
    with _files(root, "--tools", "files") as client:
        with open(root / "a.txt", "a") as file:
            assert "open for writing" in _edit(client)
            file.write("written\n")
        assert (root / "a.txt").read_text() == "old\nwritten\n"
        assert "Successfully" in _edit(client)


def _memory(probe: Probe, top: Path) -> None:
    root = top / "ws"
    root.mkdir()
    wanted = {(probe["kind"], tool) for tool in probe["calls"]}
    calls = 400 if LONG else len(probe["calls"])
    grown = memory.run(root, top / "state", calls, None if LONG else wanted)
    for each in grown:
        assert each.megabytes <= memory.MAX_GROWTH_MB, each
    if not LONG:
        answers = [each.answer for each in grown if each.call.tool != "move_file"]
        says = probe["says"]
        assert all(re.search(says, answer) for answer in answers if "isError" in answer), answers
        assert any(re.search(says, answer) for answer in answers), answers


def _hard_link(_probe: Probe, top: Path) -> None:
    root = _workspace(top)
    os.link(root / "a.txt", root / "b.txt")
    with _files(root, "--tools", "files") as client:
        assert "hard link: 1 other name(s)" in _edit(client)
    assert (root / "b.txt").read_text() == "old\n"


def _damaged_history(_probe: Probe, top: Path) -> None:
    root = _workspace(top)
    state = top / "journal"
    with _files(root, "--tools", "files", "--state-dir", str(state)) as client:
        _edit(client)
        client.call("write_file", {"path": "b.txt", "content": "b"})
    raw = bytearray((state / "journal").read_bytes())
    raw[20] ^= 1
    (state / "journal").write_bytes(raw)
    with _files(root, "--state-dir", str(state)) as client:
        client.request("logging/setLevel", {"level": "notice"})
        client.call("read_file", {"path": "a.txt"})
        client.call("read_file", {"path": "a.txt"})
        told = [str(note) for note in client.notifications if "cannot be read" in str(note)]
    assert len(told) == 1
    for command in ("log", "doctor"):
        argv = [sys.executable, "-m", "redline", command, "--workspace", str(root)]
        env = {**os.environ, "REDLINE_STATE_DIR": str(state)}
        shown = subprocess.run(argv, capture_output=True, text=True, env=env, check=False)
        assert "cannot be read" in shown.stdout, (command, shown)


def _attributes(_probe: Probe, top: Path) -> None:
    root = _workspace(top)
    path = root / "a.txt"
    os.setxattr(path, "user.note", b"kept")
    if os.geteuid() == 0:
        os.chown(path, 12345, 12346)
    before = path.stat()
    with _files(root, "--tools", "files,history") as client:
        answers = str(client.call("delete_file", {"path": "a.txt"}))
        assert not path.exists()
        answers += str(client.call("undo_change"))
    after = path.stat()
    assert os.getxattr(path, "user.note") == b"kept"
    assert (after.st_uid, after.st_gid, after.st_mode) == (
        before.st_uid,
        before.st_gid,
        before.st_mode,
    )
    assert "not" not in answers.replace("note", "")


PROGRAMS: dict[str, Callable[[Probe, Path], None]] = {
    "saves": _saves,
    "held_lock": _held_lock,
    "open_writer": _open_writer,
    "memory": _memory,
    "hard_link": _hard_link,
    "damaged_history": _damaged_history,
    "attributes": _attributes,
}


@pytest.mark.requirement("engine-locks-what-it-edits")
@pytest.mark.requirement("engine-bounded-memory")
@pytest.mark.parametrize("probe", PROBES, ids=[probe["id"] for probe in PROBES])
def test_a_probe_sees_what_must_be_seen(probe: Probe, tmp_path: Path) -> None:
    assert probe["must"]
    PROGRAMS[probe["program"]](probe, tmp_path)
