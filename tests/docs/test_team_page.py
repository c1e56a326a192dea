"""The walk of docs/team.md runs as it is printed, with a real server and a client's entry."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.support import REPO

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_WRITE = {"name": "write", "arguments": {"path": "hello.txt", "content": "hello\n"}}


def _walk(port: int) -> list[list[str]]:
    page = (
        (REPO / "docs" / "team.md")
        .read_text("utf-8")
        .replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    )
    return [re.findall(r"^\$ (.*)", block, re.MULTILINE) for block in _BLOCK.findall(page)]


class Shell:
    """One shell that a person types into."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            ["bash", "-m"], cwd=folder, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def type(self, command: str) -> str:
        """Run a command; return what it printed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\ncode=$?; echo; echo ended $code\n")
        self.process.stdin.flush()
        printed = ""
        for line in self.process.stdout:
            if line.startswith("ended "):
                assert line == "ended 0\n", (command, printed)
                return printed
            printed += line
        raise AssertionError(command)


def _call(entry: dict[str, Any]) -> dict[str, Any]:
    said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": _WRITE}
    headers = {
        **entry["headers"],
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    request = urllib.request.Request(entry["url"], json.dumps(said).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server does not answer")


@pytest.mark.requirement("meta-commands-run")
def test_a_team_is_served_as_the_page_says(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    programs = tmp_path / "bin"
    programs.mkdir()
    start = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m redline "$@"\n'
    (programs / "redline").write_text(start)
    (programs / "redline").chmod(0o755)
    place = tmp_path / "place"
    place.mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("REDLINE_", "XDG_"))}
    env |= {
        "PATH": f"{programs}:{env['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONPATH": str(REPO / "src"),
    }
    shell = Shell(place, env)
    server, client, looking, ending = _walk(port)
    try:
        for command in server:
            # The server prints at its own time.
            shell.type(command.replace(" &", " >/dev/null &"))
        _wait_for(port)
        for command in client:
            shell.type(command)
        entry = json.loads((place / "ana" / ".mcp.json").read_text())["mcpServers"]["redline"]
        assert "created hello.txt" in _call(entry)["result"]["content"][0]["text"]
        printed = "".join(map(shell.type, looking))
        assert re.search(r"ana .*write .*create hello\.txt", printed)
        assert not (place / "workspaces" / "billing" / "hello.txt").exists()
        shell.type(ending[0])
        with pytest.raises(urllib.error.HTTPError, match="401"):
            _call(entry)
        shell.type(ending[1])
    finally:
        shell.process.communicate("kill %1 2>/dev/null; wait\n", timeout=60)
