"""Children run the code that was there when the server started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPO

_SERVER = """
import sys
sys.path.insert(0, {source!r})
from redline.adapters.sandbox.program import capture
module = "redline.adapters.sandbox.process_tree"
program = capture(module + ":parents", [module])
with open({source!r} + "/redline/adapters/sandbox/process_tree.py", "a") as file:
    file.write("\\nopen({mark!r}, 'w').close()\\n")
sys.exit(program.start().wait())
"""


@pytest.mark.requirement("sandbox-program")
def test_a_module_changed_after_the_start_does_not_run(tmp_path: Path) -> None:
    shutil.copytree(REPO / "src", tmp_path / "src")
    mark = tmp_path / "mark"
    code = _SERVER.format(source=str(tmp_path / "src"), mark=str(mark))
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert not mark.exists()
    again = _SERVER.format(source=str(tmp_path / "src"), mark=os.devnull + "/no")
    changed = subprocess.run([sys.executable, "-I", "-c", again], capture_output=True, check=False)
    assert mark.exists(), changed.stderr.decode()  # it takes effect at the next start


_CHILD = """
import sys
sys.path.insert(0, {source!r})
from redline.adapters.sandbox.program import capture
program = capture("redline.adapters.sandbox.process_tree:parents", ["redline.adapters.sandbox"])
sys.exit(program.start().wait())
"""


@pytest.mark.requirement("sandbox-program")
def test_a_module_that_was_not_captured_is_not_found_on_disk() -> None:
    code = _CHILD.format(source=str(REPO / "src"))
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=False)
    assert done.returncode == 1
    missing = b"redline.adapters.sandbox.process_tree"
    assert b"not captured when the server started: " + missing in done.stderr


# Each is more to copy for the three forks that a command takes, and needed by none of them.
_TOO_DEAR = {"dataclasses", "inspect", "ipaddress", "lzma", "platform", "shutil", "subprocess"}


def test_the_process_that_starts_commands_loads_little() -> None:
    code = f"import sys; sys.path.insert(0, {str(REPO / 'src')!r})\n"
    code += "import redline.adapters.processes.spawner; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    assert "redline.adapters.processes.supervisor" in loaded
    assert loaded & _TOO_DEAR == set()
