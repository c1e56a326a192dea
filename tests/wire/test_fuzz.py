"""Whatever arguments come, a tool answers in a structured way and the server lives on."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.server.calls.catalog import Catalog, load_toolsets
from redline.toolsets.tool import Tool
from tests.support import LONG
from tests.wire import fuzz
from tests.wire.client import Client, connect

ROUNDS = 200 if LONG else 12
TOOLS = Catalog(load_toolsets(["all"])).tools


@pytest.fixture(
    scope="module",
    params=[(t, era) for t in ("stdio", "http") for era in ("2025-11-25", "2026-07-28")],
    ids=lambda param: " ".join(param),
)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """Every toolset over either transport, on a small throw-away workspace."""
    transport, protocol = request.param
    folder = tmp_path_factory.mktemp("fuzz") / "workspace"
    (folder / "dir").mkdir(parents=True)
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    (folder / "dir" / "b.json").write_text('{"a": {"b": [1, 2]}}\n')
    args = ["--tools", "all", *(["--rate-limit", "0"] if transport == "http" else [])]
    with connect(transport, args, cwd=folder, protocol=protocol) as client:
        yield client


def check_reply(reply: dict[str, Any], what: str) -> None:
    text = json.dumps(reply)
    assert "Traceback (most recent call last)" not in text, what
    assert "Internal error" not in text, what
    if "error" in reply:
        assert isinstance(reply["error"]["code"], int), what
        assert reply["error"]["message"], what
    else:
        result = reply["result"]
        assert isinstance(result.get("content"), list) or "inputRequests" in result, what
        if result.get("isError"):
            assert result["content"], what


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
@pytest.mark.requirement("server-fuzz")
def test_any_arguments_get_a_structured_answer(server: Client, tool: Tool) -> None:
    # Other arguments on each transport: together they try twice as many.
    rng = random.Random(f"{tool.name} {server.transport}")
    rounds = ROUNDS if server.transport == "stdio" else max(ROUNDS // 2, 6)
    for round_number in range(rounds):
        make = fuzz.fitting if round_number % 2 else fuzz.broken
        arguments = make(tool.input_schema, rng)
        for name in ("timeout", "timeout_ms", "yield_time_ms"):
            if isinstance(arguments.get(name), int):
                arguments[name] = min(arguments[name], 200)
        reply = server.call(tool.name, arguments)
        check_reply(reply, f"{tool.name} {json.dumps(arguments)[:600]}\n{server.stderr[-3000:]}")
    server.list_tools()


def test_after_all_that_the_server_lives_and_nothing_lies_beside_the_workspace(
    server: Client,
) -> None:
    assert server.list_tools()
    workspace = Path(os.readlink(f"/proc/{server.process.pid}/cwd"))
    assert [entry.name for entry in workspace.parent.iterdir()] == ["workspace"]
