"""How this toolset stands on the wire: listing, revisions, flags, and errors of the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.toolsets.files.conftest import Desk
from tests.wire.client import connect

TOOLS = [
    "read_file",
    "read_multiple_files",
    "write_file",
    "create_directory",
    "list_directory",
    "directory_tree",
    "move_file",
    "delete_file",
    "get_file_info",
    "list_allowed_directories",
    "edit_file",
    "edit_files",
    "search_files",
    "grep_files",
    "glob_search",
    "execute_command",
]
STRUCTURED = {
    "get_file_info",
    "list_directory",
    "directory_tree",
    "list_allowed_directories",
    "glob_search",
    "search_files",
    "grep_files",
    "execute_command",
}


@pytest.mark.requirement("files-tools")
def test_all_sixteen_tools_are_listed(desk: Desk) -> None:
    assert [tool["name"] for tool in desk.client.list_tools()] == TOOLS


@pytest.mark.requirement("files-parameters")
def test_every_parameter_has_its_name_and_type(desk: Desk) -> None:
    listed = {tool["name"]: tool["inputSchema"] for tool in desk.client.list_tools()}

    def types(name: str) -> dict[str, Any]:
        return {key: value["type"] for key, value in listed[name]["properties"].items()}

    dry = {"dryRun": "boolean"}  # every tool that changes something has a dry run
    assert types("write_file") == {"path": "string", "content": "string", **dry}
    assert types("create_directory") == types("delete_file") == {"path": "string", **dry}
    assert types("directory_tree") == {"path": "string", "depth": "integer"}
    ours = {"compact": "boolean"}  # shorter answers on request, beside the specification's
    encoding = {"encoding": "string"}  # overrides what is detected
    many = {"paths": "array", "edits": "array", **dry, **encoding}
    assert types("edit_files") == {**many, **ours}
    assert types("edit_file") == {"path": "string", "edits": "array", **dry, **encoding}
    for tool in ("edit_file", "edit_files"):
        item = listed[tool]["properties"]["edits"]["items"]
        assert {key: value["type"] for key, value in item["properties"].items()} == {
            "oldText": "string",
            "newText": "string",
            "limit": "integer",
            "isRegex": "boolean",
            "caseInsensitive": "boolean",
        }
        assert item["required"] == ["oldText"]
    assert types("grep_files") == {
        "regex": "string",
        "directory": "string",
        "globs": "array",
        "excludeGlobs": "array",
        "caseInsensitive": "boolean",
        "contextLines": "integer",
        "maxResults": "integer",
        **ours,
    }
    assert types("glob_search") == {
        "directory": "string",
        "globs": "array",
        "excludeGlobs": "array",
        "max": "integer",
        **ours,
    }
    assert types("execute_command") == {
        "command": "string",
        "workingDirectory": "string",
        "timeout": "integer",
        **dry,
    }
    for name in ("read_file", "list_directory", "delete_file", "get_file_info"):
        assert listed[name]["required"] == ["path"]


def test_annotations_tell_the_truth(desk: Desk) -> None:
    hints = {tool["name"]: tool["annotations"] for tool in desk.client.list_tools()}
    writing = {"write_file", "create_directory", "move_file", "delete_file", "edit_file"}
    writing |= {"edit_files", "execute_command"}
    for name in TOOLS:
        if name not in writing:
            assert hints[name] == {"readOnlyHint": True, "openWorldHint": False}
    assert hints["execute_command"]["openWorldHint"] is True
    assert hints["create_directory"]["destructiveHint"] is False
    assert hints["delete_file"]["destructiveHint"] is True


def test_the_newer_revisions_get_structured_results(desk: Desk) -> None:
    listed = {tool["name"] for tool in desk.client.list_tools() if "outputSchema" in tool}
    assert listed == STRUCTURED


@pytest.mark.requirement("files-gate-old-search")
def test_the_oldest_revision_gets_none(old_desk: Desk) -> None:
    assert not any("outputSchema" in tool for tool in old_desk.client.list_tools())
    for name, arguments in (
        ("get_file_info", {"path": old_desk.here}),
        ("list_directory", {"path": old_desk.here}),
        ("directory_tree", {"path": old_desk.here}),
        ("list_allowed_directories", {}),
        ("grep_files", {"directory": old_desk.here, "regex": "x"}),
        ("execute_command", {"command": "true"}),
    ):
        assert "structuredContent" not in old_desk.call(name, **arguments)


@pytest.mark.requirement("files-code-parse", "files-code-invalid-request", "files-code-method")
def test_errors_of_the_protocol(stdio_desk: Desk) -> None:
    client: Any = stdio_desk.client
    for line, code in ((b"{nonsense", -32700), (b"[]", -32600), (b'"text"', -32600)):
        client.send_raw(line)
        answer = client.next_stray()
        assert (answer["id"], answer["error"]["code"]) == (None, code)
    assert client.request("no/such")["error"]["code"] == -32601
    assert client.call("no_such_tool")["error"]["code"] == -32601


def test_requests_are_served_before_the_handshake(tmp_path: Path) -> None:
    args = ["--tools", "files", "--mcp-server", "--allow-write", str(tmp_path)]
    with connect("stdio", args, handshake=False, cwd=tmp_path) as client:
        reply = client.call("list_allowed_directories")
        assert str(tmp_path.resolve()) in reply["result"]["content"][0]["text"]
        assert "structuredContent" in reply["result"]


@pytest.mark.parametrize("version", ["2025-03-26", "1.0", None, 5, [], {}])
def test_no_version_keeps_the_handshake_from_working(tmp_path: Path, version: Any) -> None:
    args = ["--tools", "files", "--allow-write", str(tmp_path)]
    with connect("stdio", args, handshake=False, cwd=tmp_path) as client:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client.info}
        result = client.request("initialize", params)["result"]
        assert result["protocolVersion"] in ("2025-11-25", "2025-03-26")


@pytest.mark.requirement("files-allowed-directories")
def test_a_sandbox_profile_adds_directories(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    profile = tmp_path / "profile.json"
    lists = {"read_write": [str(tmp_path / "two")], "read_only": [str(tmp_path / "three")]}
    profile.write_text(json.dumps(lists))
    args = ["--tools", "files", "--allow-read", str(tmp_path / "one")]
    args += ["--sandbox-profile", str(profile)]
    with connect("stdio", args, cwd=tmp_path) as client:
        text = client.call("list_allowed_directories")["result"]["content"][0]["text"]
    base = tmp_path.resolve()
    assert text.split("\n") == [
        f"{base}/one (read-only)",
        f"{base}/two (read-write)",
        f"{base}/three (read-only)",
    ]


def test_the_stateless_era_gets_results_instead_of_codes(tmp_path: Path) -> None:
    args = ["--tools", "files", "--allow-write", str(tmp_path)]
    with connect("stdio", args, protocol="2026-07-28", cwd=tmp_path) as client:
        reply = client.call("read_file", {"path": str(tmp_path / "no")})
        assert reply["result"]["isError"] is True
        assert reply["result"]["structuredContent"]["error"]["code"] == -32002


def test_edits_of_many_files_are_one_operation(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("x")
    args = ["--tools", "files,history", "--workspace", str(tmp_path)]
    with connect("stdio", args, cwd=tmp_path) as client:
        paths = [str(tmp_path / name) for name in "ab"]
        edits = [{"oldText": "x", "newText": "y"}]
        assert "result" in client.call("edit_files", {"paths": paths, "edits": edits})
        assert "result" in client.call("undo_change", {})
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text() == "x"


def test_forty_edits_at_once_are_all_kept(desk: Desk) -> None:
    path = desk.file("a", "".join(f"[{n}]\n" for n in range(40)))
    started = [
        desk.client.start(
            "tools/call",
            {
                "name": "edit_file",
                "arguments": {
                    "path": str(path),
                    "edits": [{"oldText": f"[{n}]", "newText": f"<{n}>"}],
                },
            },
        )
        for n in range(40)
    ]
    replies = [desk.client.finish(each) for each in started]
    assert all("result" in reply for reply in replies)
    assert path.read_text() == "".join(f"<{n}>\n" for n in range(40))


def test_twenty_files_written_at_once_into_a_new_folder(desk: Desk) -> None:
    folder = desk.here / "new" / "deep"
    started = [
        desk.client.start(
            "tools/call",
            {
                "name": "write_file",
                "arguments": {"path": str(folder / f"{n}.txt"), "content": str(n)},
            },
        )
        for n in range(20)
    ]
    replies = [desk.client.finish(each) for each in started]
    assert [reply["error"] for reply in replies if "error" in reply] == []
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        f"{n}.txt": str(n) for n in range(20)
    }


@pytest.mark.requirement("files-edit-files-glob-errors")
def test_a_read_only_directory_inside_a_writable_one_stays_as_it_is(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.txt").write_text("x")
    (tmp_path / "outer" / "b.txt").write_text("x")
    outer = str(inner.parent)
    args = ["--tools", "files", "--allow-write", outer, "--allow-read", str(inner)]
    with connect("stdio", args, cwd=tmp_path) as client:
        edits = [{"oldText": "x", "newText": "y"}]
        for tool, arguments in (
            ("edit_files", {"paths": [f"{outer}/**/*.txt"], "edits": edits}),
            ("edit_file", {"path": str(inner / "a.txt"), "edits": edits}),
            ("write_file", {"path": str(inner / "new"), "content": ""}),
            ("delete_file", {"path": str(inner)}),
            ("delete_file", {"path": str(inner / "a.txt")}),
            ("move_file", {"source": str(inner), "destination": f"{outer}/moved"}),
            ("move_file", {"source": f"{outer}/b.txt", "destination": str(inner / "b.txt")}),
        ):
            assert client.call(tool, arguments)["error"]["code"] == -32001, tool
    assert (inner / "a.txt").read_text() == (inner.parent / "b.txt").read_text() == "x"
    assert sorted(path.name for path in inner.parent.rglob("*")) == ["a.txt", "b.txt", "inner"]
