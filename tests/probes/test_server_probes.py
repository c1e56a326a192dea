"""Runs the probes of server.toml against real servers and the real command."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Shell
from tests.probes.frame import Probe, each, probes
from tests.probes.hostile_arguments import calls
from tests.probes.issuer import Issuer, open_issuer
from tests.processor import queued_seconds, seconds_to_end, used_seconds
from tests.support import LONG, REPO
from tests.wire.client import Client, HttpClient, connect
from tests.wire.conftest import FIXTURES

PROBES = probes("server")
# An answer that takes longer than this came from something that hung, on a busy machine too.
PROMPT = 60.0
# What a cancelled call may still compute, in seconds of processor time.
_MAX_AFTER_CANCEL = 2.0
HIDDEN = ("\x1b", "\x07", "\x9b", "\u202e", "\r")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("probes") / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    (folder / "big.txt").write_text("".join(f"line {n} alpha\n" for n in range(20_000)))
    (folder / "big.json").write_text(json.dumps({"a": list(range(5000))}))
    (folder / "huge.json").write_text('{"a": 1e999999999}')
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path) -> Iterator[Client]:
    """One server with every tool."""
    with connect("stdio", ["--tools", "all"], cwd=workspace) as client:
        yield client


def arguments_of(probe: Probe, folder: Path) -> dict[str, Any]:
    """The arguments a probe describes; long ones are written as what is repeated."""
    found = dict(probe.get("arguments", {}))
    found.update({name: str(folder) for name in probe.get("rooted", ())})
    for name, (text, count) in probe.get("repeat", {}).items():
        long = text * count
        long = probe.get("prefix", {}).get(name, "") + long + probe.get("suffix", {}).get(name, "")
        found[name] = [long] if name == "globs" else long
    for name, (text, count) in probe.get("many", {}).items():
        found[name] = [text.replace("{n}", str(n)) for n in range(count)]
    if probe["tool"] == "glob_search":
        found["directory"] = str(folder)
    return found


# --- the terminal --------------------------------------------------------------------------------


@each(PROBES, "terminal")
def test_nothing_of_others_reaches_a_terminal_unescaped(probe: Probe, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    state = {"REDLINE_STATE_DIR": shell.env["REDLINE_STATE_DIR"]}
    with connect("stdio", ["--tools", "files"], cwd=shell.folder, env=state) as client:
        path = f"{shell.folder}/{probe['name']}"
        reply = client.call("write_file", {"path": path, "content": probe["content"]})
        assert "error" not in reply, reply
    for command in ("log", "show"):
        code, printed, said = shell(command)
        assert code == 0, said
        text = printed.decode()
        assert not [mark for mark in HIDDEN if mark in text], (command, text)
        if command == "log" and probe.get("lines"):
            assert len(text.splitlines()) == probe["lines"], text


# --- what blocks ---------------------------------------------------------------------------------


def with_fifos(folder: Path, files: list[str]) -> Path:
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    for name in ("src/a.py", "deep/ignored/b.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("def needle():\n    return 1\n")
    (folder / "deep" / ".gitignore").write_text("ignored/\n")
    for name in files:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
    return folder


@each(PROBES, "fifo")
def test_no_open_blocks(probe: Probe, tmp_path: Path) -> None:
    folder = with_fifos(tmp_path / "work", probe["files"])
    with connect("stdio", ["--tools", "coding,code"], cwd=folder) as client:
        params = {"name": probe["tool"], "arguments": probe["arguments"]}
        reply = json.dumps(client.request("tools/call", params, timeout=PROMPT))
        assert probe["sees"] in reply
        assert probe.get("hides", "ignored/b.py") not in reply


@each(PROBES, "stall")
def test_calls_that_meet_a_fifo_stall_nobody(probe: Probe, tmp_path: Path) -> None:
    folder = with_fifos(tmp_path / "work", [".gitignore"])
    with connect("stdio", ["--tools", "coding"], cwd=folder) as client:
        search = {"name": "search_text", "arguments": {"query": "needle"}}
        started = [client.start("tools/call", search) for _ in range(probe["calls"])]
        client.request("ping", timeout=PROMPT)
        listed = client.request("tools/call", {"name": "list_files", "arguments": {}}, timeout=60)
        assert "src/a.py" in json.dumps(listed)
        for one in started:
            assert "src/a.py" in json.dumps(client.finish(one, timeout=60))
        assert seconds_to_end(client.process) < 5


@each(PROBES, "sigterm")
def test_sigterm_ends_a_server_whose_calls_hang(probe: Probe, tmp_path: Path) -> None:
    args = ["--tools", "fixtures"]
    with connect(probe["transport"], args, cwd=tmp_path, env=FIXTURES) as client:
        client.start("tools/call", {"name": "hang", "arguments": {"path": "hangs"}})
        deadline = time.monotonic() + PROMPT
        while not (tmp_path / "hangs").exists():
            assert time.monotonic() < deadline, "the call never began"
            client.request("ping")
        assert seconds_to_end(client.process) < 5


@each(PROBES, "eof")
def test_the_end_of_input_ends_a_server_whose_calls_hang(probe: Probe, tmp_path: Path) -> None:
    with connect("stdio", ["--tools", "fixtures"], cwd=tmp_path, env=FIXTURES) as client:
        client.start("tools/call", {"name": "hang", "arguments": {"path": "hangs"}})
        assert client.process.stdin
        client.process.stdin.close()
        client.process.wait(probe["seconds"])


# --- the program's own files ---------------------------------------------------------------------


@each(PROBES, "changed-module")
def test_workers_do_not_run_what_changed_since_the_start(probe: Probe, tmp_path: Path) -> None:
    library, mark, work = tmp_path / "library", tmp_path / "mark", tmp_path / "work"
    work.mkdir()
    (work / "a.py").write_text("def wanted():\n    return 1\n")
    (work / "a.json").write_text('{"a": 1}')
    package = library / "redline"
    shutil.copytree(REPO / "src" / "redline", package, ignore=shutil.ignore_patterns("__pycache__"))
    planted = f"\nopen({str(mark)!r}, 'w').close()\n"
    replaced = probe.get("replaced")
    if replaced:
        shutil.copytree(package / replaced, library / replaced)
        with (library / probe["module"]).open("a") as file:
            file.write(planted)
    env = {"PYTHONPATH": str(library), "PYTHONDONTWRITEBYTECODE": "1"}
    with connect("stdio", ["--tools", "all"], cwd=work, env=env) as client:
        if replaced:
            (package / replaced).rename(library / "before")
            (library / replaced).rename(package / replaced)
        else:
            with (package / probe["module"]).open("a") as file:
                file.write(planted)
        params = {"name": probe["tool"], "arguments": probe["arguments"]}
        reply = json.dumps(client.request("tools/call", params, timeout=60))
    assert probe["sees"] in reply
    assert not mark.exists()


# --- loops that a caller lengthens ---------------------------------------------------------------


@each(PROBES, "refused")
def test_what_asks_for_endless_work_is_refused(
    probe: Probe, server: Client, workspace: Path
) -> None:
    params = {"name": probe["tool"], "arguments": arguments_of(probe, workspace)}
    reply = json.dumps(server.request("tools/call", params, timeout=PROMPT))
    assert "Internal error" not in reply
    assert probe["sees"] in reply


@each(PROBES, "answered")
def test_no_pattern_takes_exponential_time(probe: Probe, tmp_path: Path) -> None:
    (tmp_path / (probe["file"] + "c")).write_text("x\n")
    if probe.get("gitignore"):
        (tmp_path / ".gitignore").write_text(probe["gitignore"] + "\n")
    with connect("stdio", ["--tools", "coding"], cwd=tmp_path) as client:
        params = {"name": probe["tool"], "arguments": arguments_of(probe, tmp_path)}
        assert "result" in client.request("tools/call", params, timeout=PROMPT)


def lengthened(tool: str, count: int, folder: Path) -> dict[str, Any]:
    if tool == "edit_file":
        edits = [{"oldText": f"line {n} alpha", "newText": f"row {n}"} for n in range(count)]
        return {"path": f"{folder}/big.txt", "edits": edits, "dryRun": True}
    if tool == "doc_set":
        several = [{"action": "set", "path": f"a[{n % 5000}]", "value": "7"} for n in range(count)]
        return {"file": "big.json", "edits": several, "dry_run": True}
    if tool == "json_editor_preview":
        names = {f"name_{n}": {"name": 0} for n in range(count)}
        (folder / "names.json").write_text(json.dumps(names))
        return {"document_path": "names.json", "instruction": "set name to x"}
    hunks = "".join(f"@@\n-line {n} alpha\n+row {n}\n" for n in range(count))
    patch = f"*** Begin Patch\n*** Update File: big.txt\n{hunks}*** End Patch\n"
    return {"patch": patch, "dry_run": True}


def seconds_until_idle(pid: int) -> float:
    """Return the processor time that a process uses until it rests; stop when that is too long."""
    before = used_seconds(pid)
    while (spent := used_seconds(pid) - before) < _MAX_AFTER_CANCEL:
        seen = used_seconds(pid), queued_seconds(pid)
        time.sleep(0.5)  # between two measurements
        if used_seconds(pid) - seen[0] < 0.1 and queued_seconds(pid) - seen[1] < 0.1:
            break
    return spent


@each(PROBES, "cancelled")
def test_a_cancelled_call_stops_computing(probe: Probe, workspace: Path) -> None:
    with connect("stdio", ["--tools", "all"], cwd=workspace) as client:
        pid = client.process.pid
        call = lengthened(probe["tool"], probe["count"], workspace)
        client.request("ping")
        before = used_seconds(pid)
        client.start("tools/call", {"name": probe["tool"], "arguments": call})
        number = client._next_id
        while used_seconds(pid) - before < 1.0:
            client.request("ping")  # also where it is answered before that
        client.notify("notifications/cancelled", {"requestId": number})
        assert seconds_until_idle(pid) < _MAX_AFTER_CANCEL


# --- connections and the log ---------------------------------------------------------------------


def _open_sockets(pid: int) -> int:
    sockets = 0
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            sockets += os.readlink(link).startswith("socket:")
    return sockets


@each(PROBES, "connections")
def test_idle_connections_lock_nobody_out(probe: Probe, tmp_path: Path) -> None:
    args = ["--tools", "fixtures", "--max-connections", str(probe["limit"])]
    with connect("http", args, cwd=tmp_path, env=FIXTURES) as client:
        assert isinstance(client, HttpClient)
        opened = [
            socket.create_connection(("127.0.0.1", client.port)) for _ in range(probe["count"])
        ]
        try:
            assert "result" in client.request("tools/list", timeout=PROMPT)
            # The server itself has a few: the one that listens, those of its loop and workers.
            assert _open_sockets(client.process.pid) <= probe["limit"] + 12
        finally:
            for one in opened:
                one.close()


@each(PROBES, "garbage")
def test_garbage_does_not_flood_the_log(probe: Probe, tmp_path: Path) -> None:
    with connect("http", ["--tools", "fixtures"], cwd=tmp_path, env=FIXTURES) as client:
        assert isinstance(client, HttpClient)
        for _ in range(probe["count"]):
            with socket.create_connection(("127.0.0.1", client.port)) as one:
                one.sendall(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
                one.recv(1000)
        assert "result" in client.request("tools/list", timeout=PROMPT)
        client.close()
        assert len(client.stderr.splitlines()) <= probe["lines"], client.stderr[:2000]
        assert "Traceback" not in client.stderr


# --- tokens, framing, schemas --------------------------------------------------------------------


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with open_issuer() as found:
        yield found


@pytest.fixture(scope="module")
def guarded(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """A server that asks for access tokens of the issuer."""
    args = ["--tools", "fixtures", "--oauth-issuer", issuer.base]
    args += ["--oauth-audience", issuer.audience]
    folder = tmp_path_factory.mktemp("guarded")
    with connect("http", args, cwd=folder, env=FIXTURES, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield client


@each(PROBES, "jwt")
def test_a_token_that_does_not_fit_its_key_is_refused(
    probe: Probe, issuer: Issuer, guarded: HttpClient
) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    token = issuer.token(probe["algorithm"], probe["kid"])
    status, _, _ = guarded.post(ping, {"Authorization": f"Bearer {token}"})
    assert status == 401
    assert "Traceback" not in guarded.stderr


@each(PROBES, "framing")
def test_doubtful_framing_is_refused_and_ends_the_connection(
    probe: Probe, guarded: HttpClient
) -> None:
    head = [f"POST /mcp HTTP/{probe.get('version', '1.1')}", f"Host: 127.0.0.1:{guarded.port}"]
    head += ["Content-Type: application/json", *probe["head"], "", probe["body"]]
    with socket.create_connection(("127.0.0.1", guarded.port), timeout=PROMPT) as one:
        one.sendall("\r\n".join(head).encode())
        answer = b""
        while piece := one.recv(1 << 16):
            answer += piece
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501")), answer
    assert answer.count(b"HTTP/1.1") == 1, answer


@each(PROBES, "schema")
def test_valid_is_not_said_where_no_schema_was_used(
    probe: Probe, server: Client, workspace: Path
) -> None:
    (workspace / "s.json").write_text(probe.get("schema", "{}"))
    (workspace / "checked.json").write_text(probe["document"])
    reply = server.request(
        "tools/call", {"name": "doc_validate", "arguments": {"file": "checked.json"}}
    )
    assert "Internal error" not in json.dumps(reply)
    assert reply["result"]["isError"], reply


# --- anything else -------------------------------------------------------------------------------


@each(PROBES, "generated")
def test_no_arguments_make_an_internal_error(probe: Probe, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / "dir").mkdir(parents=True)
    os.mkfifo(folder / "fifo")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "big.bin").write_bytes(b"\0\xff" * 5000)
    texts = {
        "a.txt": "one\n",
        "b.json": '{"a": {"b": [1, 2]}}',
        "c.yaml": "a: 1\n",
        "d.toml": "a = 1\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    rounds = probe["long_rounds"] if LONG else probe["rounds"]
    seed = os.environ.get("REDLINE_SEED", "probes")
    with connect("stdio", ["--tools", "all"], cwd=folder) as client:
        for tool, arguments in calls(client.list_tools(), seed, rounds):
            reply = client.request("tools/call", {"name": tool, "arguments": arguments}, timeout=60)
            assert "Internal error" not in json.dumps(reply), (tool, arguments, client.stderr)
