"""Each toolset at an address of its own, beside the toolset agent at /mcp."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from redline.server.calls.catalog import Catalog, load_toolsets
from redline.toolsets import TOOLSETS
from tests.wire.client import MODERN, HttpClient, connect

DEFAULT = {"REDLINE_TOOLS": ""}
NAMES = [*TOOLSETS, "all"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    root = tmp_path_factory.mktemp("addresses")
    (root / "a.txt").write_text("one\n")
    with connect("http", [], cwd=root, env=DEFAULT, handshake=False) as client:
        yield cast(HttpClient, client)


@pytest.fixture
def client(served: HttpClient) -> Iterator[HttpClient]:
    yield served
    served.path, served.session, served.initialize_result = "/mcp", None, {}
    served.protocol = "2025-11-25"


@pytest.mark.requirement("server-agent-by-default")
def test_agent_is_served_without_a_choice(tmp_path: Path, transport: str) -> None:
    with connect(transport, [], cwd=tmp_path, env=DEFAULT) as client:
        names = [tool["name"] for tool in client.list_tools()]
        assert names == Catalog(load_toolsets(["agent"])).names
        prompts = client.request("prompts/list")["result"]["prompts"]
        assert [each["name"] for each in prompts] == ["what_changed", "undo", "review"]
        client.call("write", {"path": "a.txt", "content": "one\n"})
        asked = client.request("prompts/get", {"name": "undo", "arguments": {}})
        assert "a.txt" in str(asked["result"]["messages"])
        listed = client.request("resources/list")["result"]["resources"]
        assert any(each["uri"].startswith("redline://changes") for each in listed)


@pytest.mark.requirement("server-toolset-addresses")
@pytest.mark.parametrize("name", NAMES)
def test_each_address_has_exactly_its_tools(client: HttpClient, name: str) -> None:
    client.path = f"/mcp/{name}"
    client.initialize()
    names = [tool["name"] for tool in client.list_tools()]
    assert names == Catalog(load_toolsets([name])).names
    client.path = "/mcp"  # a session belongs to the address where it was opened
    assert "Unknown MCP session" in str(client.request("tools/list"))


@pytest.mark.requirement("server-toolset-addresses")
def test_an_address_follows_the_profile_of_its_specification(client: HttpClient) -> None:
    client.path = "/mcp/coding"
    client.initialize()
    assert client.initialize_result["protocolVersion"] == "2025-06-18"
    client.session, client.initialize_result, client.protocol = None, {}, "2024-11-05"
    refused = client.initialize()["error"]
    assert refused["data"]["supported"] == ["2025-06-18"]
    client.path, client.session, client.initialize_result = "/mcp", None, {}
    client.protocol = "2025-11-25"
    client.initialize()
    assert client.initialize_result["protocolVersion"] == "2025-11-25"


@pytest.mark.requirement("server-toolset-addresses")
def test_a_change_at_one_address_is_undone_at_another(client: HttpClient) -> None:
    client.protocol = MODERN
    client.path = "/mcp/files"
    made = client.call("write_file", {"path": "made.txt", "content": "x\n"})
    assert not made["result"]["isError"], made
    client.path = "/mcp"
    latest = client.call("changes", {"max": 1})["result"]["content"][0]["text"].split()[0]
    undone = client.call("undo", {"id": latest})
    assert "deleted made.txt" in undone["result"]["content"][0]["text"]


@pytest.mark.requirement("server-toolset-addresses")
def test_chosen_tools_are_all_there_is(tmp_path: Path) -> None:
    with connect("http", ["--tools", "yaml"], cwd=tmp_path, handshake=False) as found:
        client = cast(HttpClient, found)
        client.path = "/mcp/all"
        assert client.post(b"{}")[0] == 404


@pytest.mark.requirement("server-toolset-addresses")
def test_no_other_name_is_served(client: HttpClient) -> None:
    for path in ("/mcp/none", "/mcp/", "/mcp/files/more", "/mcp/..%2ffiles"):
        client.path = path
        assert client.post(b"{}")[0] == 404, path
