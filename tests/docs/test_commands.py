"""Every command on the first pages runs from an empty directory, as it is printed."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPO

pytestmark = pytest.mark.requirement("meta-commands-run")
_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_IN_TABLE = re.compile(r"`(redline config [\w-]+ --write)`")
_ID = re.compile(r"(?<=change )[a-z0-9]{8}\b|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{8}(?=  )")
_AGO = re.compile(r"\d+ (?:s|min) ago")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """An empty directory, and the environment of a person who has Redline and some clients."""
    programs = tmp_path / "bin"
    programs.mkdir()
    start = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m redline "$@"\n'
    (programs / "redline").write_text(start)
    (programs / "redline").chmod(0o755)
    (tmp_path / "empty").mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("REDLINE_", "XDG_"))}
    env |= {
        "PATH": f"{programs}:{env['PATH']}",
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(REPO / "src"),
        "REDLINE_PORT": "0",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    env.pop("CODEX_HOME", None)
    for client in (".codex", ".gemini", ".config/Claude", ".codeium/windsurf"):
        (tmp_path / "home" / client).mkdir(parents=True)
    return tmp_path / "empty", env


def _printed_commands(page: str) -> list[list[str]]:
    """The redline commands of each indented block and table of a page, in order."""
    blocks: list[list[str]] = [[]]
    for line in (REPO / page).read_text("utf-8").splitlines():
        if line.startswith("    redline "):
            blocks[-1].append(line.partition("  #")[0].strip())
        elif line.startswith("|"):
            blocks[-1] += _IN_TABLE.findall(line)
        else:
            blocks.append([])
    return [block for block in blocks if block]


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_the_commands_of_a_page_run(page: str, place: tuple[Path, dict[str, str]]) -> None:
    folder, env = place
    blocks = _printed_commands(page)
    assert sum(map(len, blocks)) > 3
    steps = [(folder / str(n), command) for n, block in enumerate(blocks) for command in block]
    for folder, command in steps:
        folder.mkdir(exist_ok=True)
        assert "DIR" not in command.split(), "a placeholder cannot be run"
        if command.startswith(("redline serve", "redline review")):
            _serve(command, folder, env)
            continue
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=120
        )
        # Nothing has changed yet, which log, show and undo say with 3.
        assert done.returncode in (0, 3), (command, done.stderr)


def _serve(command: str, folder: Path, env: dict[str, str]) -> None:
    server = subprocess.Popen(
        shlex.split(command),
        cwd=folder,
        env={**env, "BROWSER": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert server.stdout is not None
    try:
        assert server.stdout.readline().startswith(("Redline serves", "review http://127.0.0.1:"))
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


def test_the_tutorial_prints_what_it_shows(place: tuple[Path, dict[str, str]]) -> None:
    folder, env = place
    steps: list[tuple[str, list[str]]] = []
    for block in _CONSOLE.findall((REPO / "docs" / "tutorial.md").read_text("utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    assert len(steps) > 12
    for command, shown in steps:
        if command.endswith("cd shop"):
            (folder / "shop").mkdir()
            folder /= "shop"
            continue
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, (command, done.stderr)
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        assert len(printed) == len(shown), (command, printed)
        for line, pattern in zip(printed, map(_pattern, shown), strict=True):
            assert re.fullmatch(pattern, line), (command, line, pattern)


def _pattern(shown: str) -> str:
    """A printed line as an expression: ids, times and the width of columns may differ."""
    text = _ID.sub("<id>", shown.rstrip())
    if "<id>" not in text:
        return re.escape(shown.rstrip())
    text = _TIME.sub("<time>", _AGO.sub("<ago>", text))
    escaped = re.sub(r"(?:\\ )+", " +", re.escape(text))
    for mark, expression in (
        ("id", r"[a-z0-9]{8}"),
        ("ago", r"\d+ \w+ ago"),
        ("time", r"[\d :-]+"),
    ):
        escaped = escaped.replace(f"<{mark}>", expression)
    return escaped
