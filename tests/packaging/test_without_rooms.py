"""Redline without its rooms: it reads, edits, runs and undoes, and says what it lacks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import redline
from redline.wiring.rooms import ROOMS
from tests.wire.client import connect

pytestmark = pytest.mark.requirement("meta-rooms-optional")


@pytest.fixture(scope="module")
def without_rooms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which Python imports a Redline whose rooms are deleted."""
    home = tmp_path_factory.mktemp("without")
    whole = Path(redline.__file__).parent
    shutil.copytree(whole, home / "redline", ignore=shutil.ignore_patterns("__pycache__", *ROOMS))
    assert not any((home / "redline" / room).exists() for room in ROOMS)
    found = _python({"PYTHONPATH": str(home)}, "import redline; print(redline.__file__)")
    assert found == f"{home}/redline/__init__.py"
    return {"PYTHONPATH": str(home)}


def _python(env: dict[str, str], code: str) -> str:
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, env={**os.environ, **env}, capture_output=True, check=True)
    return done.stdout.decode().strip()


def _redline(
    env: dict[str, str], cwd: Path, *args: str, code: int = 0
) -> subprocess.CompletedProcess[str]:
    home = {"XDG_STATE_HOME": f"{cwd}.state", "XDG_CONFIG_HOME": f"{cwd}.config"}
    argv = [sys.executable, "-m", "redline", *args]
    given = {**os.environ, **env, **home}
    done = subprocess.run(argv, cwd=cwd, env=given, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_edits_runs_and_undoes(
    without_rooms: dict[str, str], tmp_path: Path, transport: str
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")
    with connect(transport, ["--tools", "agent"], cwd=tmp_path, env=without_rooms) as client:
        edit = {"path": "a.txt", "old": "one", "new": "two"}
        edited = client.call("edit", edit)
        assert not edited["result"].get("isError"), edited
        assert file.read_text() == "two\n"
        ran = client.call("run", {"command": "echo three > b.txt"})
        assert not ran["result"].get("isError"), ran
        for _ in range(2):
            undone = client.call("undo", {})
            assert not undone["result"].get("isError"), undone
        assert file.read_text() == "one\n"
        assert not (tmp_path / "b.txt").exists()


def test_the_command_line_offers_what_is_left(
    without_rooms: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    shown = _redline(without_rooms, tmp_path, "--help").stdout
    named = {line.split()[0] for line in shown.splitlines() if line.startswith("  ")}
    assert {"edit", "undo", "serve", "setup", "status", "doctor"} <= named
    assert not {"review", "held", "policy", "watch", "hooks", "token", "workspace"} & named
    _redline(without_rooms, tmp_path, "edit", "a.txt", "--old", "one", "--new", "two")
    _redline(without_rooms, tmp_path, "status")
    _redline(without_rooms, tmp_path, "undo")
    assert (tmp_path / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize(
    ("args", "room", "code"),
    [
        (["watch"], "recorder", 2),
        (["review"], "review", 2),
        (["policy", "check"], "policy", 2),
        (["token", "list"], "teams", 2),
        (["serve", "--http", "127.0.0.1:0", "--workspaces", "."], "teams", 1),
    ],
)
def test_what_needs_a_room_names_it(
    without_rooms: dict[str, str], tmp_path: Path, args: list[str], room: str, code: int
) -> None:
    done = _redline(without_rooms, tmp_path, *args, code=code)
    assert f"the room {room}" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_changed_where_a_policy_cannot_be_applied(
    without_rooms: dict[str, str], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n")
    policy = tmp_path / "work.config" / "redline" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('default = "allow"\n')
    args = ["edit", "a.txt", "--old", "one", "--new", "two"]
    done = _redline(without_rooms, work, *args, code=1)
    assert "installed without its room policy" in done.stderr
    assert (work / "a.txt").read_text() == "one\n"
    served = _redline(without_rooms, work, "serve", "--stdio", code=1)
    assert "installed without its room policy" in served.stderr


def test_doctor_examines_it(without_rooms: dict[str, str], tmp_path: Path) -> None:
    assert "recorder" in _redline(without_rooms, tmp_path, "doctor").stdout
