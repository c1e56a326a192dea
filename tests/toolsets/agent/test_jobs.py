"""Every job of the other toolsets is done with this one, as its page says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from redline.server.calls.catalog import load_toolsets
from tests.support import REPO
from tests.toolsets.agent.conftest import Desk, text_of

_ROW = re.compile(r"\| (\w+) `([\w.]+)`[^|]* \| (.+) \| `(.+)` \|")
_CALL = re.compile(r"`(\w+) (\{.*?\})`")
PAGE = (REPO / "docs" / "tools" / "_agent.md").read_text("utf-8")
ROWS = [found.groups() for line in PAGE.splitlines() if (found := _ROW.fullmatch(line))]


@pytest.mark.requirement("agent-does-every-job")
def test_the_table_has_every_tool_of_the_other_toolsets() -> None:
    wanted = {(each.name, tool.name) for each in load_toolsets(["all"]) for tool in each.tools}
    assert {(toolset, tool) for toolset, tool, _, _ in ROWS} == wanted


@pytest.mark.requirement("agent-does-every-job")
@pytest.mark.parametrize(
    ("calls", "outcome"), [row[2:] for row in ROWS], ids=[f"{row[0]}-{row[1]}" for row in ROWS]
)
def test_the_calls_of_a_row_do_what_it_says(desk: Desk, calls: str, outcome: str) -> None:
    known: dict[str, str] = {}
    result: dict[str, Any] = {}
    steps = _CALL.findall(calls)
    assert steps
    for tool, arguments in steps:
        filled = arguments
        for name in ("session", "id", "version"):
            filled = filled.replace(f'"${name}"', json.dumps(known.get(name)))
        result = desk.call(tool, **json.loads(filled))
        structured = result["structuredContent"]
        first = (structured.get("files") or [{}])[0]
        known |= {k: v for k, v in (structured | first).items() if isinstance(v, str)}
    assert outcome in text_of(result)
    assert result["isError"] == (outcome == "PERMISSION_REQUIRED")


@pytest.mark.requirement("agent-run-shell")
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("echo $(printf in)`printf side` ${none:-word} $((20 + 3))", "inside word 23"),
        ("python3 -c 'print(20 + 3)'", "23"),
        ("sh -c 'exit 0' && echo done", "done"),
    ],
)
def test_a_command_may_use_all_of_the_shell(desk: Desk, command: str, printed: str) -> None:
    assert printed in text_of(desk.call("run", command=command))


@pytest.mark.requirement("agent-run-shell")
@pytest.mark.parametrize(
    "command", ["echo $(curl http://localhost)", "rm -rf $(pwd)", "cat /etc/hostname"]
)
def test_what_needs_a_permission_needs_it_in_code_too(desk: Desk, command: str) -> None:
    assert "PERMISSION_REQUIRED" in desk.failure("run", command=command)
