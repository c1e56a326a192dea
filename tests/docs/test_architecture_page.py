"""The walks of docs/architecture.md name functions that exist and run in that order."""

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

from redline.server.calls.catalog import Catalog, load_toolsets
from redline.server.calls.tool_server import ToolServer
from redline.server.stdio import serve_stdio
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.support import REPO

PAGE = (REPO / "docs" / "architecture.md").read_text("utf-8")
SOURCE = REPO / "src" / "redline"


def walk() -> list[str]:
    """The functions of "The life of an edit", such as `server.stdio:serve_stdio`, in order."""
    section = PAGE.split("## The life of an edit\n")[1].split("\n## ")[0]
    return re.findall(r"`([a-z_.]+:[A-Za-z_.]+)`", section)


def test_every_function_of_the_life_of_an_edit_exists() -> None:
    assert len(walk()) > 15
    for name in walk():
        module, _, attributes = name.partition(":")
        found: Any = import_module(f"redline.{module}")
        for attribute in attributes.split("."):
            found = getattr(found, attribute)


def test_an_edit_passes_the_functions_of_its_life_in_that_order(tmp_path: Path) -> None:
    called = _called_by_an_edit(tmp_path)
    assert (tmp_path / "workspace" / "a.txt").read_text() == "new\n"
    named = [name for name in walk() if name in called]
    assert named == walk()
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
