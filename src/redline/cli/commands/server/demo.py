"""`redline demo`: a real MCP client edits a temporary workspace while you watch."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from typing import Any

from redline.cli.terminal import out, paint, paint_diff, program
from redline.wiring.command_line import scratch_workspace, write_plainly

_BEFORE = """\
def greet(name):
    return "Hello " + name


def farewell(name, log):
    log(f"{name} left")
"""
_OLD = 'return "Hello " + name'
_NEW = 'return f"Hello, {name}!"'


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument(
        "--legacy", action="store_true", help="use the handshake era of the protocol"
    )


def run(args: argparse.Namespace) -> int:
    """Run the session; return 0 when every step went as announced."""
    with scratch_workspace({"greeting.py": _BEFORE}) as (workspace, state):
        return asyncio.run(_play(workspace, state, "legacy" if args.legacy else "auto"))


async def _play(workspace: str, state: str, mode: Any) -> int:
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable,
        args=[
            "-m",
            "redline",
            "serve",
            "--stdio",
            "--tools",
            "agent",
            "--workspace",
            workspace,
            "--state-dir",
            state,
        ],
        env=dict(os.environ),
    )
    path = os.path.join(workspace, "greeting.py")
    async with Client(server, mode=mode) as client:
        about = f"an MCP {client.protocol_version} client over stdio"
        out(f"{paint('Redline demo', 'bold')}: {about}\n")
        session = _Session(client)
        edit = {"path": "greeting.py", "edits": [{"old": _OLD, "new": _NEW}]}

        await session.step("Preview an edit", "edit", {**edit, "dry_run": True})
        await session.step("Make the edit", "edit", edit)
        _say("A person now changes the same line by hand")
        write_plainly(path, _BEFORE.replace("Hello ", "Good day "))
        await session.step("The agent repeats its stale edit", "edit", edit, refused=True)
        await session.step("Undo would overwrite the person", "undo", {}, refused=True)
        _say("The person puts the agent's line back")
        write_plainly(path, _BEFORE.replace(_OLD, _NEW))
        await session.step("Undo works now, all of it", "undo", {})
        await session.step("What happened, newest first", "changes", {})
        return session.verdict()


class _Session:
    """Calls tools and prints their answers."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._number = 0
        self._surprises: list[str] = []

    async def step(
        self, title: str, tool: str, arguments: dict[str, Any], *, refused: bool = False
    ) -> None:
        """Make one call; print its title and answer."""
        self._number += 1
        out(paint(f"{self._number}. {title}", "bold") + paint(f"  ({tool})", "dim"))
        failed, text = await self._call(tool, arguments)
        if failed != refused:
            self._surprises.append(title)
        if failed:
            out(paint("   refused, nothing was written:", "yellow"))
        out(_indent(paint_diff(text)) + "\n")

    def verdict(self) -> int:
        """Print the outcome and return the exit code."""
        if self._surprises:
            out(paint(f"went differently than announced: {', '.join(self._surprises)}", "red"))
            return 1
        out("Try it on your own files: " + paint(f"{program()} serve --workspace DIR", "bold"))
        return 0

    async def _call(self, tool: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        from mcp.shared.exceptions import MCPError

        try:
            answer = await self._client.call_tool(tool, arguments)
        except MCPError as error:
            return True, str(error)
        text = "\n".join(item.text for item in answer.content if item.type == "text")
        return bool(answer.is_error), text


def _say(text: str) -> None:
    out(paint(f"   [{text}]", "magenta") + "\n")


def _indent(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())
