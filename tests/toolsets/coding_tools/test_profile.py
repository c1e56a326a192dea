"""What a client of the profile sees before it calls anything."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from redline.toolsets.coding_tools.tools import TOOLSET
from tests.toolsets.coding_tools.conftest import Tools
from tests.wire.client import HttpClient, connect

T, F = True, False
ANNOTATIONS = {
    "read_file": ("Read file", T, F, T, F),
    "list_dir": ("List directory", T, F, T, F),
    "list_files": ("List files", T, F, T, F),
    "search_text": ("Search text", T, F, T, F),
    "apply_patch": ("Apply patch", F, T, F, F),
    "exec_command": ("Execute command", F, T, F, T),
    "write_stdin": ("Write stdin", F, F, F, F),
    "kill_session": ("Kill session", F, T, F, F),
    "git_status": ("Git status", T, F, T, F),
    "git_diff": ("Git diff", T, F, T, F),
    "request_permissions": ("Request permissions", T, F, F, F),
    "view_image": ("View image", T, F, T, F),
}
FORBIDDEN = [
    "codex", "codex_reply", "codex-reply", "web_search", "browser.search", "image_generation",
    "subagent", "spawn_subagent", "model_selection", "plugin_marketplace", "memory", "login",
    "keyring", "cloud_task", "remote_task", "connector_install", "marketplace",
]  # fmt: skip
ARGS = ["--tools", "coding"]


@pytest.mark.requirement("coding-tools", "coding-list-stable", "coding-forbidden")
def test_exactly_the_twelve_tools_are_listed_every_time(tools: Tools) -> None:
    first, second = tools.client.list_tools(), tools.client.list_tools()
    assert first == second
    assert {tool["name"] for tool in first} == set(ANNOTATIONS)
    assert len(first) == 12
    for tool in first:
        assert not any(word in tool["name"] for word in FORBIDDEN)
    assert "nextCursor" not in tools.client.request("tools/list")["result"]


@pytest.mark.requirement("coding-tool-shape", "coding-annotations", "coding-schemas")
def test_each_tool_has_its_title_annotations_and_schemas(tools: Tools) -> None:
    for tool in tools.client.list_tools():
        title, reads, destroys, repeats, opens = ANNOTATIONS[tool["name"]]
        assert tool["title"] == title
        assert tool["description"]
        hints = tool["annotations"]
        assert hints["title"] == title
        assert hints["readOnlyHint"] is reads
        assert hints["destructiveHint"] is destroys
        assert hints["idempotentHint"] is repeats
        assert hints["openWorldHint"] is opens
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        assert tool["outputSchema"]["type"] == "object"
        assert "ok" in tool["outputSchema"]["required"]


LIMITS: dict[str, dict[str, tuple[Any, ...]]] = {
    "read_file": {"start_line": (1, None, 1), "end_line": (1, None, None),
                  "max_bytes": (1, 1048576, 131072)},
    "list_dir": {"max_depth": (1, 20, 1), "max_entries": (1, 10000, 1000)},
    "list_files": {"max_results": (1, 50000, 5000)},
    "search_text": {"context_lines": (0, 5, 0), "max_results": (1, 10000, 1000),
                    "max_preview_bytes": (80, 4096, 512)},
    "exec_command": {"timeout_ms": (1, 600000, 30000), "yield_time_ms": (0, 30000, 1000),
                     "max_output_bytes": (1, 1048576, 65536)},
    "write_stdin": {"yield_time_ms": (0, 30000, 1000), "max_output_bytes": (1, 1048576, 65536)},
    "kill_session": {"wait_ms": (0, 30000, 5000), "max_output_bytes": (1, 1048576, 65536)},
    "git_status": {"max_entries": (1, 10000, 1000)},
    "git_diff": {"context_lines": (0, 20, 3), "max_bytes": (1, 1048576, 262144)},
    "request_permissions": {"ttl_seconds": (1, 3600, 300)},
    "view_image": {"max_bytes": (1024, 10485760, 5242880), "max_width": (1, 10000, 2000),
                   "max_height": (1, 10000, 2000)},
}  # fmt: skip
CHOICES = {
    ("list_dir", "sort"): (["name", "type", "modified"], "name"),
    ("list_files", "sort"): (["path", "modified"], "path"),
    ("kill_session", "signal"): (["TERM", "KILL", "INT"], "TERM"),
    ("request_permissions", "tool_name"): (["exec_command", "apply_patch"], None),
    ("request_permissions", "scope"): (["once", "session"], "once"),
    ("request_permissions", "permission"): (
        ["network", "destructive_command", "long_timeout", "sensitive_env", "shell_expansion",
         "inline_script", "privileged_executable", "write_generated_or_ignored"], None),
}  # fmt: skip
REQUIRED = {
    "read_file": ["path"],
    "list_dir": [],
    "list_files": [],
    "search_text": ["query"],
    "apply_patch": ["patch"],
    "exec_command": ["cmd"],
    "write_stdin": ["session_id"],
    "kill_session": ["session_id"],
    "git_status": [],
    "git_diff": [],
    "request_permissions": ["tool_name", "permission", "reason", "arguments"],
    "view_image": ["path"],
}


@pytest.mark.requirement("coding-limits")
def test_limits_defaults_and_choices_are_the_profiles() -> None:
    schemas = {tool.name: tool.input_schema for tool in TOOLSET.tools}
    for name, fields in LIMITS.items():
        for field, (low, high, default) in fields.items():
            found = schemas[name]["properties"][field]
            assert (found["minimum"], found.get("maximum"), found.get("default")) == (
                low,
                high,
                default,
            ), (name, field)
    for (name, field), (values, default) in CHOICES.items():
        found = schemas[name]["properties"][field]
        assert (found["enum"], found.get("default")) == (values, default)
    assert {name: schema["required"] for name, schema in schemas.items()} == REQUIRED


@pytest.mark.requirement("coding-capabilities", "coding-instructions")
def test_only_tools_and_logging_are_advertised(tools: Tools) -> None:
    told = tools.client.initialize_result
    assert told["capabilities"] == {"tools": {"listChanged": False}, "logging": {}}
    assert {"name", "title", "version"} <= set(told["serverInfo"])
    assert told["instructions"]


@pytest.mark.requirement("coding-protocol-version")
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("asked", ["2025-06-18", "2025-11-25", "2099-01-01", None])
def test_the_profiles_revision_answers_newer_clients(
    transport: str, asked: str | None, tmp_path: Path
) -> None:
    with connect(transport, ARGS, cwd=tmp_path, handshake=False) as client:
        params = {"capabilities": {}, **({"protocolVersion": asked} if asked else {})}
        answer = client.request("initialize", params)["result"]
    assert answer["protocolVersion"] == "2025-06-18"


@pytest.mark.requirement("coding-protocol-version")
@pytest.mark.parametrize(("cap", "agreed"), [("2025-11-25",) * 2, ("2025-06-18",) * 2])
def test_the_settings_allow_newer_revisions_than_the_profiles(
    cap: str, agreed: str, tmp_path: Path
) -> None:
    with connect("stdio", [*ARGS, "--protocol", cap], cwd=tmp_path) as client:
        assert client.initialize_result["protocolVersion"] == agreed


@pytest.mark.parametrize("asked", ["2025-06-18", "2025-11-25"])
def test_header_and_handshake_name_the_same_revision(asked: str, tmp_path: Path) -> None:
    with connect("http", ARGS, cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": client.info}
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        _, headers, answer = client.post(json.dumps(body).encode(), {})
        told = json.loads(answer)["result"]["protocolVersion"]
        assert headers["mcp-protocol-version"] == told == "2025-06-18"


@pytest.mark.requirement("coding-older-version")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_an_older_client_is_refused_with_what_is_supported(transport: str, tmp_path: Path) -> None:
    with connect(transport, ARGS, cwd=tmp_path, handshake=False) as client:
        params = {"protocolVersion": "1900-01-01", "capabilities": {}, "clientInfo": client.info}
        error = client.request("initialize", params)["error"]
        assert error["code"] == -32602
        assert error["data"]["supported"] == ["2025-06-18"]
        assert error["data"]["received"] == "1900-01-01"


@pytest.mark.requirement("coding-not-initialized")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_before_initialize_only_ping_is_answered(transport: str, tmp_path: Path) -> None:
    with connect(transport, ARGS, cwd=tmp_path, handshake=False) as client:
        assert client.request("ping")["result"] == {}
        error = client.request("tools/list", {})["error"]
        assert error["code"] == -32002
        assert "not initialized" in error["message"].lower()


@pytest.mark.requirement("coding-unknown-method", "coding-unknown-tool", "coding-schema-check")
def test_protocol_failures_are_json_rpc_errors(tools: Tools) -> None:
    assert tools.client.request("no/such")["error"]["code"] == -32601
    unknown = tools.client.call("codex", {})["error"]
    assert (unknown["code"], unknown["data"]["reason"]) == (-32602, "unknown_tool")
    for arguments in ({}, {"path": 5}, {"path": ""}, {"path": "a", "other": 1}):
        error = tools.client.call("read_file", arguments)["error"]
        assert error["code"] == -32602
        assert error["data"]["reason"] == "invalid_arguments"
        assert error["data"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.requirement("coding-logging-level")
def test_the_logging_level_is_taken_or_refused(tools: Tools) -> None:
    for level in ("debug", "warning", "emergency"):
        assert tools.client.request("logging/setLevel", {"level": level})["result"] == {}
    error = tools.client.request("logging/setLevel", {"level": "loud"})["error"]
    assert error["code"] == -32602
    assert "logging level" in error["message"].lower()


@pytest.mark.requirement("coding-http-endpoint")
def test_http_speaks_at_one_path_and_checks_what_it_is_sent(tmp_path: Path) -> None:
    with connect("http", ARGS, cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        assert client.fetch("POST", "/other", ping, client._standard())[0] == 404
        assert client.post(ping, {"Content-Type": "text/plain"})[0] == 415
        assert client.post(ping, {"MCP-Protocol-Version": "1999-01-01"})[0] == 400
        assert client.post(ping, {"Origin": "http://evil.example"})[0] == 403
        assert client.post(ping, {"Mcp-Session-Id": "unknown"})[0] == 404
        assert client.post(b"{", {})[0] == 400
        # Too much for the pipes between: the answer must reach a client that is still sending.
        assert client.post(b"x" * 20_000_000, {})[0] == 413


def test_a_refusal_names_a_session_that_is_served(tmp_path: Path) -> None:
    with connect("http", ARGS, cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        status, headers, _ = client.post(b"{", {})
        assert status == 400
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        again = client.post(body, {"Mcp-Session-Id": headers["mcp-session-id"]})
        assert again[0] == 200
        assert json.loads(again[2])["result"] == {}


# One row of the profile's table each: what is sent, the status, the code, words, and data.
_PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
_ROWS: list[tuple[str, dict[str, str], bytes, int, int, str, dict[str, Any]]] = [
    ("type", {"Content-Type": "text/plain"}, _PING, 415, -32600, "Content-Type", {}),
    ("version", {"MCP-Protocol-Version": "1999-01-01"}, _PING, 400, -32600,
     "Unsupported MCP protocol version", {"received": "1999-01-01"}),
    ("no date", {"MCP-Protocol-Version": "soon"}, _PING, 400, -32600,
     "Unsupported MCP protocol version", {"received": "soon"}),
    ("origin", {"Origin": "http://evil.example"}, _PING, 403, -32600, "Origin denied", {}),
    ("null origin", {"Origin": "null"}, _PING, 403, -32600, "Origin denied", {}),
    ("session", {"Mcp-Session-Id": "unknown"}, _PING, 404, -32001, "Unknown MCP session", {}),
    ("size", {}, b"x" * 1_048_577, 413, -32600, "", {"max_bytes": 1_048_576}),
    ("no JSON", {}, b"{", 400, -32700, "", {}),
    ("empty batch", {}, b"[]", 400, -32600, "", {}),
    ("scalar", {}, b"3", 400, -32600, "", {}),
    ("long batch", {}, b"[" + b",".join([_PING] * 51) + b"]", 400, -32600, "", {"max_items": 50}),
]  # fmt: skip


@pytest.mark.requirement("coding-http-refusals")
@pytest.mark.parametrize(
    ("headers", "body", "status", "code", "words", "data"),
    [row[1:] for row in _ROWS],
    ids=[row[0] for row in _ROWS],
)
def test_each_row_of_the_http_table_is_refused_as_it_says(
    headers: dict[str, str],
    body: bytes,
    status: int,
    code: int,
    words: str,
    data: dict[str, Any],
    tmp_path: Path,
) -> None:
    with connect("http", ARGS, cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        found, told, answer = client.post(body, headers)
        error = json.loads(answer)["error"]
        assert (found, error["code"]) == (status, code)
        assert words in error["message"]
        assert data.items() <= (error.get("data") or {}).items()
        assert told["mcp-session-id"]


@pytest.mark.requirement("coding-http-answers")
def test_what_is_no_refusal_is_answered_as_the_http_table_says(tmp_path: Path) -> None:
    with connect("http", ARGS, cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        quiet = client.post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', {})
        assert (quiet[0], quiet[2]) == (202, b"")
        assert quiet[1]["mcp-session-id"]
        got = client.fetch("GET", "/mcp", None, client._standard())
        assert (got[0], got[1]["allow"]) == (405, "POST")
        status, _, answer = client.post(b"[" + b",".join([_PING] * 50) + b"]", {})
        assert (status, len(json.loads(answer))) == (200, 50)
        for method, code in (("no/such", -32601), ("tools/call", -32602)):
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": "no_such"}}
            status, _, answer = client.post(json.dumps(body).encode(), {})
            assert (status, json.loads(answer)["error"]["code"]) == (200, code)
        plain = {"Content-Type": "application/json"}
        status, told, answer = client.fetch("POST", "/mcp", _PING, plain)
        assert (status, json.loads(answer)["result"]) == (200, {})
        assert told["mcp-session-id"]


@pytest.mark.requirement("coding-http-refusals")
@pytest.mark.parametrize(
    ("head", "status"), [("", 411), ("Content-Length: -1\r\n", 400), ("Content-Length: x\r\n", 400)]
)
def test_a_length_is_needed_and_must_be_a_number(head: str, status: int, tmp_path: Path) -> None:
    with connect("http", ARGS, cwd=tmp_path) as client:
        assert isinstance(client, HttpClient)
        with socket.create_connection((client.host, client.port), 10) as link:
            lines = f"POST /mcp HTTP/1.1\r\nHost: {client.host}:{client.port}\r\n{head}"
            link.sendall(f"{lines}Content-Type: application/json\r\n\r\n".encode())
            answer = link.makefile("rb").read(600) if status == 400 else link.recv(600)
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert b"-32600" in answer
        assert b"Content-Length" in answer


@pytest.mark.requirement("coding-stdio-clean")
def test_stdio_carries_one_message_per_line_and_nothing_else(tmp_path: Path) -> None:
    with connect("stdio", ARGS, cwd=tmp_path) as client:
        client.notify("notifications/initialized")
        client.call("read_file", {"path": "missing"})
        assert client.request("ping")["result"] == {}
        assert client.stray.empty()  # type: ignore[attr-defined]


@pytest.mark.requirement("coding-trace")
def test_a_trace_line_per_call_on_stderr(tmp_path: Path) -> None:
    env = {"CODING_TOOLS_MCP_TRACE": "1"}
    with connect("stdio", ARGS, cwd=tmp_path, env=env) as client:
        client.call("read_file", {"path": "missing"})
        client.request("ping")
        client.close()
        lines = [json.loads(x) for x in client.stderr.splitlines() if '"tool_call"' in x]
    assert lines[0]["tool"] == "read_file"
    assert lines[0]["error_code"] == "NOT_FOUND"
    assert {"timestamp", "ok", "status", "duration_ms", "args"} <= set(lines[0])
