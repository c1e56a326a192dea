"""Both tools that run commands say alike what holds a command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.wire.client import Client, connect

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
    # How to get the network differs: only one of them has a permission to ask for.
    said = (other["structuredContent"]["warnings"], own.get("warnings", []))
    theirs, ours = ({each.partition(". ")[0] for each in one} for one in said)
    assert theirs <= ours
