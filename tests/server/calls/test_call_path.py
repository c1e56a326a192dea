"""How far it is from a transport to a handler."""

from __future__ import annotations

import io
import json
import sys
from types import FrameType, SimpleNamespace
from typing import Any, cast

import pytest

from redline.server.calls.catalog import Catalog
from redline.server.calls.tool_server import ToolServer
from redline.server.stdio import serve_stdio
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import READS, Tool, Toolset

MAX_FRAMES = 5
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "frames"}}


def frames(_call: Call) -> Result:
    """Name every function of Redline between the start of this thread and this handler."""
    names: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals["__name__"].startswith("redline."):
            names.append(f"{frame.f_globals['__name__']}.{frame.f_code.co_name}")
        frame = frame.f_back
    return Result.of_text("", {"frames": names})


TOOL = Tool("frames", "Frames", "Names frames.", {"type": "object"}, f"{__name__}:frames", READS)


@pytest.mark.requirement("server-call-path")
def test_at_most_five_functions_run_before_a_handler_does() -> None:
    inbox = SimpleNamespace(take=lambda _session, _warn: ())
    runtime = cast(Any, SimpleNamespace(take_notices=tuple, inbox=inbox))
    server = ToolServer(Catalog([Toolset("test", "Test", (TOOL,), "m:w")]), runtime)
    sent = io.BytesIO()
    serve_stdio(server, io.BytesIO(json.dumps(CALL).encode() + b"\n"), sent)
    passed = json.loads(sent.getvalue())["result"]["structuredContent"]["frames"]
    assert len(passed) <= MAX_FRAMES, passed
    assert passed[-1].startswith("redline.server.calls.workers."), "counted from the thread's start"
