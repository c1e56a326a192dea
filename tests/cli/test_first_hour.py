"""What a person meets in the first hour: the demo, documents, empty answers, a served terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
import tomllib
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import yaml

from redline.cli.main import main
from tests.cli.shell import Shell

YAML = "a:\n  b:\n    c: 1  # one\n    d:\n      - x\n  e: 'it''s'\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.requirement("meta-first-hour")
def test_the_demo_points_at_the_line_that_the_person_changed(shell: Shell) -> None:
    code, printed, _ = shell("demo")
    assert code == 0
    (third,) = re.findall(r"^3\..*?^4\.", printed.decode(), re.DOTALL | re.MULTILINE)
    assert re.search(r"line 2\b", third), third


@pytest.mark.requirement("meta-first-hour")
def test_get_prints_what_parses_again_and_a_bare_text_on_request(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text(YAML)
    whole = yaml.safe_load(YAML)
    for key, wanted in (("a", whole["a"]), ("a.b", whole["a"]["b"]), ("a.b.d", ["x"])):
        _, printed, _ = shell("get", "a.yaml", key)
        assert yaml.safe_load(printed) == wanted
    (shell.folder / "a.toml").write_text('[tool]\nname = "shop"\n[tool.more]\nx = 1\n')
    printed = shell("get", "a.toml", "tool.more")[1].decode()
    assert tomllib.loads(printed) == {"tool": {"more": {"x": 1}}}
    assert shell("get", "a.yaml", "a.e")[1] == b"'it''s'\n"
    assert shell("get", "-r", "a.yaml", "a.e")[1] == b"it's\n"
    assert shell("get", "-r", "a.yaml", "a.b.c")[1] == b"1\n"


@pytest.mark.requirement("meta-first-hour")
def test_a_plus_in_brackets_appends(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text(YAML)
    assert shell("set", "a.yaml", "a.b.d[+]", "y")[0] == 0
    assert "      - x\n      - y\n" in (shell.folder / "a.yaml").read_text()
    code, _, said = shell("set", "a.yaml", "a[+]", "y")
    assert code == 1
    assert "Only a list can be appended to" in said
    assert shell("delete", "a.yaml", "a.b.d[+]")[0] == 2


@pytest.mark.requirement("meta-first-hour")
def test_a_wrong_file_is_named_as_what_it_is(shell: Shell) -> None:
    (shell.folder / "a.py").write_text("print(1)\n")
    (shell.folder / "app.yaml").write_text("port: 1\n")
    for command in (("get", "a.py"), ("set", "a.py", "x", "1"), ("instruct", "a.py", "x = 1")):
        code, _, said = shell(*command)
        assert code != 0
        assert "Not a YAML, JSON or TOML file but python: a.py" in said
    code, _, said = shell("json", "app.yaml", "set the port to 2")
    assert code == 1
    assert 'json "INSTRUCTION" FILE' in said
    code, _, said = shell("instruct", "set the port to 2", "app.yaml")
    assert 'instruct FILE "INSTRUCTION"' in said


@pytest.mark.requirement("meta-first-hour")
def test_every_empty_answer_has_the_same_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "a.yaml").write_text("a: 1\n")
    for command in (
        *(["log"], ["show"], ["undo"], ["redo"], ["context", "nothing"], ["get", "a.yaml", "b"]),
        *(["query", "a.yaml", "$.b"], ["rewrite", "foo($A)", "--language", "python"]),
        *(["rewrite", "f($A)", "$A", "--language", "python"], ["instruct", "a.yaml", "a = 1"]),
    ):
        assert main(command) == 3, command


@pytest.mark.requirement("meta-first-hour")
def test_a_server_at_a_terminal_says_who_connects_and_what_changes(shell: Shell) -> None:
    outer, inner = pty.openpty()
    server = subprocess.Popen(
        [sys.executable, "-m", "redline", "serve", "--port", "0", "--tools", "agent"],
        cwd=shell.folder,
        env=shell.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=inner,
    )
    os.close(inner)
    seen, is_new = bytearray(), threading.Condition()

    def read() -> None:
        try:
            while data := os.read(outer, 4096):
                with is_new:
                    seen.extend(data)
                    is_new.notify_all()
        except OSError:
            pass

    def wait_for(pattern: bytes) -> re.Match[bytes]:
        with is_new:
            assert is_new.wait_for(lambda: re.search(pattern, seen), timeout=60), bytes(seen)
            found = re.search(pattern, seen)
        assert found
        return found

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        url = wait_for(rb"(http://127.0.0.1:\d+/mcp)")[1].decode()
        session = _post(url, "", "initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "my-agent", "version": "7"},
        })  # fmt: skip
        wait_for(rb"\d\d:\d\d:\d\d  my-agent 7 connected\r\n")
        call = {"name": "write", "arguments": {"path": "a.txt", "content": "x\n"}}
        _post(url, session, "tools/call", call)
        wait_for(rb"\d\d:\d\d:\d\d  \w{8}  write: create a.txt\r\n")
    finally:
        server.terminate()
        server.wait(60)
        os.close(outer)


def _post(url: str, session: str, method: str, params: object) -> str:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **({"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"} if session else {}),
    }
    with urlopen(Request(url, body, headers), timeout=60) as reply:
        reply.read()
        return str(reply.headers.get("Mcp-Session-Id") or session)


@pytest.mark.requirement("meta-first-hour")
def test_undo_redo_rewind_and_restore_are_quiet_on_request(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text("a: 1\n")
    shell("set", "a.yaml", "a", "2", "-q")
    for command in (["undo"], ["redo"], ["rewind", "1d"], ["restore", "a.yaml", "--at", "@-1"]):
        _, printed, _ = shell(*command, "-q")
        assert re.fullmatch(rb"\w{8}  .*  edit a\.yaml\n", printed), (command, printed)
        assert b"@@" in shell("undo", "@", "--dry-run", "-q")[1]


@pytest.mark.requirement("meta-first-hour")
def test_a_time_before_the_history_is_answered_with_where_it_begins(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text("a: 1\n")
    shell("set", "a.yaml", "a", "2", "-q")
    first = json.loads(shell("log", "--json")[1])[0]["id"]
    shell("set", "a.yaml", "a", "3", "-q")
    for command in (["rewind", "2020-01-01"], ["restore", "a.yaml", "--at", "3d"]):
        code, _, said = shell(*command, "--dry-run")
        assert code == 0
        assert said.startswith(f"note: the history begins with {first}, ")
        assert said.endswith(": nothing older is known\n")
    assert shell("rewind", first, "--dry-run")[2] == ""


@pytest.mark.requirement("meta-first-hour")
def test_context_looks_in_the_whole_workspace_from_any_directory_of_it(shell: Shell) -> None:
    (shell.folder / "sub").mkdir()
    (shell.folder / ".git").mkdir()
    (shell.folder / "a.py").write_text("def greet() -> None: ...\n")
    (shell.folder / "sub" / "b.py").write_text("from a import greet\n\ngreet()\n")
    done = subprocess.run(
        [sys.executable, "-m", "redline", "context", "greet", "--kind", "references"],
        cwd=shell.folder / "sub",
        env=shell.env,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert b"sub/b.py:3" in done.stdout
    assert b"a.py:1" in shell("context", "greet")[1]
    inner = shell("context", "greet", "--workspace", "sub")[1]
    assert inner.count(b"a.py") == 0
