"""The edit tool of any server is found by its arguments, and called as it wants to be."""

from __future__ import annotations

from typing import Any

import pytest

from bench.trials.edit_tools import find_edit_tool, find_read_tool
from redline.core.errors import InvalidArgument, NotFound

EDITS = [{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}]
TEXT = {"type": "string"}


def _tool(name: str, required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required or []}
    return {"name": name, "inputSchema": schema}


def _list_of(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (
            _tool("edit_file", ["path"], path=TEXT, edits=_list_of(oldText=TEXT, newText=TEXT)),
            {"path": "p", "edits": EDITS},
        ),
        (
            _tool("Edit", file_path=TEXT, old_string=TEXT, new_string=TEXT),
            {"file_path": "p", "old_string": "a", "new_string": "b"},
        ),
        (
            _tool(
                "str_replace_based_edit_tool",
                ["command", "path"],
                command={"type": "string", "enum": ["view", "str_replace"]},
                path=TEXT,
                old_str=TEXT,
                new_str=TEXT,
            ),
            {"command": "str_replace", "path": "p", "old_str": "a", "new_str": "b"},
        ),
        (
            _tool("edit", ["edits"], edits=_list_of(path=TEXT, old=TEXT, new=TEXT)),
            {
                "edits": [
                    {"path": "p", "old": "a", "new": "b"},
                    {"path": "p", "old": "c", "new": "d"},
                ]
            },
        ),
    ],
)
def test_a_tool_is_found_by_its_arguments(tool: dict[str, Any], expected: dict[str, Any]) -> None:
    shape = find_edit_tool([_tool("read_file", ["path"], path=TEXT), tool])
    assert shape.tool == tool["name"]
    assert shape.arguments("p", EDITS if shape.takes_many else EDITS[:1]) == expected


def test_a_tool_that_wants_what_cannot_be_guessed_is_passed_over() -> None:
    odd = _tool("odd", ["lines"], path=TEXT, old=TEXT, new=TEXT, lines={"type": "integer"})
    with pytest.raises(NotFound, match="it has: odd"):
        find_edit_tool([odd])
    with pytest.raises(InvalidArgument, match="odd"):
        find_edit_tool([odd], "odd")
    assert find_edit_tool([odd, _tool("second", path=TEXT, old=TEXT, new=TEXT)]).tool == "second"


def test_a_read_tool_needs_nothing_but_a_path() -> None:
    ranged = _tool("read_file", ["path", "lines"], path=TEXT, lines=TEXT)
    assert find_read_tool([ranged]) is None
    assert find_read_tool([ranged, _tool("view", ["file"], file=TEXT)]) == ("view", "file")
