"""Nobody reads what the server says to its operator: calls are answered all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.wire.client import ROOT
from tests.wire.conftest import FIXTURES

CALLS = 800


@pytest.mark.requirement("server-deaf-operator")
def test_refusals_are_answered_when_standard_error_is_a_pipe_nobody_reads(tmp_path: Path) -> None:
    env = {**os.environ, **FIXTURES, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
           "REDLINE_STATE_DIR": str(tmp_path / "state")}  # fmt: skip
    (tmp_path / "ws").mkdir()
    server = subprocess.Popen(
        [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "fixtures"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=tmp_path / "ws", env=env,
    )  # fmt: skip
    assert server.stdin
    assert server.stdout
    assert server.stderr
    watchdog = threading.Timer(60, server.kill)
    watchdog.start()
    answered = 0
    for number in range(CALLS):
        params = {"name": "refuse", "arguments": {"how": "path"}}
        call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        server.stdin.write(json.dumps(call).encode() + b"\n")
        server.stdin.flush()
        line = server.stdout.readline()
        if not line:
            break
        answered += json.loads(line)["id"] == number
    watchdog.cancel()
    server.stdin.close()
    said = server.stderr.read()
    assert server.wait(20) == 0
    server.stdout.close()
    server.stderr.close()
    assert answered == CALLS
    lines = said.decode().splitlines()
    assert all(json.loads(line)["kind"] == "path_denied" for line in lines[:-1]), "whole lines only"
    assert 100 < len(lines) <= CALLS
