"""What developers run every day works inside the sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.adapters.processes.ground import BACKENDS, commands_in, require, run
from tests.support import need_program


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    require(request.param)
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project of several languages under git."""
    made = tmp_path / "project"
    made.mkdir()
    (made / "test_it.py").write_text(
        "import tempfile, subprocess, multiprocessing\n"
        "def test_it(tmp_path):\n"
        "    (tmp_path / 'x').write_text('1')\n"
        "    tempfile.TemporaryFile().close()\n"
        "    assert subprocess.run(['true']).returncode == 0\n"
    )
    (made / "Makefile").write_text("all: out.txt\nout.txt:\n\tdate > $@\n\tchmod 644 $@\n")
    package = {"name": "p", "version": "1.0.0", "scripts": {"test": "node check.js"}}
    (made / "package.json").write_text(json.dumps(package))
    (made / "check.js").write_text(
        "const fs = require('fs'); const os = require('os');\n"
        "fs.mkdtempSync(os.tmpdir() + '/x-');\n"
        "require('child_process').execSync('echo from a child', {stdio: 'inherit'});\n"
    )
    (made / "src").mkdir()
    (made / "Cargo.toml").write_text('[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n')
    (made / "src" / "main.rs").write_text('fn main() { println!("from rust"); }\n')
    (made / "main.c").write_text('#include <stdio.h>\nint main() { puts("from c"); }\n')
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(made)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    return made


def _works(project: Path, backend: str, line: str, mode: str = "safe") -> str:
    with commands_in(project, mode, backend) as made:
        done = run(made, line, timeout=120.0)
    assert done.state.exit_code == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()


@pytest.mark.requirement("coding-exec-everyday")
def test_git_reads(project: Path, backend: str) -> None:
    (project / "new.txt").touch()
    line = "git status --short && git diff --stat && git log --oneline"
    assert "?? new.txt" in _works(project, backend, line)


@pytest.mark.requirement("coding-exec-everyday")
def test_a_virtual_environment_is_made_and_used(project: Path, backend: str) -> None:
    line = (
        "python3 -m venv --without-pip .venv && .venv/bin/python -c 'import sys; print(sys.prefix)'"
    )
    assert ".venv" in _works(project, backend, line)


@pytest.mark.requirement("coding-exec-everyday")
def test_pytest_runs(project: Path, backend: str) -> None:
    need_program("python")
    assert "1 passed" in _works(project, backend, "python -m pytest -q test_it.py")


@pytest.mark.requirement("coding-exec-everyday")
def test_make_runs(project: Path, backend: str) -> None:
    need_program("make")
    _works(project, backend, "make -j2")
    assert (project / "out.txt").stat().st_mode & 0o777 == 0o644


@pytest.mark.requirement("coding-exec-everyday")
def test_npm_test_runs(project: Path, backend: str) -> None:
    need_program("npm")
    assert "from a child" in _works(project, backend, "npm test")


@pytest.mark.requirement("coding-exec-everyday")
def test_a_compiler_runs(project: Path, backend: str) -> None:
    need_program("cc")
    assert "from c" in _works(project, backend, "cc -O1 -o prog main.c && ./prog")


@pytest.mark.requirement("coding-exec-everyday")
def test_cargo_builds(project: Path, backend: str) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed here")
    line = "cargo build --offline -q && target/debug/p"
    assert "from rust" in _works(project, backend, line)


@pytest.mark.requirement("coding-exec-everyday")
def test_pip_installs_in_trusted_mode(project: Path, backend: str) -> None:
    package = project / "pkg"
    package.mkdir()
    (package / "pyproject.toml").write_text(
        '[project]\nname = "tiny-example"\nversion = "1"\n'
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    (package / "backend.py").write_text(_BACKEND)
    line = (
        "python3 -m venv .venv && .venv/bin/pip install -q --no-index --no-build-isolation ./pkg"
        " && .venv/bin/python -c 'import tiny_example; print(tiny_example.ok)'"
    )
    assert "yes" in _works(project, backend, line, "trusted")


_BACKEND = """
import zipfile

def build_wheel(directory, config_settings=None, metadata_directory=None):
    name = "tiny_example-1-py3-none-any.whl"
    with zipfile.ZipFile(directory + "/" + name, "w") as wheel:
        wheel.writestr("tiny_example.py", "ok = 'yes'")
        meta = "Metadata-Version: 2.1\\nName: tiny-example\\nVersion: 1\\n"
        wheel.writestr("tiny_example-1.dist-info/METADATA", meta)
        tag = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr("tiny_example-1.dist-info/WHEEL", tag)
        wheel.writestr("tiny_example-1.dist-info/RECORD", "")
    return name
"""


@pytest.mark.requirement("coding-exec-everyday")
def test_file_modes_and_times_can_be_set_inside(project: Path, backend: str) -> None:
    line = (
        "chmod 700 main.c && touch -d 2001-02-03 main.c && cp -p main.c copy.c"
        " && chmod u+x,g-r copy.c && chmod --reference=Makefile src/main.rs"
        " && ln -s main.c l && touch -h -d 2001-02-03 l"
        " && stat -c '%a %Y' main.c copy.c"
    )
    said = _works(project, backend, line).split("\n")
    assert said[0].startswith("700 98")
    assert said[1].startswith("700 98")
    assert os.stat(project / "main.c").st_mode & 0o777 == 0o700


def test_commits_are_made_only_where_git_writes_are_allowed(project: Path, backend: str) -> None:
    line = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second"
    with commands_in(project, "safe", backend) as held:
        assert run(held, line).state.exit_code != 0
    with commands_in(project, "safe", backend, git_writes=True) as free:
        assert run(free, line).state.exit_code == 0
    log = subprocess.run(
        ["git", "-C", str(project), "log", "--oneline"], check=True, capture_output=True
    )
    assert len(log.stdout.splitlines()) == 2


@pytest.mark.requirement("coding-exec-everyday")
@pytest.mark.parametrize("mode", ["safe", "trusted"])
def test_a_toolchain_below_tmp_that_path_names_is_seen_and_cannot_be_changed(
    project: Path, backend: str, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tool chain" / "bin"
    tools.mkdir(parents=True)
    (tools / "greet").write_text("#!/bin/sh\necho hello from below tmp\n")
    (tools / "greet").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    assert _works(project, backend, "greet", mode) == "hello from below tmp\n"
    if mode == "safe":
        _works(project, backend, f"! touch '{tools}/more' 2>/dev/null")
        assert sorted(os.listdir(tools)) == ["greet"]
    assert _works(project, backend, "echo x > /tmp/own && cat /tmp/own", mode) == "x\n"
