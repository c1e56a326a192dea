"""A small MCP server that edits as many do: it replaces the first occurrence, or says so.

    python naive_server.py [silent|toolless|ends]

`silent` gives no answer to a call, `toolless` has no edit tool, `ends` ends at the first edit.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {"file_path": TEXT, "old_string": TEXT, "new_string": TEXT, "reason": TEXT},
    "required": ["file_path", "old_string", "new_string", "reason"],
}
TOOL = {"name": "replace_text", "description": "Replace text", "inputSchema": SCHEMA}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of one request."""
    if method == "initialize":
        info = {"name": "naive", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [] if MODE == "toolless" else [TOOL]}
    if MODE == "ends":
        sys.exit(3)
    given = params["arguments"]
    path = Path(given["file_path"])
    assert given["reason"]
    if os.path.isabs(given["file_path"]):
        return {"content": [], "isError": True}
    content = path.read_bytes()
    old, new = (
        given[name].encode("utf-8", "surrogateescape") for name in ("old_string", "new_string")
    )
    path.write_bytes(content.replace(old, new, 1))
    return {"content": [], "isError": old not in content}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or (MODE == "silent" and message["method"] == "tools/call"):
        continue
    print("not JSON: something that a library printed", flush=True)
    reply = {
        "jsonrpc": "2.0",
        "id": message["id"],
        "result": answer(message["method"], message["params"]),
    }
    print(json.dumps(reply), flush=True)
