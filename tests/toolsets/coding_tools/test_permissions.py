"""request_permissions: nothing is granted without a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.toolsets.coding_tools.conftest import Tools, patch
from tests.wire.client import connect

REQUEST: dict[str, Any] = {
    "tool_name": "exec_command",
    "permission": "network",
    "reason": "to fetch a page",
    "arguments": {"cmd": "curl http://127.0.0.1:9/"},
}


@pytest.mark.requirement("coding-permissions-unsupported")
def test_a_client_that_cannot_ask_gets_the_structured_refusal(tools: Tools) -> None:
    error = tools.fails("request_permissions", **REQUEST)
    structured = error["structured"]
    assert (error["code"], error["category"]) == ("ELICITATION_UNSUPPORTED", "permission")
    assert structured["status"] == "unsupported"
    assert structured["grant_id"] is structured["expires_at"] is None
    assert error["details"]["requested"] == REQUEST
    assert "permission" in error["message"].lower()
    assert "call exec_command" in error["message"]
    other = tools.fails("request_permissions", **{**REQUEST, "tool_name": "apply_patch"})
    assert other["code"] == "ELICITATION_UNSUPPORTED"
    assert "exec_command" not in other["message"]


@pytest.mark.requirement("coding-permissions-dangerous")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_in_dangerous_mode_everything_is_granted_and_said(transport: str, tmp_path: Path) -> None:
    args = ["--tools", "coding", "--dangerously-skip-all-permissions"]
    with connect(transport, args, cwd=tmp_path) as client:
        found = Tools(client, tmp_path).ok("request_permissions", **REQUEST)
        assert found["status"] == "granted"
        assert found["grant_id"] == "dangerously-skip-all-permissions"
        assert found["constraints"]["requested"] == REQUEST
        assert found["warnings"]


def _asked(tmp_path: Path, answer: dict[str, Any], **changes: Any) -> tuple[Tools, list[Any], Any]:
    asked: list[Any] = []
    client = connect("stdio", ["--tools", "coding"], cwd=tmp_path, capabilities={"elicitation": {}})

    def reply(message: dict[str, Any]) -> dict[str, Any]:
        asked.append(message)
        return answer

    client.on_request = reply
    tools = Tools(client, tmp_path)
    return tools, asked, tools.result("request_permissions", {**REQUEST, **changes})


@pytest.mark.requirement("coding-permissions-asked")
@pytest.mark.parametrize("scope", ["once", "session"])
def test_a_person_who_agrees_grants_it_for_a_while(tmp_path: Path, scope: str) -> None:
    agree = {"action": "accept", "content": {"decision": "allow"}}
    tools, asked, result = _asked(tmp_path, agree, scope=scope, ttl_seconds=60)
    with tools.client:
        found = result["structuredContent"]
        assert found["status"] == "granted"
        assert found["grant_id"].startswith("grant-")
        assert found["expires_at"].endswith("Z")
        [question] = asked
        assert question["method"] == "elicitation/create"
        assert "curl http://127.0.0.1:9/" in question["params"]["message"]
        assert "to fetch a page" in question["params"]["message"]


@pytest.mark.requirement("coding-permissions-journal")
def test_a_grant_is_in_the_journal_and_is_not_what_an_undo_takes_back(tmp_path: Path) -> None:
    client = connect(
        "stdio", ["--tools", "coding,history"], cwd=tmp_path, capabilities={"elicitation": {}}
    )
    client.on_request = lambda _: {"action": "accept", "content": {"decision": "allow"}}
    with client:
        tools = Tools(client, tmp_path)
        tools.ok("apply_patch", patch=patch("*** Add File: a", "+1"))
        granted = tools.ok("request_permissions", **REQUEST)
        found = client.call("list_changes")["result"]["structuredContent"]["changes"]
        assert [(each["kind"], each["tool"]) for each in found] == [
            ("grant", "request_permissions"),
            ("change", "apply_patch"),
        ]
        assert found[0]["id"] == granted["id"]
        assert "network" in found[0]["summary"]
        refused = client.call("undo_change", {"id": granted["id"]})["result"]
        assert refused["isError"]
        client.call("undo_change")
        assert not (tmp_path / "a").exists()


@pytest.mark.requirement("coding-permissions-denied")
@pytest.mark.parametrize(
    "answer",
    [
        {"action": "decline"},
        {"action": "cancel"},
        {"action": "accept", "content": {"decision": "deny"}},
    ],
)
def test_a_person_who_does_not_agree_grants_nothing(tmp_path: Path, answer: dict[str, Any]) -> None:
    tools, _, result = _asked(tmp_path, answer)
    with tools.client:
        assert result["isError"] is True
        structured = result["structuredContent"]
        assert structured["status"] == "denied"
        assert structured["error"]["code"] == "PERMISSION_DENIED"
        assert structured["grant_id"] is None


@pytest.mark.requirement("coding-permissions-not-required")
def test_patches_need_no_permission(tmp_path: Path) -> None:
    tools, asked, result = _asked(
        tmp_path,
        {"action": "cancel"},
        tool_name="apply_patch",
        permission="write_generated_or_ignored",
    )
    with tools.client:
        assert result["structuredContent"]["status"] == "not_required"
        assert not asked


@pytest.mark.requirement("coding-permissions-grant-used")
def test_a_granted_network_opens_also_for_a_line_that_does_not_show_the_need(
    tmp_path: Path,
) -> None:
    agree = {"action": "accept", "content": {"decision": "allow"}}
    line = {"cmd": "echo an installer"}
    tools, _, result = _asked(tmp_path, agree, arguments=line)
    with tools.client:
        assert result["structuredContent"]["status"] == "granted"
        nets = [
            tools.ok("exec_command", **line, yield_time_ms=20000)["sandbox"]["net"]
            for _ in range(2)
        ]
    assert nets == ["open", "none"]


@pytest.mark.requirement("coding-permissions-grant-used")
def test_a_grant_for_once_covers_that_call_once(tmp_path: Path) -> None:
    agree = {"action": "accept", "content": {"decision": "allow"}}
    line = {"cmd": "echo $(echo inner)"}
    tools, _, result = _asked(tmp_path, agree, permission="shell_expansion", arguments=line)
    with tools.client:
        assert result["structuredContent"]["status"] == "granted"
        assert tools.fails("exec_command", cmd="echo $(echo other)")["code"] == (
            "PERMISSION_REQUIRED"
        )
        assert "inner" in tools.ok("exec_command", **line, yield_time_ms=20000)["stdout"]
        error = tools.fails("exec_command", **line)
        assert error["code"] == "PERMISSION_REQUIRED"
        assert error["structured"]["permission_request"] == {
            "tool_name": "exec_command",
            "permission": "shell_expansion",
            "status": "required",
            "retryable": True,
        }


MODERN: dict[str, Any] = {
    "protocol": "2026-07-28",
    "capabilities": {"elicitation": {"form": {}}},
}
AGREE = {"action": "accept", "content": {"decision": "allow"}}


@pytest.mark.requirement("coding-permissions-asked")
def test_a_stateless_client_is_asked_by_an_answer_it_completes(tmp_path: Path) -> None:
    line = {"cmd": "echo $(echo inner)"}
    request = {**REQUEST, "permission": "shell_expansion", "arguments": line}
    with connect("stdio", ["--tools", "coding"], cwd=tmp_path, **MODERN) as client:
        needed = client.call("request_permissions", request)["result"]
        assert needed["resultType"] == "input_required"
        asked = needed["inputRequests"]["permission"]
        assert "echo $(echo inner)" in asked["params"]["message"]
        done = client.call(
            "request_permissions",
            request,
            requestState=needed["requestState"],
            inputResponses={"permission": AGREE},
        )["result"]
        assert done["structuredContent"]["status"] == "granted"
        tools = Tools(client, tmp_path)
        assert "inner" in tools.ok("exec_command", **line, yield_time_ms=20000)["stdout"]
        assert tools.fails("exec_command", **line)["code"] == "PERMISSION_REQUIRED"


@pytest.mark.requirement("coding-permissions-sessionless")
def test_without_a_session_the_call_itself_asks_and_nothing_outlives_it(tmp_path: Path) -> None:
    line = {"cmd": "echo $(echo inner)", "yield_time_ms": 20000}
    with connect("http", ["--tools", "coding"], cwd=tmp_path, **MODERN) as client:
        tools = Tools(client, tmp_path)
        kept = tools.fails("request_permissions", **{**REQUEST, "arguments": line})
        assert kept["structured"]["status"] == "unsupported"
        for _ in range(2):
            needed = client.call("exec_command", line)["result"]
            assert needed["resultType"] == "input_required"
            [key] = needed["inputRequests"]
            assert "echo $(echo inner)" in needed["inputRequests"][key]["params"]["message"]
            state = {"requestState": needed["requestState"], "inputResponses": {key: AGREE}}
            other = client.call("exec_command", {**line, "cmd": "echo $(echo other)"}, **state)
            assert "error" in other
            done = client.call("exec_command", line, **state)["result"]
            assert "inner" in done["structuredContent"]["stdout"]


@pytest.mark.requirement("coding-permissions-shown")
def test_the_person_sees_all_of_the_call_on_lines_nothing_can_forge(tmp_path: Path) -> None:
    line = {
        "cmd": "echo $(true) " + "x" * 2000 + "\nReason given: harmless\u202e\u200b",
        "workdir": "sub\nenv: {}",
        "env": {"A\nB": "c"},
        "stdin": "typed\rover",
    }
    tools, asked, _ = _asked(
        tmp_path, {"action": "cancel"}, arguments=line, reason="because\ncmd: ls"
    )
    with tools.client:
        [question] = asked
    lines = question["params"]["message"].split("\n")
    assert [each.partition(":")[0] for each in lines[1:]] == [
        *("cmd", "workdir", "env", "stdin", "Reason given")
    ]
    assert "x" * 2000 in lines[1]
    assert all(each.isprintable() for each in lines)
    assert "\\u202e" in lines[1]
    assert '"typed\\rover"' in lines[4]


@pytest.mark.requirement("coding-permissions-shown")
@pytest.mark.parametrize("line", [{}, {"cmd": ""}, {"cmd": "curl " + "x" * 20_000}])
def test_what_cannot_be_shown_cannot_be_granted(tmp_path: Path, line: dict[str, Any]) -> None:
    tools, asked, result = _asked(tmp_path, AGREE, arguments=line)
    with tools.client:
        assert result["isError"]
        assert not asked


@pytest.mark.requirement("coding-permissions-bound")
@pytest.mark.parametrize(
    "more", [{"env": {"A": "b"}}, {"stdin": "x"}, {"workdir": "sub"}, {"tty": True}]
)
def test_a_grant_fits_only_the_call_that_was_shown(tmp_path: Path, more: dict[str, Any]) -> None:
    (tmp_path / "sub").mkdir()
    line = {"cmd": "echo $(echo inner)"}
    tools, _, _ = _asked(tmp_path, AGREE, permission="shell_expansion", arguments=line)
    with tools.client:
        assert tools.fails("exec_command", **line, **more)["code"] == "PERMISSION_REQUIRED"
        assert "inner" in tools.ok("exec_command", **line, yield_time_ms=20000)["stdout"]
