"""What a server that only lists tools must not load; bench/programs/cold_start.py measures it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.client import ROOT

# Each costs milliseconds, and none is needed before the first call.
TOO_DEAR = {
    "asyncio", "concurrent.futures", "logging", "mcp", "mcp_types", "pydantic", "jsonschema_rs",
    "subprocess", "shutil", "pathlib", "tempfile", "sqlite3", "hashlib", "random", "ctypes",
    "dataclasses", "inspect", "orjson", "queue", "argparse",
    "redline.core.ports", "redline.core.changes", "redline.core.errors", "redline.toolsets.call",
    "redline.core.call_scope", "redline.server.calls.dispatch",
    "redline.server.calls.in_flight",
 "redline.server.http.serve", "redline.adapters.files.disk",
    "PIL", "pygit2",
    "ast_grep_py", "yaml12", "rich", "httpx2", "regress",
}  # fmt: skip


_LISTING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
_SERVE = """
import sys
def note(event, arguments):
    if event == "compile" and arguments[1] == "<string>":
        if not arguments[0].startswith(b"lambda _cls, "):  # what every named tuple has
            print("compiled", arguments[0], file=sys.stderr)
sys.addaudithook(note)
sys.argv = ["redline", "serve", "--stdio", "--tools", "all"]
from redline.cli.main import run
run()
"""


@pytest.mark.requirement("server-cold-start")
def test_listing_every_tool_loads_nothing_that_only_calls_need(tmp_path: Path) -> None:
    serve = ["-X", "importtime", "-m", "redline", "serve", "--stdio", "--tools", "all"]
    done = _list_tools(serve, tmp_path)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "redline.server.stdio" in loaded, "the list of modules was read"
    assert loaded & TOO_DEAR == set()


@pytest.mark.requirement("server-cold-start")
def test_listing_every_tool_compiles_no_annotation(tmp_path: Path) -> None:
    """The first annotation that is text costs a millisecond: the compiler is set up for it."""
    assert "compiled" not in _list_tools(["-c", _SERVE], tmp_path).stderr


def _list_tools(serve: list[str], workspace: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *serve],
        input=_LISTING, capture_output=True, text=True, timeout=60, cwd=workspace,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )  # fmt: skip
    assert len(json.loads(done.stdout)["result"]["tools"]) > 40
    return done
