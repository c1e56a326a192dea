"""Which tools are on, under which names, and who answers a shared one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest

from redline.server.calls.catalog import Catalog, CatalogError, load_toolsets
from redline.toolsets.coding_tools import tools as coding_tools
from redline.toolsets.tool import READS, Client, Json, ProtocolProfile, Tool, Toolset


class Root(NamedTuple):
    path: str


def tool(name: str, *properties: str, **changes: Any) -> Tool:
    schema: Json = {
        "type": "object",
        "properties": {p: {"type": "string"} for p in properties},
        "required": list(properties[:1]),
    }
    return Tool(name, name.title(), f"Does {name}.", schema, "m:f", READS)._replace(**changes)


def toolset(name: str, *tools: Tool, **changes: Any) -> Toolset:
    return Toolset(name, name, tools, "m:w")._replace(**changes)


CODING = toolset(
    "coding",
    tool("read_file", "path", "start_line", "max_bytes"),
    tool("list_dir"),
    profile=coding_tools.TOOLSET.profile,
)
RUNTIME = cast(Any, SimpleNamespace(workspace=SimpleNamespace(roots=[Root("/space")])))
FILES = toolset("files", tool("read_file", "path", "start_line", "head"), tool("write_file"))


def test_two_toolsets_with_one_name_are_refused() -> None:
    with pytest.raises(CatalogError, match="yaml and docs both have a tool get"):
        Catalog([toolset("yaml", tool("get")), toolset("docs", tool("get"))])


def test_files_and_coding_share_one_read_file_that_takes_both_shapes() -> None:
    catalog = Catalog([CODING, FILES])
    assert catalog.names == ["read_file", "list_dir", "write_file"]
    shared = catalog.find("read_file")
    assert shared is not None
    properties = shared.tool.input_schema["properties"]
    assert set(properties) == {"path", "start_line", "max_bytes", "head"}
    assert shared.tool.input_schema["required"] == ["path"]
    assert shared.tool.output_schema is None, "the two answer in different shapes"


@pytest.mark.parametrize(
    ("arguments", "answers"),
    [
        ({"path": "src/a.py"}, "coding"),
        ({"path": "/src/a.py"}, "files"),
        ({"path": "C:\\a"}, "coding"),
        ({"path": "a", "head": "1"}, "files"),
        ({"path": "a", "max_bytes": "1"}, "coding"),
        ({"path": "/a", "max_bytes": "1"}, "coding"),
        ({"path": "/a", "start_line": "1"}, "files"),
        ({"path": "a", "nonsense": 1}, "coding"),
        ({}, "coding"),
        ({"path": 3}, "coding"),
    ],
)
def test_the_shared_read_file_is_answered_by_the_toolset_whose_shape_was_used(
    arguments: Json, answers: str
) -> None:
    for order in ([CODING, FILES], [FILES, CODING]):
        catalog = Catalog(order)
        listed = catalog.find("read_file")
        assert listed is not None
        entry, _ = catalog.route(listed, arguments, RUNTIME)
        assert entry.toolset.name == answers


def test_an_absolute_path_inside_the_workspace_reaches_coding_as_a_relative_one() -> None:
    catalog = Catalog([CODING, FILES])
    listed = catalog.find("read_file")
    assert listed is not None
    for given, expected in (("/space/a.py", "a.py"), ("/elsewhere/a.py", "/elsewhere/a.py")):
        arguments = {"path": given, "max_bytes": 9}
        entry, changed = catalog.route(listed, arguments, RUNTIME)
        assert (entry.toolset.name, changed) == ("coding", {**arguments, "path": expected})


def test_several_toolsets_follow_mcp_and_one_alone_its_specification() -> None:
    assert Catalog([CODING, FILES]).profile == ProtocolProfile()
    assert Catalog([CODING]).profile is CODING.profile


def test_one_toolset_alone_keeps_its_own_read_file() -> None:
    catalog = Catalog([FILES])
    listed = catalog.find("read_file")
    assert listed is not None
    arguments = {"path": "relative"}
    assert catalog.route(listed, arguments, RUNTIME) == (listed, arguments)


def test_read_only_drops_tools_that_write_but_still_knows_them() -> None:
    writer = tool("write_file", writes=True, aliases=("save",))
    catalog = Catalog([toolset("files", tool("read_file"), writer)], read_only=True)
    assert catalog.names == ["read_file"]
    for name in ("write_file", "save"):
        found = catalog.find(name)
        assert found is not None
        assert catalog.is_refused(found)


def test_a_tool_can_be_left_out_by_name() -> None:
    catalog = Catalog([CODING], without=("list_dir",))
    assert catalog.names == ["read_file"]
    assert catalog.find("list_dir") is None


@pytest.mark.parametrize(
    ("how", "client", "listed"),
    [
        ("auto", "cursor", "a.b"),
        ("auto", "claude-ai", "a_b"),
        ("auto", "Claude Desktop", "a_b"),
        ("original", "claude-ai", "a.b"),
        ("portable", "cursor", "a_b"),
    ],
)
def test_dots_in_names_depend_on_the_client_and_the_flag(
    how: str, client: str, listed: str
) -> None:
    catalog = Catalog([toolset("code", tool("a.b"))], tool_names=how)
    assert [t["name"] for t in catalog.list(Client(name=client))] == [listed]
    assert catalog.find("a.b") is catalog.find("a_b") is not None


def without_output(listed: Json, client: Client) -> Json:
    """An adapt function: older revisions have no outputSchema."""
    if client.protocol >= "2025-06-18":
        return listed
    return {key: value for key, value in listed.items() if key != "outputSchema"}


def test_a_toolset_may_adapt_its_tools_to_the_client() -> None:
    shown = tool("x", output_schema={"type": "object"})
    adapting = toolset("files", shown, adapt=f"{__name__}:without_output")
    catalog = Catalog([adapting])
    assert "outputSchema" not in catalog.list(Client(protocol="2024-11-05"))[0]
    assert "outputSchema" in catalog.list(Client(protocol="2025-06-18"))[0]


def test_the_list_is_the_same_whatever_order_toolsets_are_named_in() -> None:
    names = [d.name for d in load_toolsets(["history", "files"])]
    assert names == [d.name for d in load_toolsets(["files", "history"])]
    assert Catalog(load_toolsets(["all"])).names == Catalog(load_toolsets(["all"])).names


def test_an_unknown_toolset_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(CatalogError, match=r"No such toolset: nope .*history"):
        load_toolsets(["files", "nope"])


def test_every_toolset_is_on_by_default() -> None:
    from redline.toolsets import OWN, TOOLSETS

    assert [d.name for d in load_toolsets(["all"])] == [n for n in TOOLSETS if n != OWN]
