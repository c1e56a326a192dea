"""Calls over the wire: what comes back, in each era, whatever happens inside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.wire.conftest import Connect

ERAS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


@pytest.mark.parametrize("protocol", ERAS)
def test_a_call_is_answered_with_the_handlers_result(
    connected: Connect, transport: str, protocol: str
) -> None:
    client = connected(transport, protocol=protocol)
    reply = client.call("echo", {"text": "hi"})
    assert reply["result"]["content"] == [{"type": "text", "text": "hi"}]
    assert reply["result"]["structuredContent"] == {"arguments": {"text": "hi"}}
    assert reply["result"]["isError"] is False


@pytest.mark.requirement("server-arguments")
def test_wrong_arguments_name_the_field_the_legal_values_and_the_nearest_name(
    connected: Connect, transport: str
) -> None:
    client = connected(transport)
    error = client.call("echo", {"text": "x", "cuont": 1, "mode": "z"})["error"]
    assert error["code"] == -32602
    assert "did you mean count?" in error["message"]
    assert 'mode must be one of "fast", "slow", got "z"' in error["message"]


@pytest.mark.requirement("server-error-eras")
def test_a_seeds_code_is_a_json_rpc_error_in_the_handshake_era_only(
    connected: Connect, transport: str
) -> None:
    old = connected(transport).call("refuse", {"how": "match"})
    assert old["error"]["code"] == -32004
    new = connected(transport, protocol="2026-07-28").call("refuse", {"how": "match"})
    assert new["result"]["isError"] is True
    assert new["result"]["structuredContent"]["error"]["code"] == -32004
    forced = connected(transport, "--tools", "fixtures", "--errors", "result")
    assert forced.call("refuse", {"how": "match"})["result"]["isError"] is True


@pytest.mark.requirement("server-no-traceback")
def test_a_bug_is_answered_without_a_traceback_and_logged_with_the_request_id(
    connected: Connect, transport: str
) -> None:
    client = connected(transport, own=True)
    reply = client.call("crash", {})
    assert reply["error"]["code"] == -32603
    assert "secret detail" not in str(reply)
    assert "Traceback" not in str(reply)
    client.close()
    assert "secret detail" in client.stderr
    assert f"request {reply['error']['data']['request_id']}" in client.stderr


@pytest.mark.parametrize("tool", ["leave", "too_deep"])
@pytest.mark.parametrize("protocol", ["2025-11-25", "2026-07-28"])
def test_no_bug_is_so_bad_that_the_caller_waits_in_vain(
    connected: Connect, transport: str, protocol: str, tool: str
) -> None:
    client = connected(transport, protocol=protocol)
    reply = client.call(tool)
    assert reply["error"]["code"] == -32603
    assert client.call("echo", {"text": "on"})["result"]["content"][0]["text"] == "on"


@pytest.mark.requirement("server-utf8")
def test_text_that_utf8_cannot_carry_is_replaced_and_big_integers_survive(
    connected: Connect, transport: str
) -> None:
    result = connected(transport).call("broken_text", {})["result"]
    assert result["content"][0]["text"] == "caf\ufffd"
    assert result["structuredContent"] == {"big": 1 << 80, "nan": None}


def test_unknown_tools_are_refused_with_the_nearest_name(
    connected: Connect, transport: str
) -> None:
    error = connected(transport).call("ecoh", {})["error"]
    assert error["code"] == -32602
    assert error["data"]["reason"] == "unknown_tool"
    assert "did you mean echo?" in error["message"]


def test_aliases_and_both_spellings_of_dotted_names_are_accepted(
    connected: Connect, transport: str
) -> None:
    client = connected(transport)
    for name in ("say", "echo"):
        assert client.call(name, {"text": "x"})["result"]["isError"] is False
    for name in ("dotted.name", "dotted_name"):
        assert client.call(name)["result"]["content"][0]["text"] == "dotted"


@pytest.mark.requirement("server-tool-names")
def test_dots_are_listed_as_underscores_for_clients_that_refuse_them(
    connected: Connect, transport: str
) -> None:
    plain = connected(transport)
    assert "dotted.name" in [tool["name"] for tool in plain.list_tools()]
    desktop = connected(transport, info={"name": "claude-ai", "version": "1"})
    assert "dotted_name" in [tool["name"] for tool in desktop.list_tools()]
    forced = connected(transport, "--tools", "fixtures", "--tool-names", "portable")
    assert "dotted_name" in [tool["name"] for tool in forced.list_tools()]


def test_read_only_neither_lists_nor_runs_a_tool_that_writes(
    connected: Connect, transport: str
) -> None:
    client = connected(transport, "--tools", "fixtures", "--read-only")
    assert "change" not in [tool["name"] for tool in client.list_tools()]
    reply = client.call("change", {})
    assert reply["result"]["isError"] is True
    assert "read-only" in reply["result"]["content"][0]["text"]


def test_the_request_reaches_the_handler_byte_for_byte(connected: Connect, transport: str) -> None:
    client = connected(transport)
    text = client.call("raw", {"number": 1.50})["result"]["content"][0]["text"]
    assert '"number": 1.5' in text


@pytest.mark.parametrize("arguments", [None, {}])
def test_missing_arguments_count_as_empty(
    connected: Connect, transport: str, arguments: dict[str, object] | None
) -> None:
    reply = connected(transport).request("tools/call", {"name": "whoami", "arguments": arguments})
    assert reply["result"]["structuredContent"]["name"] == "redline-tests"


@pytest.mark.parametrize(
    "params", [{}, {"name": 3}, {"name": "echo", "arguments": []}, {"name": "echo", "arguments": 1}]
)
def test_malformed_params_are_invalid_params(
    connected: Connect, transport: str, params: dict[str, object]
) -> None:
    assert connected(transport).request("tools/call", params)["error"]["code"] == -32602


@pytest.mark.requirement("server-trace")
def test_a_trace_line_per_call_has_the_facts_and_no_secrets(
    connected: Connect, transport: str
) -> None:
    client = connected(transport, env={"CODING_TOOLS_MCP_TRACE": "1"})
    client.call("echo", {"text": "token=abcdef123456 " + "x" * 400})
    client.close()
    line = next(line for line in client.stderr.splitlines() if '"tool_call"' in line)
    event = json.loads(line)
    assert set(event) == {
        "event", "timestamp", "tool", "ok", "status", "error_code", "duration_ms", "session_id",
        "truncated", "args",
    }  # fmt: skip
    assert event["tool"] == "echo"
    assert event["ok"] is True
    assert "abcdef123456" not in line
    assert "[REDACTED]" in event["args"]["text"]
    assert len(event["args"]["text"]) <= 243


def test_a_text_that_is_taken_away_to_be_written_is_still_traced(
    connected: Connect, transport: str, tmp_path: Path
) -> None:
    client = connected(transport, "--tools", "files", env={"REDLINE_TRACE": "1"})
    client.call("write_file", {"path": str(tmp_path / "a.txt"), "content": "traced"})
    client.close()
    line = next(line for line in client.stderr.splitlines() if '"tool_call"' in line)
    assert json.loads(line)["args"]["content"] == "traced"


def test_a_denied_path_is_an_audit_line_in_the_file_that_was_named(
    connected: Connect, transport: str, tmp_path: Path
) -> None:
    log = tmp_path.parent / f"{tmp_path.name}-audit.jsonl"
    client = connected(transport, "--tools", "fixtures", "--audit-log", str(log))
    client.call("refuse", {"how": "path"})
    client.close()
    assert '"kind":"path_denied"' in log.read_text()
    assert log.stat().st_mode & 0o077 == 0
