"""Both tools that run commands pass one gate and say alike what holds a command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.wire.client import Client, connect

NEEDS = {
    "curl http://example.com": "network",
    "cat ../outside": "filesystem_escape",
    "echo x > /tmp/outside": "filesystem_escape",
    "rm -rf .": "destructive_command",
    "sudo ls": "destructive_command",
}
RUN = ["echo hi", "touch made", "false", "getent hosts example.invalid || true"]


class Server(NamedTuple):
    """A server of both toolsets, and its workspace."""

    client: Client
    base: Path


@pytest.fixture(scope="module", params=["safe", "trusted"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    base = tmp_path_factory.mktemp("ws")
    args = ["--tools", "files,coding", "--workspace", str(base), "--sandbox", request.param]
    with connect("stdio", args, cwd=base) as client:
        yield Server(client, base)


@pytest.mark.requirement("files-command-alike")
@pytest.mark.parametrize("dry", [False, True])
@pytest.mark.parametrize("line", RUN)
def test_what_is_in_force_is_said_in_the_same_words(server: Server, line: str, dry: bool) -> None:
    made = server.base / "made"
    given = {"cmd": line, "yield_time_ms": 20000, "dry_run": dry}
    own = server.client.call("exec_command", given)["result"]["structuredContent"]
    assert made.exists() == (line == "touch made" and not dry)
    made.unlink(missing_ok=True)
    other = server.client.call("execute_command", {"command": line, "dryRun": dry})["result"]
    assert made.exists() == (line == "touch made" and not dry)
    made.unlink(missing_ok=True)
    assert own["sandbox"] == other["structuredContent"]["sandbox"]
    assert set(own["sandbox"]) == {"fs", "net", "pids", "memory"}
    assert ("writes only in a copy of the workspace" in own["sandbox"]["fs"]) == dry
    assert set(other["structuredContent"]["warnings"]) <= set(own.get("warnings", []))


@pytest.mark.requirement("files-command-alike")
@pytest.mark.parametrize("server", ["safe"], indirect=True)
@pytest.mark.parametrize("dry", [False, True])
@pytest.mark.parametrize("line", NEEDS)
def test_what_needs_permission_needs_it_in_both(server: Server, line: str, dry: bool) -> None:
    own = server.client.call("exec_command", {"cmd": line, "dry_run": dry})
    other = server.client.call("execute_command", {"command": line, "dryRun": dry})["error"]
    refusal = own["result"]["structuredContent"]["error"]
    assert (refusal["code"], other["code"]) == ("PERMISSION_REQUIRED", -32001)
    assert refusal["details"]["permission"] == other["data"]["permission"] == NEEDS[line]
    assert refusal["message"].split("\n")[0] == other["message"].split("\n")[0]
