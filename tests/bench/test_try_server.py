"""bench.programs.try_server tries any MCP server: its own, one that is careless, one from npm."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import NODE, NODE_MODULES, REPO, need_node

NAIVE = [sys.executable, str(Path(__file__).with_name("naive_server.py"))]
OURS = [sys.executable, "-m", "redline", "serve", "--stdio", "--no-record", "--tools", "files"]


def _bench(server: list[str], *flags: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "bench.programs.try_server", *flags, "--", *server]
    return subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False, cwd=REPO)


def _try(server: list[str], *flags: str) -> Any:
    done = _bench(server, "--json", "--calls", "2", *flags)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.requirement("meta-bench-server")
def test_our_own_server_makes_every_edit_right() -> None:
    done = _bench([*OURS, "--allow-write", "{dir}"], "--edits", "25", "--calls", "3", "--seed", "4")
    assert done.returncode == 0, done.stderr
    assert "tool edit_file" in done.stdout
    assert "seed 4" in done.stdout
    assert "wrong: 0" in done.stdout
    assert "calls: 25" in done.stdout
    assert "edit one line (edit_file)" in done.stdout
    assert "read a small file (read_file)" in done.stdout
    assert "should | noise" in done.stdout


@pytest.mark.requirement("meta-bench-server")
def test_a_careless_server_is_shown_as_such_and_the_same_again() -> None:
    first = _try(NAIVE, "--edits", "60")
    assert first["tool"] == "replace_text"
    assert first["server"] == "naive 1"
    assert first["summary"]["wrong"] > 0  # the first of two places is not what was meant
    assert 0 < first["summary"]["applied exactly"] < first["summary"]["should apply"]
    again, other = _try(NAIVE, "--edits", "60"), _try(NAIVE, "--edits", "60", "--seed", "2")
    assert again["noise"] == first["noise"]
    assert other["noise"] != first["noise"]


@pytest.mark.requirement("meta-bench-server")
@pytest.mark.parametrize(
    ("server", "flags", "words"),
    [
        ([*NAIVE, "toolless"], [], "no tool that takes old and new text"),
        ([*NAIVE, "ends"], [], "ended before it answered: tools/call"),
        ([*NAIVE, "silent"], ["--timeout", "3"], "gave no answer in 3 s"),
        (["/nonexistent/server"], [], "cannot be started"),
        (NAIVE, ["--tool", "other"], "other"),
    ],
)
def test_a_server_that_cannot_be_tried_is_named_with_the_reason(
    server: list[str], flags: list[str], words: str
) -> None:
    done = _bench(server, *flags)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stdout == ""


@pytest.mark.requirement("meta-bench-server")
def test_a_server_from_npm_is_tried() -> None:
    need_node()
    program = NODE_MODULES / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js"
    found = _try([str(NODE), str(program), "{dir}"], "--edits", "20")
    assert found["tool"] == "edit_file"
    assert found["summary"]["calls"] == 20
    assert [row["latency"] for row in found["latency"]][-1] == "edit one line (edit_file)"
