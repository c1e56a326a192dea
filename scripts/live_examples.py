"""Run the calls of docs/examples/<toolset>.toml on a real server and write down what came back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parent.parent
EXAMPLES = REPO / "docs" / "examples"
_TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
_CLOCK = re.compile(r"(?<!\d:)\b\d\d:\d\dZ")
_HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "docs", "version": "1"},
}


def live_example(toolset: str) -> str:
    """The section of a toolset's page, empty when it has no example."""
    source = EXAMPLES / f"{toolset}.toml"
    if not source.exists():
        return ""
    script = tomllib.loads(source.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as home:
        workspace = os.path.join(os.path.realpath(home), "workspace")
        os.mkdir(workspace)
        for file in script.get("file", []):
            target = Path(workspace) / file["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file["text"], "utf-8")
        replies = _run(toolset, workspace, script["call"])
    parts = ["## Live example\n", "What follows was run when this page was made.\n"]
    parts += [
        f"`{file['path']}`:\n\n```\n{file['text'].rstrip()}\n```\n"
        for file in script.get("file", [])
    ]
    for call, reply in zip(script["call"], replies, strict=True):
        arguments = json.dumps(call["arguments"], indent=2, ensure_ascii=False)
        parts.append(f"{call['say']}\n\n```json\n// {call['tool']}\n{arguments}\n```\n")
        parts.append(f"```\n{reply.rstrip()}\n```\n")
    return "\n".join(parts)


def _run(toolset: str, workspace: str, calls: list[dict[str, Any]]) -> list[str]:
    argv = [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", f"{toolset},history"]
    argv += ["--workspace", workspace, "--state-dir", f"{workspace}-state", "--errors", "result"]
    argv.append("--structured")  # names the ids and sessions that differ from run to run
    server = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(REPO / "src")},
    )
    names: dict[str, str] = {}
    try:
        _ask(server, "initialize", _HANDSHAKE)
        return [_told(_call(server, call, workspace, names), workspace, names) for call in calls]
    finally:
        assert server.stdin
        assert server.stdout
        server.stdin.close()
        server.wait(20)
        server.stdout.close()


def _call(
    server: subprocess.Popen[bytes], call: dict[str, Any], workspace: str, names: dict[str, str]
) -> dict[str, Any]:
    text = json.dumps(call["arguments"]).replace("/workspace", workspace)
    for real, shown in names.items():
        text = text.replace(shown, real)
    params = {"name": call["tool"], "arguments": json.loads(text)}
    return _ask(server, "tools/call", params)


def _ask(server: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    answer: dict[str, Any] = json.loads(server.stdout.readline())
    return answer


def _told(answer: dict[str, Any], workspace: str, names: dict[str, str]) -> str:
    """The text of an answer, with what differs from run to run made constant."""
    result = answer["result"]
    text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
    structured = result.get("structuredContent") or {}
    shown_as = {"session_id": "sess_example", "session": "session1"}
    for key in ("session_id", "id", "session", "operation"):
        value = structured.get(key)
        if isinstance(value, str) and value and value not in names:
            names[value] = shown_as.get(key) or f"change{len(names) + 1}"
    for real, shown in names.items():
        text = text.replace(real, shown)
    text = _TIME.sub("2026-01-01T00:00:00Z", text.replace(workspace, "/workspace"))
    return _CLOCK.sub("00:00Z", text)
