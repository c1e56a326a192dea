"""The wheel and the source archive install into a clean environment and work there."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from redline._version import __version__
from tests.support import REPO


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive."""
    target = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(REPO)],
        check=True,
        capture_output=True,
    )
    return target


@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"])
def test_the_built_file_serves_from_a_clean_environment(
    built: Path, tmp_path: Path, pattern: str
) -> None:
    (archive,) = built.glob(pattern)
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    # Dependencies come from this environment: tests fetch nothing.
    here = [sysconfig.get_paths()["purelib"], *site.getsitepackages()]
    libraries = Path(
        subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    (libraries / "dependencies.pth").write_text("\n".join(dict.fromkeys(here)) + "\n")
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP"))}
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, *install, str(archive)], check=True, env=clean)
    program = home / "bin" / "redline"
    told = subprocess.run([program, "--version"], capture_output=True, text=True, env=clean)
    assert told.stdout.strip() == f"redline {__version__}"
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    listed = subprocess.run(
        [program, "serve", "--stdio", "--workspace", str(tmp_path), "--tools", "history"],
        input=request + "\n",
        capture_output=True,
        text=True,
        env=clean,
        cwd=tmp_path,
    )
    assert "undo_change" in listed.stdout, listed.stderr
    event = b'{"hook_event_name": "Stop", "cwd": "/"}'
    hook = subprocess.run(
        [home / "bin" / "redline-hook", "codex"], input=event, stdout=-1, env=clean
    )
    assert (hook.returncode, hook.stdout) == (0, b"{}\n")
    where = "import redline; print(redline.__file__)"
    found = subprocess.run([python, "-c", where], capture_output=True, text=True, env=clean)
    assert str(home) in found.stdout
