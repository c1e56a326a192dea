"""Every known attack on a native parser costs a worker, never the server."""

from __future__ import annotations

import os
import statistics
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.processor import queued_seconds, seconds_to_end, used_by_ended_children
from tests.support import LONG
from tests.wire.client import Client, connect

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, makes pipes")
PROBES = tomllib.loads((Path(__file__).parent / "parsers.toml").read_text())["probe"]
CONTEXT = "ai_code_editing.get_code_context"
EDIT = "ai_code_editing.edit_file"
WANTED = {"symbol": "wanted", "kind": "definition"}
# The promise is 100 ms; what client and server waited for a processor does not count. A single
# answer may be late all the same, on a machine whose disk others use.
_PING = 0.1
_LATE_PING = 1.0
_ANSWER = 60.0
# Every call on a file that is too much waits for the limit: in the short form for a short one.
_BRIEF = {} if LONG else {"REDLINE_TEST_TOOLSET": "tests.probes.brief_parsers"}
_TOOLS = ["--tools", "code" if LONG else "code,fixtures"]
# The native parsers by the names of their libraries: the server itself loads none.
_PARSERS = ("ast_grep", "pygit2", "libgit2", "PIL", "_imaging", "tree_sitter")


def _make(work: Path, probe: dict[str, Any]) -> None:
    work.mkdir(exist_ok=True)
    (work / "good.py").write_text("def wanted():\n    return 1\n\n\nwanted()\n")
    body = probe.get("head", "") + probe["text"] * probe["times"] + probe.get("tail", "")
    (work / probe["file"]).write_text(body)


def _answer(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The answer to a call; pings that are sent meanwhile are answered at once."""
    started = client.start("tools/call", {"name": tool, "arguments": arguments})
    ends = time.monotonic() + _ANSWER
    waits: list[float] = []
    while started[1].empty() and time.monotonic() < ends:
        both = client.process.pid, os.getpid()
        queued, sent = queued_seconds(*both), time.monotonic()
        client.request("ping")
        waits.append(time.monotonic() - sent - (queued_seconds(*both) - queued))
        time.sleep(0.02)  # between two measurements
    reply = client.finish(started, timeout=1.0)
    if waits:
        assert statistics.median(waits) < _PING
        assert max(waits) < _LATE_PING
    assert "result" in reply, reply
    return reply["result"]  # type: ignore[no-any-return]


def _parsers_in(pid: int) -> list[str]:
    maps = Path(f"/proc/{pid}/maps").read_text()
    return [name for name in _PARSERS if f"/{name}" in maps]


@pytest.mark.requirement("parsers-not-in-the-server")
@pytest.mark.parametrize("probe", PROBES, ids=[probe["id"] for probe in PROBES])
def test_the_server_outlives_every_file(probe: dict[str, Any], tmp_path: Path) -> None:
    work = tmp_path / "work"
    _make(work, probe)
    with connect("stdio", _TOOLS, cwd=work, env=_BRIEF) as client:
        found = _answer(client, CONTEXT, WANTED)
        if probe.get("left_out"):
            assert "good.py" in str(found["structuredContent"]["snippets"])
            assert probe["file"] in " ".join(found["structuredContent"]["warnings"])
        _answer(client, CONTEXT, {"file": probe["file"], "kind": "outline"})
        edit = {"target_file": probe["file"], "edit_instruction": "insert", "edit_type": "insert"}
        edited = _answer(client, EDIT, {**edit, "start_line": 1, "code_block": "# hello\n"})
        assert not edited.get("isError"), edited
        assert (work / probe["file"]).read_text().startswith("# hello\n")
        assert _parsers_in(client.process.pid) == []


@pytest.mark.requirement("parsers-do-not-hold-the-end")
@pytest.mark.parametrize("probe", PROBES, ids=[probe["id"] for probe in PROBES])
def test_the_server_ends_in_time_while_a_parser_is_at_work(
    probe: dict[str, Any], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    _make(work, probe)
    client = connect("stdio", ["--tools", "code"], cwd=work)
    try:
        client.start("tools/call", {"name": CONTEXT, "arguments": WANTED})
        client.request("ping")
        assert seconds_to_end(client.process) < 5
    finally:
        client.close()


@pytest.mark.requirement("parsers-fail-once")
def test_what_broke_a_parser_is_remembered_by_the_next_server(tmp_path: Path) -> None:
    work = tmp_path / "work"
    crashing = next(probe for probe in PROBES if probe["id"] == "yaml-sequences")
    _make(work, crashing)
    state = {"REDLINE_STATE_DIR": str(tmp_path / "state")}
    used: list[float] = []
    for _ in range(2):
        with connect("stdio", ["--tools", "code"], cwd=work, env=state) as client:
            found = _answer(client, CONTEXT, {"file": crashing["file"], "kind": "outline"})
            assert crashing["file"] in " ".join(found["structuredContent"]["warnings"])
            used.append(used_by_ended_children(client.process.pid))
    assert used[0] > 0
    assert used[1] == 0, "another worker was given the file"


@pytest.mark.requirement("parsers-not-in-the-server")
def test_git_and_pictures_are_read_elsewhere(tmp_path: Path) -> None:
    from io import BytesIO
    from subprocess import run

    from PIL import Image

    out = BytesIO()
    Image.effect_noise((3000, 2000), 90).save(out, "PNG")
    (tmp_path / "a.png").write_bytes(out.getvalue())
    run(["git", "init", "-q", str(tmp_path)], check=True)
    with connect("stdio", ["--tools", "coding"], cwd=tmp_path) as client:
        assert "result" in client.call("git_status", {})
        assert "result" in client.call("view_image", {"path": "a.png"})
        assert _parsers_in(client.process.pid) == []


@pytest.mark.requirement("parsers-not-in-the-server")
def test_git_names_the_pipe_it_would_wait_for(tmp_path: Path) -> None:
    from subprocess import run

    run(["git", "init", "-q", str(tmp_path)], check=True)
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "a.txt").write_text("a\n")
    with connect("stdio", ["--tools", "coding"], cwd=tmp_path) as client:
        reply = _answer(client, "git_status", {})
        assert reply["isError"]
        assert ".gitignore" in str(reply["content"])
