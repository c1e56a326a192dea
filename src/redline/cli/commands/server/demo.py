"""`redline demo`: an MCP client edits a temporary workspace while you watch."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

from redline.cli.terminal import out, paint, paint_diff, program
from redline.wiring.command_line import open_client, scratch_workspace, write_plainly

_BEFORE = """\
def greet(name):
    return "Hello " + name


def farewell(name, log):
    log(f"{name} left")
"""
_OLD = 'return "Hello " + name'
_NEW = 'return f"Hello, {name}!"'


def configure(_parser: argparse.ArgumentParser) -> None:
    """Declare no flags."""


def run(_args: argparse.Namespace) -> int:
    """Run the session; return 0 when every step went as announced."""
    with scratch_workspace({"greeting.py": _BEFORE}) as (workspace, state):
        server = [sys.executable, *"-m redline serve --stdio --tools agent".split()]
        argv = [*server, "--workspace", workspace, "--state-dir", state]
        with open_client(argv, "redline demo") as client:
            return _play(_Session(client.call_tool), os.path.join(workspace, "greeting.py"))


def _play(session: _Session, path: str) -> int:
    out(f"{paint('Redline demo', 'bold')}: an MCP client over stdio\n")
    edit = {"path": "greeting.py", "edits": [{"old": _OLD, "new": _NEW}]}
    session.step("Preview an edit", "edit", {**edit, "dry_run": True})
    session.step("Make the edit", "edit", edit)
    _say("A person now changes the same line by hand")
    write_plainly(path, _BEFORE.replace("Hello ", "Good day "))
    session.step("The agent repeats its stale edit", "edit", edit, refused=True)
    session.step("Undo would overwrite the person", "undo", {}, refused=True)
    _say("The person puts the agent's line back")
    write_plainly(path, _BEFORE.replace(_OLD, _NEW))
    session.step("Undo works now, all of it", "undo", {})
    session.step("What happened, newest first", "changes", {})
    return session.verdict()


class _Session:
    """Calls tools and prints their answers."""

    def __init__(self, call: Callable[[str, dict[str, Any]], tuple[bool, str]]) -> None:
        self._call = call
        self._number = 0
        self._surprises: list[str] = []

    def step(
        self, title: str, tool: str, arguments: dict[str, Any], *, refused: bool = False
    ) -> None:
        """Make one call; print its title and answer."""
        self._number += 1
        out(paint(f"{self._number}. {title}", "bold") + paint(f"  ({tool})", "dim"))
        failed, text = self._call(tool, arguments)
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


def _say(text: str) -> None:
    out(paint(f"   [{text}]", "magenta") + "\n")


def _indent(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())
