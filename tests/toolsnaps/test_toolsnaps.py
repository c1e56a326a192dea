"""Every listed tool has a snapshot, so that a change of a schema or a description is reviewed.

REDLINE_UPDATE_SNAPS=1 writes the snapshots again.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import jsonschema_rs
import pytest

from redline.server.calls.catalog import Catalog, load_toolsets, wire
from redline.toolsets import OWN
from redline.toolsets.tool import Json, Tool, Toolset, load_function

HERE = Path(__file__).parent
UPDATE = os.environ.get("REDLINE_UPDATE_SNAPS") == "1"
TOOLSETS_ON = load_toolsets(["all"])
TOOLS = [
    (toolset, tool) for toolset in (*TOOLSETS_ON, *load_toolsets([OWN])) for tool in toolset.tools
]
each_tool = pytest.mark.parametrize(
    ("toolset", "tool"), TOOLS, ids=[f"{toolset.name}-{tool.name}" for toolset, tool in TOOLS]
)


def place(toolset: str, name: str) -> Path:
    return HERE / toolset / f"{name}.json"


def compare(path: Path, listed: Json) -> None:
    text = json.dumps(listed, indent=2, ensure_ascii=True) + "\n"
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.exists(), f"no snapshot; REDLINE_UPDATE_SNAPS=1 writes it: {path.name}"
    assert path.read_text("utf-8") == text, f"the tool changed; review and update: {path.name}"


@each_tool
def test_the_tool_is_as_its_snapshot_says(toolset: Toolset, tool: Tool) -> None:
    compare(place(toolset.name, tool.name), wire(tool, toolset))


@pytest.mark.requirement("server-descriptions")
@each_tool
def test_no_tool_names_one_of_another_toolset(toolset: Toolset, tool: Tool) -> None:
    own = {each.name for each in toolset.tools}
    others = {each.name for _, each in TOOLS if "_" in each.name} - own
    words = re.findall(r"[\w.]+", json.dumps(wire(tool, toolset)))
    assert not {word.strip(".") for word in words} & others


def test_the_tool_two_toolsets_share_is_as_its_snapshot_says() -> None:
    if {"files", "coding"} <= {toolset.name for toolset in TOOLSETS_ON}:
        entry = Catalog(TOOLSETS_ON).find("read_file")
        assert entry
        compare(place("shared", "read_file"), wire(entry.tool, entry.toolset))


def test_no_snapshot_is_left_without_its_tool() -> None:
    expected = {place(toolset.name, tool.name) for toolset, tool in TOOLS}
    expected.add(place("shared", "read_file"))
    stale = sorted(str(p.relative_to(HERE)) for p in HERE.glob("*/*.json") if p not in expected)
    if UPDATE:
        for name in stale:
            (HERE / name).unlink()
        stale = []
    assert stale == []


@each_tool
def test_the_words_of_a_tool_are_plain_printable_ascii(toolset: Toolset, tool: Tool) -> None:
    text = json.dumps(wire(tool, toolset), ensure_ascii=False)
    assert text.isascii()
    assert text.isprintable()


@each_tool
def test_the_schemas_are_valid_and_their_roots_are_objects(toolset: Toolset, tool: Tool) -> None:
    for schema in (tool.input_schema, tool.output_schema):
        if schema is not None:
            assert schema["type"] == "object"
            jsonschema_rs.meta.validate(schema)


@each_tool
def test_the_hints_agree_with_what_read_only_does(toolset: Toolset, tool: Tool) -> None:
    assert tool.hints.read_only is not None
    if tool.writes:
        assert tool.hints.read_only is False, "a tool that writes is not read-only"


@each_tool
def test_the_handler_exists(toolset: Toolset, tool: Tool) -> None:
    assert callable(load_function(tool.handler))
