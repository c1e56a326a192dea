"""The command tools over the wire, on both transports."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.processes.ground import processes_with, require
from tests.engine.bench import snapshot
from tests.support import need
from tests.wire.client import Client, HttpClient, connect

TRANSPORTS_TAKE_TURNS = True


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    require("bubblewrap")
    made = tmp_path / "ws"
    made.mkdir()
    (made / "a.txt").write_text("one\n")
    return made


@pytest.fixture
def client(transport: str, workspace: Path, tmp_path: Path) -> Iterator[Client]:
    args = ["--tools", "coding,history", "--workspace", str(workspace)]
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with connect(transport, args, env=env, cwd=workspace) as made:
        yield made


def answer(reply: dict[str, Any]) -> dict[str, Any]:
    """The structured content, which the first text mirrors."""
    result = reply["result"]
    structured: dict[str, Any] = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == structured
    assert structured["ok"] is not result.get("isError", False)
    return structured


@pytest.mark.requirement("coding-exec-output", "coding-exec-sandbox-states")
def test_a_command_runs_and_says_what_held_it(client: Client) -> None:
    got = answer(client.call("exec_command", {"cmd": "cat a.txt; exit 3", "yield_time_ms": 20000}))
    assert (got["status"], got["exit_code"], got["stdout"]) == ("exited", 3, "one\n")
    assert got["sandbox"]["net"] == "none"


@pytest.mark.requirement("coding-exec-gate-refusal")
@pytest.mark.parametrize(
    ("arguments", "permission"),
    [
        ({"cmd": "cat /etc/passwd"}, "filesystem_escape"),
        ({"cmd": "ls", "env": {"API_TOKEN": "x"}}, "sensitive_env"),
        ({"cmd": "python3 -c 'print(1)'"}, "inline_script"),
        ({"cmd": "echo $(ls)"}, "shell_expansion"),
        ({"cmd": "rm -rf x"}, "destructive_command"),
        ({"cmd": "curl example.org"}, "network"),
    ],
)
def test_a_refusal_has_code_category_and_permission(
    client: Client, arguments: dict[str, Any], permission: str
) -> None:
    got = answer(client.call("exec_command", arguments))
    assert (got["error"]["code"], got["error"]["category"]) == ("PERMISSION_REQUIRED", "permission")
    assert got["error"]["details"]["permission"] == permission
    assert got["error"]["retryable"] is False
    assert got["permission_request"] == {
        "tool_name": "exec_command",
        "permission": permission,
        "status": "required",
        "retryable": True,
    }


@pytest.mark.requirement("coding-exec-session", "coding-exec-tty")
def test_a_session_is_typed_into_polled_and_killed(client: Client) -> None:
    line = "while read x; do echo got $x; done"
    got = answer(client.call("exec_command", {"cmd": line, "tty": True, "yield_time_ms": 100}))
    assert got["status"] == "running"
    session, text = got["session_id"], ""
    while "got hello" not in text:
        arguments = {"session_id": session, "chars": "hello\n", "yield_time_ms": 10000}
        text += answer(client.call("write_stdin", arguments))["stdout"]
    ended = answer(client.call("kill_session", {"session_id": session}))
    assert (ended["killed"], ended["status"]) == (True, "terminated")
    gone = answer(client.call("write_stdin", {"session_id": session}))
    assert gone["error"]["code"] == "SESSION_NOT_FOUND"
    assert "denied" in json.dumps(gone)


@pytest.mark.requirement("coding-exec-once")
@pytest.mark.parametrize("tty", [False, True])
def test_polls_up_to_the_end_give_each_byte_once(client: Client, tty: bool) -> None:
    """The command ends between two polls as often as during one."""
    line = "for i in 1 2 3 4; do echo $i; sleep 0.02; done"
    for pause in range(40):
        arguments = {"cmd": line, "tty": tty, "yield_time_ms": 20}
        got = answer(client.call("exec_command", arguments))
        text, poll = got["stdout"], {"session_id": got["session_id"], "yield_time_ms": pause}
        while got["status"] == "running":
            got = answer(client.call("write_stdin", poll))
            text += got["stdout"]
        assert text.split() == ["1", "2", "3", "4"]


@pytest.mark.requirement("coding-exec-tty-end")
def test_a_short_command_on_a_terminal_has_ended_when_it_is_answered(client: Client) -> None:
    arguments = {"cmd": "echo x", "tty": True, "yield_time_ms": 20000}
    for _ in range(10):
        got = answer(client.call("exec_command", arguments))
        assert (got["status"], got["exit_code"], got["stdout"]) == ("exited", 0, "x\r\n")


@pytest.mark.requirement("coding-exec-timeout", "coding-exec-survivors")
def test_the_watchdog_ends_a_command_nobody_asks_about(client: Client) -> None:
    marker = _marker(1)
    arguments = {"cmd": f"setsid sleep {marker} & sleep {marker}", "timeout_ms": 700}
    got = answer(client.call("exec_command", {**arguments, "yield_time_ms": 0}))
    assert got["status"] == "running"
    poll = {"session_id": got["session_id"], "yield_time_ms": 30000}
    got = answer(client.call("write_stdin", poll))
    assert (got["status"], got["timed_out"]) == ("timeout", True)
    assert processes_with(marker) == []


@pytest.mark.requirement("coding-exec-concurrent")
def test_ping_and_other_calls_are_answered_while_a_command_runs(client: Client) -> None:
    running = client.start(
        "tools/call",
        {"name": "exec_command", "arguments": {"cmd": "sleep 4", "yield_time_ms": 20000}},
    )
    assert client.request("ping")["result"] == {}
    assert answer(client.call("read_file", {"path": "a.txt"}))["content"].startswith("one")
    quick = answer(client.call("exec_command", {"cmd": "echo quick", "yield_time_ms": 3000}))
    assert quick["stdout"] == "quick\n"
    assert answer(client.finish(running))["exit_code"] == 0


@pytest.mark.requirement("coding-exec-cancel")
def test_cancelling_by_session_id_kills_the_command(client: Client) -> None:
    marker = _marker(2)
    got = answer(client.call("exec_command", {"cmd": f"sleep {marker}", "yield_time_ms": 0}))
    client.notify("notifications/cancelled", {"session_id": got["session_id"]})
    poll = {"session_id": got["session_id"], "yield_time_ms": 20000}
    ended = answer(client.call("write_stdin", poll))
    assert ended.get("status") != "running"
    assert processes_with(marker) == []


def _marker(number: int) -> str:
    """Seconds to sleep that no test in another process sleeps."""
    return f"315{number}{os.getpid():08}"


@pytest.mark.requirement("coding-exec-cancel")
def test_cancelling_the_request_kills_the_command(workspace: Path) -> None:
    with connect("stdio", ["--tools", "coding", "--workspace", str(workspace)]) as client:
        params = {"cmd": "touch up; sleep 31537003", "yield_time_ms": 30000}
        started = client.start("tools/call", {"name": "exec_command", "arguments": params})
        while not (workspace / "up").exists():
            client.request("ping")
        client.notify("notifications/cancelled", {"requestId": started[0]})
        while processes_with("31537003"):
            client.request("ping")


@pytest.mark.requirement("coding-exec-undo")
def test_undo_change_brings_back_what_a_command_removed(client: Client, workspace: Path) -> None:
    got = answer(client.call("exec_command", {"cmd": "rm a.txt", "yield_time_ms": 20000}))
    assert not (workspace / "a.txt").exists()
    reply = client.call("undo_change", {"id": got["change_id"]})
    assert not reply["result"].get("isError"), reply
    assert (workspace / "a.txt").read_text() == "one\n"


CHANGED_KINDS = {
    "a directory became a link": "rm d/f d/g && rmdir d && ln -s elsewhere d",
    "a directory became a link to outside": "sh swap.sh",
    "a link became a directory": "rm l && mkdir l && cp d/f l/f && cp d/f l/made",
    "a file became a directory": "rm a.txt && mkdir a.txt && cp d/f a.txt/inner",
    "a directory became a file": "rm d/f d/g && rmdir d && cp a.txt d",
    "a link became a file": "rm l && cp a.txt l",
    "a file became a link to a directory": "rm a.txt && ln -s d a.txt",
}


@pytest.mark.requirement("coding-exec-undo")
@pytest.mark.parametrize("line", CHANGED_KINDS.values(), ids=CHANGED_KINDS)
def test_a_place_that_became_another_kind_comes_back_and_goes_again(
    client: Client, workspace: Path, line: str
) -> None:
    for name in ("d", "elsewhere", "../outside"):
        (workspace / name).mkdir()
        (workspace / name / "f").write_text(f"f of {name}\n")
    (workspace / "d/g").write_text("g\n")
    (workspace / "d/g").chmod(0o750)
    (workspace / "l").symlink_to("elsewhere")
    (workspace / "out").symlink_to("../outside")
    (workspace / "swap.sh").write_text("rm d/f d/g && rmdir d && mv out d\n")
    before, outside = snapshot(workspace), snapshot(workspace / "../outside")
    got = answer(client.call("exec_command", {"cmd": line, "yield_time_ms": 20000}))
    assert got["exit_code"] == 0, got
    after = snapshot(workspace)
    assert after != before
    for tool, wanted in (
        ("undo_change", before),
        ("redo_change", after),
        ("undo_change", before),
    ):
        reply = client.call(tool, {})
        assert not reply["result"].get("isError"), reply
        assert snapshot(workspace) == wanted
    assert snapshot(workspace / "../outside") == outside


@pytest.mark.requirement("coding-exec-survivors")
def test_nothing_outlives_the_server(workspace: Path, transport: str) -> None:
    with connect(transport, ["--tools", "coding", "--workspace", str(workspace)]) as client:
        line = f"setsid sleep {_marker(4)} & echo up; sleep {_marker(4)}"
        got = answer(client.call("exec_command", {"cmd": line, "yield_time_ms": 300, "tty": True}))
        poll = {"session_id": got["session_id"], "yield_time_ms": 300}
        while "up" not in got["stdout"]:
            got = answer(client.call("write_stdin", poll))
        assert processes_with(_marker(4))
    assert processes_with(_marker(4)) == []


@pytest.mark.requirement("coding-exec-owner")
def test_another_http_session_cannot_use_the_handle(workspace: Path) -> None:
    with connect("http", ["--tools", "coding", "--workspace", str(workspace)]) as client:
        assert isinstance(client, HttpClient)
        got = answer(client.call("exec_command", {"cmd": "sleep 60", "yield_time_ms": 0}))
        mine = client.session
        client.session = None
        client.initialize()
        assert client.session != mine
        for tool in ("write_stdin", "kill_session"):
            refused = answer(client.call(tool, {"session_id": got["session_id"]}))
            assert refused["error"]["code"] == "SESSION_NOT_FOUND"
        client.session = mine
        ended = answer(client.call("kill_session", {"session_id": got["session_id"]}))
        assert ended["killed"] is True


@pytest.mark.requirement("coding-exec-dry-run")
def test_a_dry_run_is_shown_and_applied(client: Client, workspace: Path) -> None:
    arguments: dict[str, Any] = {"cmd": "sed -i s/one/two/ a.txt", "yield_time_ms": 20000}
    dry = answer(client.call("exec_command", {**arguments, "dry_run": True}))
    if not dry["ok"]:
        need(dry["error"]["code"] != "SANDBOX_UNAVAILABLE", "overlayfs in user namespaces")
    assert "-one\n+two\n" in dry["diff"]
    assert (workspace / "a.txt").read_text() == "one\n"
    done = answer(client.call("exec_command", {**arguments, "apply": dry["session_id"]}))
    assert done["status"] == "applied"
    assert (workspace / "a.txt").read_text() == "two\n"
