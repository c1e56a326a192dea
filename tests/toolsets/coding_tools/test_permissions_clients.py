"""The official Python client asks a person, and the grant lets the next command through."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import ROOT, HttpClient, connect

COMMAND = {"cmd": "curl --max-time 1 http://127.0.0.1:9/"}
REQUEST: dict[str, Any] = {
    "tool_name": "exec_command",
    "permission": "network",
    "reason": "to fetch a page",
    "scope": "once",
    "arguments": COMMAND,
}


async def _refused_asked_run_refused(target: Any, mode: str, decision: str) -> dict[str, Any]:
    import mcp
    from mcp.client.context import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult

    questions: list[str] = []

    async def answer(_: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        questions.append(params.message)
        return ElicitResult(action="accept", content={"decision": decision})

    async def code_of(client: Any) -> str:
        result = await client.call_tool("exec_command", COMMAND)
        return str((result.structured_content.get("error") or {}).get("code", "ran"))

    async with mcp.Client(target, mode=mode, elicitation_callback=answer) as client:
        before = await code_of(client)
        asked = await client.call_tool("request_permissions", REQUEST)
        return {
            "version": client.protocol_version,
            "codes": [before, await code_of(client), await code_of(client)],
            "status": asked.structured_content["status"],
            "questions": questions,
        }


def _target(transport: str, folder: Path) -> tuple[Any, Any]:
    if transport == "http":
        server = connect("http", ["--tools", "coding"], cwd=folder, handshake=False)
        assert isinstance(server, HttpClient)
        return f"http://127.0.0.1:{server.port}/mcp", server
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    environment = {k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")} | {
        "PYTHONPATH": str(ROOT / "src"),
        "REDLINE_STATE_DIR": str(folder.parent / "state"),
    }
    arguments = ["-m", "redline", "serve", "--stdio", "--tools", "coding"]
    parameters = StdioServerParameters(
        command=sys.executable, args=arguments, env=environment, cwd=str(folder)
    )
    return stdio_client(parameters), None


@pytest.mark.parametrize(("mode", "era"), [("auto", "2026-07-28"), ("legacy", "2025-06-18")])
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize(
    ("decision", "status", "codes"),
    [
        ("allow", "granted", ["PERMISSION_REQUIRED", "ran", "PERMISSION_REQUIRED"]),
        ("deny", "denied", ["PERMISSION_REQUIRED"] * 3),
    ],
)
@pytest.mark.requirement("coding-permissions-asked")
def test_a_person_is_asked_on_both_transports_in_both_eras(
    tmp_path: Path, transport: str, mode: str, era: str,
    decision: str, status: str, codes: list[str],
) -> None:  # fmt: skip
    folder = tmp_path / "workspace"
    folder.mkdir()
    target, server = _target(transport, folder)
    try:
        found = asyncio.run(_refused_asked_run_refused(target, mode, decision))
    finally:
        if server is not None:
            server.close()
    assert found["version"] == era
    assert all(COMMAND["cmd"] in question for question in found["questions"])
    if (transport, era) == ("http", "2026-07-28"):
        # Without a session every call asks for itself, and nothing is kept.
        ran = "ran" if decision == "allow" else "PERMISSION_DENIED"
        assert found["codes"] == [ran] * 3
        assert (found["status"], len(found["questions"])) == ("unsupported", 3)
        return
    assert found["status"] == status
    assert found["codes"] == codes
    assert len(found["questions"]) == 1
