"""Prompts and resources of the history, in both eras and over both transports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import MODERN, Client, HttpClient, connect

NAMES = ["what_changed", "undo", "review"]
Json = dict[str, Any]


@pytest.fixture(
    scope="module",
    params=[("stdio", "2025-11-25"), ("stdio", MODERN), ("http", "2024-11-05"), ("http", MODERN)],
    ids=lambda pair: " ".join(pair),
)
def client(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Client]:
    """A server in whose workspace one file was written, then edited."""
    transport, protocol = request.param
    folder = tmp_path_factory.mktemp("offers")
    args = ["--tools", "files,history"]
    with connect(transport, args, cwd=folder, protocol=protocol) as found:
        for text in ("one\n", "two\n"):
            wrote = found.call("write_file", {"path": str(folder / "a.txt"), "content": text})
            assert not wrote["result"].get("isError"), wrote
        yield found


def _result(client: Client, method: str, params: Json | None = None) -> Json:
    reply = client.request(method, params)
    assert "result" in reply, reply
    result: Json = reply["result"]
    return result


def _error(client: Client, method: str, params: Json | None = None) -> Json:
    reply = client.request(method, params)
    assert "error" in reply, reply
    error: Json = reply["error"]
    return error


def _ids(client: Client) -> list[str]:
    found = client.call("list_changes", {})["result"]["structuredContent"]["changes"]
    return [change["id"] for change in found]


@pytest.mark.requirement("server-prompts")
def test_the_prompts_are_declared_listed_and_got(client: Client) -> None:
    about = client.initialize_result or _result(client, "server/discover")
    assert {"prompts", "resources", "completions"} <= about["capabilities"].keys()
    listed = _result(client, "prompts/list")
    assert [prompt["name"] for prompt in listed["prompts"]] == NAMES
    if client.protocol == MODERN:
        assert listed["cacheScope"] == "public"
        assert listed["ttlMs"] > 0
    for name in NAMES:
        request, record = _result(client, "prompts/get", {"name": name})["messages"]
        assert request["content"]["type"] == "text"
        assert "a.txt" in record["content"]["resource"]["text"]
        assert "a.txt" not in request["content"]["text"], "names of files are not instructions"


@pytest.mark.requirement("server-prompts")
def test_a_prompt_is_about_what_its_argument_names(client: Client) -> None:
    newest, oldest = _ids(client)
    messages = _result(client, "prompts/get", {"name": "undo", "arguments": {"id": oldest}})
    assert f"change {oldest}" in messages["messages"][0]["content"]["text"]
    assert "+one" in messages["messages"][1]["content"]["resource"]["text"]
    since = _result(client, "prompts/get", {"name": "review", "arguments": {"since": newest}})
    text = since["messages"][1]["content"]["resource"]["text"]
    assert newest in text
    assert oldest not in text


@pytest.mark.requirement("server-resources")
def test_recent_changes_are_listed_and_each_can_be_read(client: Client) -> None:
    newest, oldest = _ids(client)
    listed = _result(client, "resources/list")
    addresses = [resource["uri"] for resource in listed["resources"]]
    assert addresses == [
        "redline://changes",
        f"redline://changes/{newest}",
        f"redline://changes/{oldest}",
    ]
    (template,) = _result(client, "resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "redline://changes/{id}"
    read = _result(client, "resources/read", {"uri": addresses[1]})
    (content,) = read["contents"]
    assert (content["uri"], content["mimeType"]) == (addresses[1], "text/x-diff")
    assert "-one\n+two\n" in content["text"]
    whole = _result(client, "resources/read", {"uri": addresses[0]})["contents"][0]["text"]
    assert [line.split()[0] for line in whole.splitlines()] == [newest, oldest]
    if client.protocol == MODERN:
        for result in (listed, read):
            assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
            assert result["ttlMs"] == 0


@pytest.mark.requirement("server-resources")
def test_ids_are_completed(client: Client) -> None:
    ids = _ids(client)
    for ref in (
        {"type": "ref/resource", "uri": "redline://changes/{id}"},
        {"type": "ref/prompt", "name": "undo"},
    ):
        wanted = {"ref": ref, "argument": {"name": "id", "value": ids[1]}}
        assert _result(client, "completion/complete", wanted)["completion"]["values"] == [ids[1]]
        wanted["argument"] = {"name": "id", "value": ""}
        assert _result(client, "completion/complete", wanted)["completion"]["values"] == ids
        wanted["argument"] = {"name": "other", "value": ""}
        assert _error(client, "completion/complete", wanted)["code"] == -32602


@pytest.mark.requirement("server-resources")
def test_what_does_not_exist_is_refused_with_the_code_of_the_revision(client: Client) -> None:
    unknown = -32602 if client.protocol == MODERN else -32002
    for uri in ("redline://changes/zzzz", "redline://change", "file:///etc/passwd", ""):
        error = _error(client, "resources/read", {"uri": uri})
        assert (error["code"], error["data"]) == (unknown, {"uri": uri})
    near = _error(client, "prompts/get", {"name": "what_change"})
    assert near["code"] == -32602
    assert "what_changed" in near["message"]
    for method, params in [
        ("prompts/get", {"name": "undo", "arguments": {"id": "zzzz"}}),
        ("prompts/get", {"name": "undo", "arguments": {"ids": "zzzz"}}),
        ("prompts/get", {"name": "undo", "arguments": {"id": 5}}),
        ("prompts/get", {"name": "undo", "arguments": []}),
        ("completion/complete", {"ref": {"type": "ref/tool"}, "argument": {}}),
        ("completion/complete", {}),
        *((f"{area}/list", {"cursor": "x"}) for area in ("prompts", "resources")),
        ("resources/templates/list", {"cursor": "x"}),
    ]:
        assert _error(client, method, params)["code"] == -32602, (method, params)
    for method in ("resources/subscribe", "resources/unsubscribe", "prompts/set"):
        assert _error(client, method, {"uri": "redline://changes"})["code"] == -32601


@pytest.mark.requirement("server-resources")
def test_a_request_of_the_stateless_era_repeats_its_address_in_a_header(tmp_path: Path) -> None:
    with connect("http", ["--tools", "history"], cwd=tmp_path, protocol=MODERN) as client:
        assert isinstance(client, HttpClient)
        message = client._message("resources/read", {"uri": "redline://changes"})
        for name, status in (("redline://changes", 200), ("redline://changes/1", 400), ("", 400)):
            headers = {"Mcp-Method": "resources/read", "Mcp-Name": name}
            assert client.post(json.dumps(message).encode(), headers)[0] == status


@pytest.mark.requirement("server-offers-rights")
def test_a_read_only_server_offers_no_prompt_that_changes_files(tmp_path: Path) -> None:
    with connect("stdio", ["--tools", "history", "--read-only"], cwd=tmp_path) as client:
        listed = _result(client, "prompts/list")["prompts"]
        assert [prompt["name"] for prompt in listed] == ["what_changed", "review"]
        assert _error(client, "prompts/get", {"name": "undo"})["code"] == -32602
        read = _result(client, "resources/read", {"uri": "redline://changes"})
        assert read["contents"][0]["text"] == "(no changes)"


@pytest.mark.requirement("server-offers-rights")
def test_a_server_without_the_history_declares_and_serves_neither(tmp_path: Path) -> None:
    with connect("stdio", ["--tools", "files"], cwd=tmp_path) as client:
        assert client.initialize_result["capabilities"].keys() == {"tools"}
        for method in (
            *("prompts/list", "prompts/get", "resources/list", "resources/read"),
            *("resources/templates/list", "completion/complete"),
        ):
            assert _error(client, method, {"uri": "redline://changes"})["code"] == -32601
