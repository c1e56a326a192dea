"""Several processes on one workspace: nothing acknowledged is lost, nothing is torn by kill -9."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import LONG

KILLS = 10_000 if LONG else 100


def _start(root: Path, state: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.writer", str(root), str(state), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.requirement("engine-no-lost-update")
def test_four_processes_editing_one_file_lose_no_acknowledged_edit(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "f").write_text("")
    writers = [_start(root, tmp_path / "state", f"w{number}", 10) for number in range(4)]
    answers = [writer.communicate(timeout=60) for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4, answers
    acknowledged = b"".join(out for out, _ in answers).splitlines()
    kept = (root / "f").read_bytes().splitlines()
    assert len(acknowledged) == 40
    assert sorted(kept) == sorted(acknowledged)


@pytest.mark.requirement("engine-no-torn-state")
def test_random_kills_tear_nothing_and_lose_nothing_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One forked writer after the other is killed at a random moment while it edits three files."""
    root, state = tmp_path / "ws", tmp_path / "state"
    root.mkdir()
    for name in ("f1", "f2", "f3"):
        (root / name).write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    chance = random.Random(7)
    acknowledged: list[bytes] = []
    for number in range(KILLS):
        acknowledged += _killed_writer(root, state, number, chance)
        if number % 20 == 19:
            _check_whole(root, acknowledged)
    _check_whole(root, acknowledged)


def _killed_writer(root: Path, state: Path, number: int, chance: random.Random) -> list[bytes]:
    """What a writer acknowledged before it was killed."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        os.dup2(write_end, 1)
        sys.argv = ["writer", str(root), str(state), f"k{number}", "1000000"]
        try:
            from tests.faults.writer import main

            main()
        finally:
            os._exit(1)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as answers:
        # Wait for the first answer, then for a random moment: kills hit every phase of a commit.
        waiting = select.poll()
        waiting.register(answers, select.POLLIN)
        ready = waiting.poll(30_000)
        assert ready, "the writer never answered"
        time.sleep(chance.random() * 0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lines = answers.read().split(b"\n")
    return lines[:-1]


def _check_whole(root: Path, acknowledged: list[bytes]) -> None:
    from redline.settings import Settings
    from redline.wiring.workspace import Redline

    app = Redline(Settings(workspace=str(root)))
    assert app.tree is not None  # recovers
    app.close()
    contents = {(root / name).read_bytes() for name in ("f1", "f2", "f3")}
    assert len(contents) == 1
    kept = contents.pop().splitlines()
    assert len(kept) == len(set(kept))
    assert set(acknowledged) <= set(kept)
    assert sorted(os.listdir(root)) == ["f1", "f2", "f3"]
