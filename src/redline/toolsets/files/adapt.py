"""What a client of an older revision is shown, and what it is answered with."""

from __future__ import annotations

from redline.toolsets.files.schemas import SEARCH_FILES_REQUIRED
from redline.toolsets.tool import Client, Json

# The first revision with outputSchema, structuredContent and resource_link.
_STRUCTURED = "2025-06-18"


def is_rich(client: Client) -> bool:
    """Whether *client* understands structured results and resource links."""
    return client.protocol >= _STRUCTURED


def adapt(tool: Json, client: Client) -> Json:
    """The listing of *tool* for *client*."""
    if tool["name"] == "search_files":
        # Calls may spell these path and pattern, so only the listing demands them.
        schema = {**tool["inputSchema"], "required": SEARCH_FILES_REQUIRED}
        tool = {**tool, "inputSchema": schema}
    if not is_rich(client):
        tool = {key: value for key, value in tool.items() if key not in ("outputSchema", "title")}
    return tool
