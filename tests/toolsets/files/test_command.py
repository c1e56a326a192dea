"""execute_command over the wire."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolsets.files.conftest import Desk


@pytest.mark.requirement("files-command-output", "files-command-shell")
def test_output_and_exit_code(desk: Desk) -> None:
    result = desk.call("execute_command", command="echo one && echo two | tr a-z A-Z")
    assert result["isError"] is False
    assert result["content"] == [{"type": "text", "text": "one\nTWO\n[exit code: 0]"}]
    silent = desk.call("execute_command", command="true")
    assert silent["content"] == [{"type": "text", "text": "(no output)\n[exit code: 0]"}]
    failed = desk.call("execute_command", command="exit 3")
    assert failed["content"] == [{"type": "text", "text": "(no output)\n[exit code: 3]"}]


@pytest.mark.requirement("files-command-stderr", "files-command-is-error")
def test_errors_come_in_a_second_block_and_failure_is_marked(desk: Desk) -> None:
    result = desk.call("execute_command", command="echo out; echo bad >&2; exit 3")
    assert result["isError"] is True
    texts = [block["text"] for block in result["content"]]
    assert texts[:2] == ["out\n[exit code: 3]", "[stderr]\nbad\n"]
    assert result["structuredContent"]["exitCode"] == 3


@pytest.mark.requirement("files-command-directory")
def test_the_working_directory(desk: Desk) -> None:
    def where(**options: object) -> str:
        return desk.text("execute_command", command="pwd -P", **options).split("\n")[0]

    assert where() == str(desk.root)
    assert where(workingDirectory=desk.here) == str(desk.here)
    assert where(workingDirectory=desk.readable) == str(desk.readable)


@pytest.mark.requirement("files-command-timeout")
def test_a_command_that_takes_too_long_is_ended_with_what_it_said(desk: Desk) -> None:
    result = desk.call("execute_command", command="echo begun; sleep 60", timeout=1)
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert text.startswith("[command timed out]\nbegun\n")
    assert result["structuredContent"]["timedOut"] is True


@pytest.mark.requirement("files-command-grace")
def test_a_command_over_its_time_may_clean_up_but_not_stay(desk: Desk) -> None:
    polite = "trap 'sleep 1.5; echo cleaned; exit 0' TERM; while :; do sleep 0.1; done"
    result = desk.call("execute_command", command=polite, timeout=1)
    assert "cleaned" in result["content"][0]["text"]
    assert result["isError"] is True
    stubborn = "trap '' TERM; echo stays; while :; do sleep 0.1; done"
    result = desk.call("execute_command", command=stubborn, timeout=1)
    assert "stays" in result["content"][0]["text"]
    assert result["structuredContent"]["timedOut"] is True


@pytest.mark.requirement("files-command-cap")
def test_each_stream_is_capped(desk: Desk) -> None:
    line = "head -c 600000 /dev/zero | tr '\\0' q; head -c 600000 /dev/zero | tr '\\0' y >&2"
    result = desk.call("execute_command", command=line)
    out, errors = (block["text"] for block in result["content"])
    assert out.count("q") == errors.count("y") == 512 * 1024
    assert "[output truncated at 512 KB]" in out
    assert "[output truncated at 512 KB]" in errors


@pytest.mark.requirement("files-command-errors")
def test_refused_commands(desk: Desk) -> None:
    assert desk.error("execute_command")[0] == -32602
    outside = desk.error("execute_command", command="true", workingDirectory=desk.outside)
    assert outside[0] == -32001
    assert desk.error("execute_command", command="")[0] == -32602
    missing = desk.error("execute_command", command="true", workingDirectory=desk.here / "no")
    assert missing == (-32002, f"No such file or directory: {desk.here / 'no'}")
    file = desk.file("file.txt")
    assert desk.error("execute_command", command="true", workingDirectory=file)[0] == -32002


def test_output_that_is_no_utf_8_is_still_answered(desk: Desk) -> None:
    assert "\ufffd" in desk.text("execute_command", command="printf '\\377'")


def test_what_a_command_is_given_is_no_secret(desk: Desk) -> None:
    assert "REDLINE" not in desk.text("execute_command", command="env")


@pytest.mark.requirement("files-command-in-force")
def test_the_answer_says_what_was_in_force(desk: Desk) -> None:
    result = desk.call("execute_command", command="echo why >&2; exit 1")
    told = result["structuredContent"]["sandbox"]
    assert set(told) == {"fs", "net", "pids", "memory"}
    texts = [block["text"] for block in result["content"][1:]]
    assert texts == ["[stderr]\nwhy\n", f"[sandbox: {told['fs']}; network {told['net']}]"]


@pytest.mark.requirement("files-command-in-force", "files-command-stderr")
def test_an_older_client_is_told_what_was_in_force_beside_the_content(old_desk: Desk) -> None:
    result = old_desk.call("execute_command", command="echo one")
    assert result["content"] == [{"type": "text", "text": "one\n[exit code: 0]"}]
    assert set(result["_meta"]["redline/sandbox"]) == {"fs", "net", "pids", "memory"}


@pytest.mark.requirement("files-command-remarks")
def test_what_is_worth_knowing_comes_before_the_exit_code(desk: Desk) -> None:
    result = desk.call("execute_command", command="sleep 60 & echo one")
    lines = result["content"][0]["text"].split("\n")
    assert (lines[0], lines[-1]) == ("one", "[exit code: 0]")
    (remark,) = result["structuredContent"]["warnings"]
    assert lines[1] == f"[note: {remark}]"
    assert "Background processes" in remark
    assert len(result["content"]) == 1


@pytest.mark.requirement("files-command-remarks")
def test_what_ran_over_its_time_was_not_in_the_background(desk: Desk) -> None:
    result = desk.call("execute_command", command="sleep 60; echo never", timeout=1)
    assert result["structuredContent"]["timedOut"] is True
    assert result["structuredContent"]["warnings"] == []


@pytest.mark.requirement("files-command-gate")
def test_no_word_of_a_line_keeps_it_from_running(desk: Desk) -> None:
    (desk.here / "build").mkdir()
    (desk.here / "build" / "out.txt").write_text("made")
    assert desk.text("execute_command", command=f"rm -rf {desk.here}/build; echo done")
    assert not (desk.here / "build").exists()
    private = "echo own > /tmp/own.txt && cat /tmp/own.txt # requests, https://example.com"
    assert desk.text("execute_command", command=private) == "own\n[exit code: 0]"
    assert not Path("/tmp/own.txt").exists()


@pytest.mark.requirement("files-command-gate", "files-command-remarks")
def test_a_command_without_the_network_says_so_even_behind_a_pipe(desk: Desk) -> None:
    for line in (
        "curl -sS http://example.invalid 2>&1 | tail -5",
        "curl -s http://192.0.2.1/ | cat",
        "curl -s http://[2001:db8::1]/ || true",
    ):
        result = desk.call("execute_command", command=line)
        assert any("had no network" in each for each in result["structuredContent"]["warnings"])
    (desk.here / "threads.py").write_text(
        "import socket, threading\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "connect = lambda: print(bool(socket.create_connection(server.getsockname())))\n"
        "thread = threading.Thread(target=connect)\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    assert "True" in desk.text("execute_command", command=f"python3 {desk.here}/threads.py")
    listens = (
        "import socket; s = socket.create_server(('127.0.0.1', 0));"
        " socket.create_connection(s.getsockname())"
    )
    for line in (f'python3 -c "{listens}"', "curl -s http://localhost:9/ || true"):
        result = desk.call("execute_command", command=line)
        assert result["structuredContent"]["warnings"] == []


@pytest.mark.requirement("files-command-shell", "files-command-gate")
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("echo $((20 + 3)) ${none:-word}", "23 word"),
        ("echo $(printf in)`printf side`", "inside"),
        ("python3 -c 'print(20 + 3)'", "23"),
        ("sh -c 'exit 0' && echo done", "done"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done; echo $i", "3"),
    ],
)
def test_the_whole_language_of_the_shell_is_there(desk: Desk, command: str, printed: str) -> None:
    assert desk.text("execute_command", command=command) == f"{printed}\n[exit code: 0]"


@pytest.mark.requirement("files-command-gate")
def test_absolute_paths_beneath_the_allowed_directories_pass_the_gate(desk: Desk) -> None:
    (desk.here / "known.txt").write_text("inside")
    assert "inside" in desk.text("execute_command", command=f"cat {desk.here}/known.txt")
