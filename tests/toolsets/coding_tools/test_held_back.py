"""A command that the sandbox held back says so, and how to go on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.processes.ground import require
from tests.toolsets.coding_tools.test_exec import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """At a repository with a script that wants the network."""
    require("bubblewrap")
    folder = tmp_path / "workspace"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "fetch.py").write_text(
        "import socket\nsocket.create_connection(('203.0.113.1', 80), 1)\n"
    )
    made = Desk(folder, tmp_path / "state")
    yield made
    made.runtime.close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("touch a && git add a", "REDLINE_GIT_WRITES=1"),
        ("python3 fetch.py", "permission='network'"),
    ],
)
def test_the_answer_names_what_would_let_it_through(line: str, said: str, desk: Desk) -> None:
    answer = desk.use("exec_command", cmd=line, yield_time_ms=30_000)
    assert answer["exit_code"] != 0
    assert [said in each for each in answer["warnings"]].count(True) == 1


@pytest.mark.parametrize(
    "line",
    [
        "echo 'fatal: .git/index.lock: Read-only file system' >&2",
        "echo 'Network is down, Permission denied'; false",
    ],
)
def test_a_command_that_went_well_or_failed_otherwise_gets_no_such_hint(
    line: str, desk: Desk
) -> None:
    answer = desk.use("exec_command", cmd=line, yield_time_ms=30_000)
    assert "warnings" not in answer or not any("REDLINE_" in each for each in answer["warnings"])
