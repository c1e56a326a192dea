"""The drill of docs/operations.md: both directories of a killed server, restored at their paths."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.client import ROOT, connect


@pytest.mark.requirement("deployment-restore")
def test_a_copy_of_both_directories_is_a_workspace_with_its_history(tmp_path: Path) -> None:
    site, state = tmp_path / "site", tmp_path / "state"
    site.mkdir()
    env = {"REDLINE_STATE_DIR": str(state)}
    acknowledged = []
    with connect("stdio", ["--no-record"], cwd=site, env=env) as client:
        for number in range(8):
            path = str(site / f"f{number}.txt")
            made = client.call("write_file", {"path": path, "content": f"{number}\n"})
            assert not made["result"]["isError"]
            acknowledged.append(path)
        client.process.kill()  # as a power cut would
        client.process.wait()
    backup = tmp_path / "backup"
    for folder in (site, state):
        shutil.copytree(folder, backup / folder.name, symlinks=True)
        shutil.rmtree(folder)
    for folder in (site, state):
        shutil.copytree(backup / folder.name, folder, symlinks=True)

    def redline(*arguments: str) -> str:
        given = {"PYTHONPATH": str(ROOT / "src"), "PATH": os.environ["PATH"],
                 "HOME": str(tmp_path), **env}  # fmt: skip
        command = [sys.executable, "-m", "redline", *arguments, "--workspace", str(site)]
        found = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
        assert found.returncode == 0, (arguments, found.stderr)
        return found.stdout

    assert len(json.loads(redline("log", "--json"))) == len(acknowledged)
    redline("undo")
    assert not Path(acknowledged[-1]).exists()
    redline("redo")
    assert [Path(each).read_text() for each in acknowledged] == [f"{n}\n" for n in range(8)]
