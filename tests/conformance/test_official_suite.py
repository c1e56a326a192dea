"""The official conformance suite against the real HTTP stack, with one baseline per revision."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import NODE_MODULES, need_node
from tests.wire.client import HttpClient, connect

HERE = Path(__file__).parent
SUITE = "@modelcontextprotocol/conformance/dist/index.js"

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """The server with the suite's fixtures on."""
    need_node()
    env = {"REDLINE_TEST_TOOLSET": "tests.conformance.fixtures"}
    args = ["--tools", "fixtures", "--rate-limit", "0"]
    folder = tmp_path_factory.mktemp("conformance")
    with connect("http", args, env=env, cwd=folder, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield client


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
@pytest.mark.requirement("server-conformance")
def test_everything_passes_but_what_is_left_out_on_purpose(
    server: HttpClient, revision: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [
            str(need_node()),
            str(NODE_MODULES / SUITE),
            "server",
            *("--url", f"http://127.0.0.1:{server.port}/mcp"),
            *("--suite", "all"),
            *("--spec-version", revision),
            *("--expected-failures", str(HERE / f"baseline-{revision}.yml")),
            *("-o", str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
