"""A command cannot reach the page: it runs in another process than the server of the command."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command
from redline.core.ports.history import Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.review.browser import PageServer
from tests.support import need

CONNECT = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10).close()
    print("CONNECTED")
except OSError as failure:
    print("failed:", failure)
"""


@pytest.mark.requirement("web-out-of-reach")
def test_a_command_with_the_network_cannot_connect_to_the_page(tmp_path: Path) -> None:
    root, state = tmp_path / "ws", tmp_path / "state"
    root.mkdir()
    (root / "connect.py").write_text(CONNECT)
    settings = Settings(workspace=str(root), state_dir=str(state), sandbox="trusted")
    with Redline(settings) as redline:
        redline.tree  # noqa: B018  makes the state directory
        need(redline.commands.describe().backend != "none", "a sandbox")
        page, other = PageServer(root, state), PageServer(root, tmp_path / "other")
        try:
            answers = []
            for server in (page, other):
                port = server.address.rstrip("/").rpartition(":")[2]
                line = f"{shlex.quote(sys.executable)} connect.py {port}"
                command = Command(line, WorkspacePath(0, ()), permissions=frozenset({"network"}))
                job = redline.commands.start(command, Origin("exec_command"))
                job.wait(60)
                look = job.take()
                answers.append((look.stdout.head + look.stderr.head).decode())
        finally:
            page.kill()
            other.kill()
    assert answers[0].startswith("failed:"), answers
    # The page of another history is an ordinary service of the machine.
    assert answers[1].startswith("CONNECTED"), answers
