"""The real toolsets on the real stack: alone under their own rules, and together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, HttpClient, connect


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toolsets")
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    return folder


@pytest.fixture(scope="module", params=["stdio", "http"])
def together(request: pytest.FixtureRequest, workspace: Path) -> Iterator[Client]:
    """Every toolset on."""
    with connect(request.param, ["--tools", "all"], cwd=workspace) as client:
        yield client


def text(reply: dict[str, Any]) -> str:
    return str(reply["result"]["content"][0]["text"])


@pytest.mark.requirement("server-shared-read-file")
def test_one_read_file_answers_in_the_shape_it_was_asked_in(
    together: Client, workspace: Path
) -> None:
    relative = together.call("read_file", {"path": "a.txt", "start_line": 2, "end_line": 2})
    assert relative["result"]["structuredContent"]["content"] == "two\n"
    absolute = together.call("read_file", {"path": str(workspace / "a.txt")})
    assert text(absolute) == "one\ntwo\nthree\n"
    mixed = together.call("read_file", {"path": str(workspace / "a.txt"), "max_bytes": 3})
    assert mixed["result"]["structuredContent"]["content"] == "one"
    outside = together.call("read_file", {"path": "/etc/passwd", "max_bytes": 3})
    assert outside["result"]["structuredContent"]["error"]["code"] == "ABSOLUTE_PATH_DENIED"


def test_failures_of_the_shared_read_file_are_worded_by_the_one_that_answered(
    together: Client, workspace: Path
) -> None:
    coding = together.call("read_file", {"path": "missing"})["result"]["structuredContent"]
    assert coding["error"]["code"] == "NOT_FOUND"
    files = together.call("read_file", {"path": str(workspace / "missing")})
    assert files["error"]["code"] == -32002


def test_every_toolset_is_listed_once_and_in_the_same_order(together: Client) -> None:
    names = [tool["name"] for tool in together.list_tools()]
    assert len(names) == len(set(names))
    assert names == [tool["name"] for tool in together.list_tools()]
    for name in ("apply_patch", "edit_file", "ai_code_editing.edit_file", "json_editor_preview",
                 "noyalib_set", "undo_change"):  # fmt: skip
        assert name in names


def test_a_change_of_any_toolset_can_be_undone(together: Client, workspace: Path) -> None:
    target = workspace / "a.txt"
    edits = [{"oldText": "two", "newText": "TWO"}]
    together.call("edit_file", {"path": str(target), "edits": edits})
    assert target.read_text() == "one\nTWO\nthree\n"
    undone = together.call("undo_change", {})["result"]
    assert undone["isError"] is False
    assert target.read_text() == "one\ntwo\nthree\n"


def test_coding_alone_lists_its_twelve_tools_and_nothing_else(workspace: Path) -> None:
    with connect("stdio", ["--tools", "coding"], cwd=workspace) as client:
        assert [tool["name"] for tool in client.list_tools()] == [
            "read_file", "list_dir", "list_files", "search_text", "apply_patch", "exec_command",
            "write_stdin", "kill_session", "git_status", "git_diff", "request_permissions",
            "view_image",
        ]  # fmt: skip
        for method in ("prompts/list", "resources/list", "sampling/createMessage"):
            assert client.request(method)["error"]["code"] == -32601


def test_view_image_can_be_turned_off(workspace: Path) -> None:
    env = {"CODING_TOOLS_MCP_ENABLE_VIEW_IMAGE": "0"}
    with connect("stdio", ["--tools", "coding"], cwd=workspace, env=env) as client:
        names = [tool["name"] for tool in client.list_tools()]
        assert "view_image" not in names
        assert len(names) == 11
        assert client.call("view_image", {"path": "a.png"})["error"]["code"] == -32602


@pytest.mark.parametrize("way", ["stdio", "http", "http without a session"])
def test_a_cancellation_may_name_a_commands_session(workspace: Path, way: str) -> None:
    with connect(way.split()[0], ["--tools", "coding"], cwd=workspace) as client:
        if isinstance(client, HttpClient) and "without" in way:
            client.session = None
        started = client.call("exec_command", {"cmd": "sleep 60", "yield_time_ms": 100})
        session = started["result"]["structuredContent"]["session_id"]
        assert started["result"]["structuredContent"]["status"] == "running"
        client.notify("notifications/cancelled", {"session_id": session})
        for _ in range(100):
            arguments = {"session_id": session, "chars": "", "yield_time_ms": 100}
            state = client.call("write_stdin", arguments)["result"]["structuredContent"]
            if state.get("status") != "running":
                return
        pytest.fail(f"still running: {json.dumps(state)}")


@pytest.mark.requirement("server-read-only")
def test_read_only_wins_over_every_toolset(workspace: Path) -> None:
    before = sorted(p.name for p in workspace.iterdir())
    with connect("stdio", ["--tools", "all", "--read-only"], cwd=workspace) as client:
        tools = client.list_tools()
        assert tools
        for tool in tools:
            assert tool["annotations"]["readOnlyHint"] is not False, tool["name"]
        for name, arguments in (
            ("write_file", {"path": "x", "content": "x"}),
            ("exec_command", {"cmd": "touch x"}),
            ("undo_change", {}),
        ):
            reply = client.call(name, arguments)
            assert "error" in reply or reply["result"]["isError"]
    assert sorted(p.name for p in workspace.iterdir()) == before


@pytest.mark.requirement("server-audit")
def test_a_refused_command_and_a_denied_path_are_audited_without_their_secrets(
    workspace: Path,
) -> None:
    with connect("stdio", ["--tools", "coding"], cwd=workspace) as client:
        secret = "Bearer abcdefghijklmnop"
        refused = client.call("exec_command", {"cmd": f"curl -H '{secret}' http://example.org"})
        assert refused["result"]["isError"] is True
        client.call("read_file", {"path": "../x"})
        client.close()
        events = [json.loads(line) for line in client.stderr.splitlines() if '"audit"' in line]
        assert [event["kind"] for event in events] == ["refused", "path_denied"]
        assert [event["tool"] for event in events] == ["exec_command", "read_file"]
        assert "abcdefghijklmnop" not in client.stderr
