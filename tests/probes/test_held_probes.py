"""Runs the probes of held.toml: attacks that never got through, so that they never will."""

from __future__ import annotations

import http.client
import json
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.probes.frame import Probe, each, probes
from tests.support import LONG
from tests.wire.client import Client, HttpClient, connect
from tests.wire.conftest import FIXTURES

PROBES = probes("held")
SECRET = "what nobody may see"
_PATCH = "*** Begin Patch\n*** Update File: {path}\n@@\n-what nobody may see\n+x\n*** End Patch\n"


def calls_with(path: str) -> list[tuple[str, dict[str, Any]]]:
    """One call of every tool that takes the path of a file."""
    edit = [{"oldText": SECRET, "newText": "x"}]
    return [
        ("read_file", {"path": path}),
        ("read_multiple_files", {"paths": [path]}),
        ("write_file", {"path": path, "content": "x"}),
        ("edit_file", {"path": path, "edits": edit}),
        ("edit_files", {"paths": [path], "edits": edit}),
        ("move_file", {"source": path, "destination": "moved.txt"}),
        ("move_file", {"source": "a.txt", "destination": path}),
        ("delete_file", {"path": path}),
        ("get_file_info", {"path": path}),
        ("view_image", {"path": path}),
        ("apply_patch", {"patch": _PATCH.replace("{path}", path.replace("\0", "?"))}),
        ("doc_get", {"file": path}),
        ("doc_set", {"file": path, "path": "a", "value": "1"}),
        ("doc_validate", {"file": "b.json", "schema": path}),
        ("json_editor_preview", {"document_path": path, "instruction": "set a to 1"}),
        ("ai_code_editing.get_code_context", {"file": path, "kind": "outline"}),
        ("search_text", {"query": "nobody", "path": path}),
    ]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    folder = tmp_path_factory.mktemp("held")
    work, outside = folder / "work", folder / "outside"
    work.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET + "\n")
    (work / "a.txt").write_text("one\n")
    (work / "b.json").write_text("{}")
    (work / "link.txt").symlink_to(outside / "secret.txt")
    (work / "linked").symlink_to(outside)
    with connect("stdio", ["--tools", "all"], cwd=work) as client:
        yield client, outside


@each(PROBES, "path")
def test_no_tool_leaves_the_workspace(probe: Probe, scene: tuple[Client, Path]) -> None:
    client, outside = scene
    for tool, arguments in calls_with(probe["path"].replace("{outside}", str(outside))):
        reply = client.request("tools/call", {"name": tool, "arguments": arguments})
        shown = json.dumps(reply)
        # An edit that names the text is told what it named; nothing else may show it.
        assert tool in ("edit_file", "edit_files", "apply_patch") or SECRET not in shown, shown
        assert "Internal error" not in shown, shown
        assert (outside / "secret.txt").read_text() == SECRET + "\n", tool
        assert sorted(os.listdir(outside)) == ["secret.txt"], tool


@each(PROBES, "race")
def test_swapping_a_directory_for_a_link_leads_nowhere(probe: Probe, tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / "real").mkdir(parents=True)
    (work / "real" / "f.txt").write_text("inside\n")
    outside.mkdir()
    (outside / "f.txt").write_text(SECRET)
    (work / "other").symlink_to(outside)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            os.rename(work / "real", work / "aside")
            os.rename(work / "other", work / "real")
            os.rename(work / "real", work / "other")
            os.rename(work / "aside", work / "real")

    swapper = threading.Thread(target=swap)
    with connect("stdio", ["--tools", "coding"], cwd=work) as client:
        swapper.start()
        try:
            for _ in range(probe["long_rounds"] if LONG else probe["rounds"]):
                reply = client.request(
                    "tools/call", {"name": "read_file", "arguments": {"path": "real/f.txt"}}
                )
                assert SECRET not in json.dumps(reply)
        finally:
            done.set()
            swapper.join()


@each(PROBES, "origin")
def test_other_sites_are_refused(probe: Probe, tmp_path: Path) -> None:
    with connect("http", ["--tools", "fixtures"], cwd=tmp_path, env=FIXTURES) as client:
        assert isinstance(client, HttpClient)
        one = http.client.HTTPConnection("127.0.0.1", client.port, timeout=10)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        one.request("POST", "/mcp", body, {**headers, **probe["headers"]})
        assert one.getresponse().status in (403, 421)
        one.close()


def damaged(data: bytes, how: str) -> bytes:
    if how == "cut":
        return data[: len(data) // 2]
    if how == "zeros":
        return bytes(len(data))
    rng = random.Random(len(data))
    changed = bytearray(data)
    for _ in range(max(1, len(data) // 50)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


@each(PROBES, "journal")
def test_a_damaged_history_stops_no_work(probe: Probe, tmp_path: Path) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    work.mkdir()
    (work / "a.txt").write_text("0\n")
    env = {"REDLINE_STATE_DIR": str(state)}
    with connect("stdio", ["--tools", "files,history"], cwd=work, env=env) as client:
        for n in range(5):
            edits = [{"oldText": f"{n}\n", "newText": f"{n + 1}\n"}]
            client.call("edit_file", {"path": str(work / "a.txt"), "edits": edits})
    for file in state.rglob("*"):
        if file.is_file() and file.stat().st_size:
            file.write_bytes(damaged(file.read_bytes(), probe["damage"]))
    with connect("stdio", ["--tools", "files,history"], cwd=work, env=env) as client:
        client.request("tools/call", {"name": "list_changes", "arguments": {}})
        edits = [{"oldText": "5\n", "newText": "6\n"}]
        client.call("edit_file", {"path": str(work / "a.txt"), "edits": edits})
        assert (work / "a.txt").read_text() in ("5\n", "6\n")
        assert "Traceback" not in client.stderr
