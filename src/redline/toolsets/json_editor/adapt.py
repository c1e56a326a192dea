"""What clients are shown of the tools."""

from __future__ import annotations

from redline.toolsets.tool import Client, Json

_REQUIRED = ("document", "instruction")


def adapt(tool: Json, _client: Client) -> Json:
    """The listing of *tool*: the specification requires a document, calls may name a file."""
    if tool["name"] != "json_editor_preview":
        return tool
    return {**tool, "inputSchema": {**tool["inputSchema"], "required": list(_REQUIRED)}}
