"""The walks name functions that exist and run in that order; the map names folders that exist."""

from __future__ import annotations

import io
import json
import re
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from redline.server.calls.catalog import Catalog, load_toolsets
from redline.server.calls.tool_server import ToolServer
from redline.server.stdio import serve_stdio
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.support import REPO
from tests.walks import take

PAGE = (REPO / "docs" / "architecture.md").read_text("utf-8")
WALKS = REPO / "docs" / "walks"
SOURCE = REPO / "src" / "redline"
# What each page but that of an edit is told by: calls of `tests.walks`, one after the other.
TOLD_BY = {
    "context": ("context",),
    "preview": ("preview", "apply"),
    "run": ("run",),
    "undo": ("undo",),
}


def walk(page: str) -> list[str]:
    """The functions that a page names, such as `server.stdio:serve_stdio`, in order."""
    return re.findall(r"`([a-z_.]+:[A-Za-z_.]+)`", (WALKS / f"{page}.md").read_text("utf-8"))


@pytest.mark.parametrize("page", ["edit", *TOLD_BY])
def test_every_function_of_a_walk_exists(page: str) -> None:
    assert len(walk(page)) > 12
    for name in walk(page):
        module, _, attributes = name.partition(":")
        found: Any = import_module(f"redline.{module}")
        for attribute in attributes.split("."):
            found = getattr(found, attribute)


def test_there_is_a_page_for_each_walk() -> None:
    assert sorted(page.stem for page in WALKS.glob("*.md")) == sorted(["edit", *TOLD_BY])
    assert re.findall(r"\(walks/([a-z]+)\.md\)", PAGE) == [
        "edit",
        "preview",
        "run",
        "undo",
        "context",
    ]


@pytest.mark.requirement("server-walk-pages")
def test_an_edit_passes_the_functions_of_its_walk_in_that_order(tmp_path: Path) -> None:
    called = _called_by_an_edit(tmp_path)
    assert (tmp_path / "workspace" / "a.txt").read_text() == "new\n"
    _compare(walk("edit"), called)


@pytest.mark.requirement("server-walk-pages")
@pytest.mark.parametrize("page", TOLD_BY)
def test_a_call_passes_the_functions_of_its_walk_in_that_order(page: str, tmp_path: Path) -> None:
    called: dict[str, None] = {}
    for name in TOLD_BY[page]:
        home = tmp_path / name
        home.mkdir()
        called.update(dict.fromkeys(take(name, home, in_threads=True).calls))
    _compare(walk(page), list(called))


def _compare(named: list[str], called: list[str]) -> None:
    assert [name for name in named if name not in called] == []
    assert named == sorted(named, key=called.index)


def _called_by_an_edit(home: Path) -> list[str]:
    """Every function of Redline that one `edit_file` over stdio calls, by its first call."""
    workspace = home / "workspace"
    workspace.mkdir()
    (workspace / "a.txt").write_text("old\n")
    called: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{SOURCE}/"):
            module = Path(code.co_filename).relative_to(SOURCE).with_suffix("")
            called.setdefault(f"{'.'.join(module.parts)}:{code.co_qualname}")

    settings = Settings(workspace=str(workspace), state_dir=str(home / "state"))
    with Redline(settings) as redline:
        server = ToolServer(Catalog(load_toolsets(["files"])), redline)
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            serve_stdio(server, io.BytesIO(_messages(workspace)), io.BytesIO())
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return list(called)


def _messages(workspace: Path) -> bytes:
    edits = [{"oldText": "old", "newText": "new"}]
    arguments = {"path": str(workspace / "a.txt"), "edits": edits}
    info = {"clientInfo": {"name": "walk", "version": "1"}, "capabilities": {}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", **info}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "edit_file", "arguments": arguments}},
    ]
    return b"".join(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in messages)


def test_every_folder_and_module_the_map_names_exists() -> None:
    section = PAGE.split("## The map\n")[1].split("\n## ")[0]
    first = re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", section, re.MULTILINE)
    named = [name for cell in first for name in re.findall(r"`([^`]+)`", cell)]
    assert len(named) > 12
    assert [name for name in named if not (SOURCE / name).exists()] == []
