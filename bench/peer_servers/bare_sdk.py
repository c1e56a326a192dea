"""A one-tool server on the official Python SDK: `python -m bench.peer_servers.bare_sdk PORT`."""

from __future__ import annotations

import sys
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server

_TOOL = types.Tool(name="echo", description="Echo", input_schema={"type": "object"})


async def _list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_TOOL])


async def _call_tool(_context: Any, _params: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text="hello")])


def main() -> None:
    """Serve until killed."""
    server = Server("bare", version="1", on_list_tools=_list_tools, on_call_tool=_call_tool)
    app = server.streamable_http_app(json_response=False)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")


if __name__ == "__main__":
    main()
