"""What an edit at the command line must not load: each costs milliseconds of a cold start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPO

TOO_DEAR = {
    *("asyncio", "dataclasses", "inspect", "logging", "orjson", "pathlib", "platform", "socket"),
    *("sqlite3", "subprocess", "tempfile", "uuid", "pydantic", "pygit2", "ast_grep_py", "re2"),
}


@pytest.mark.requirement("agent-shell-quick")
def test_a_cold_edit_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n")

    def edit(old: str, new: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "redline",
             "edit", "a.txt", "--old", old, "--new", new],
            capture_output=True, text=True, cwd=work, check=True,
            env={"PYTHONPATH": str(REPO / "src"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )  # fmt: skip
        return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}

    # The second one finds a history, and what it says of others' changes.
    for loaded in (edit("one", "two"), edit("two", "three")):
        assert "redline.plan.replace" in loaded, "the list of modules was read"
        assert loaded & TOO_DEAR == set()
    assert (work / "a.txt").read_text() == "three\n"
