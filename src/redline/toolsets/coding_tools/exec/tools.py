"""The tools that run commands: exec_command, write_stdin, kill_session."""

from __future__ import annotations

from redline.toolsets.coding_tools.schemas import (
    HERE,
    OUTPUT,
    SOME_TEXT,
    TEXT,
    choice,
    flag,
    inputs,
    number,
)
from redline.toolsets.tool import Hints, Tool

_HERE = "redline.toolsets.coding_tools.exec.handlers"
_OUTPUT_BYTES = number(1, 1048576, 65536)
_YIELD = number(0, 30000, 1000)

EXEC_TOOLS = (
    Tool(
        name="exec_command",
        title="Execute command",
        description=(
            "Run a shell command in the sandbox. Still running after yield_time_ms: go on with its "
            "session_id. dry_run shows its changes; the same cmd with apply=session_id makes them."
        ),
        input_schema=inputs(
            {
                "cmd": SOME_TEXT,
                "workdir": HERE,
                "timeout_ms": number(1, 600000, 30000),
                "yield_time_ms": _YIELD,
                "max_output_bytes": _OUTPUT_BYTES,
                "stdin": TEXT,
                "tty": flag(False),
                "rows": number(1, 1000),
                "cols": number(1, 1000),
                "env": {"type": "object", "additionalProperties": {"type": "string"}},
                "dry_run": flag(False),
                "apply": TEXT,
            },
            "cmd",
        ),
        output_schema=OUTPUT,
        handler=f"{_HERE}:exec_command",
        hints=Hints(read_only=False, destructive=True, idempotent=False, open_world=True),
        writes=True,
        runs=True,
    ),
    Tool(
        name="write_stdin",
        title="Write stdin",
        description="Type into a running session, or poll its output with empty chars.",
        input_schema=inputs(
            {
                "session_id": SOME_TEXT,
                "chars": TEXT,
                "yield_time_ms": _YIELD,
                "max_output_bytes": _OUTPUT_BYTES,
            },
            "session_id",
        ),
        output_schema=OUTPUT,
        handler=f"{_HERE}:write_stdin",
        hints=Hints(read_only=False, destructive=False, idempotent=False, open_world=False),
        writes=True,
        runs=True,
    ),
    Tool(
        name="kill_session",
        title="Kill session",
        description="End a session and all its processes; answers the last output.",
        input_schema=inputs(
            {
                "session_id": SOME_TEXT,
                "signal": choice("TERM", "KILL", "INT", default="TERM"),
                "wait_ms": number(0, 30000, 5000),
                "max_output_bytes": _OUTPUT_BYTES,
            },
            "session_id",
        ),
        output_schema=OUTPUT,
        handler=f"{_HERE}:kill_session",
        hints=Hints(read_only=False, destructive=True, idempotent=False, open_world=False),
        writes=True,
        runs=True,
    ),
)
