"""`redline log`: what changed, newest first."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import (
    NAMED,
    add_workspace_flags,
    headline,
    label_for,
    open_redline,
)
from redline.cli.terminal import out, paint, program
from redline.core.ports.history import HistoryQuery


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_workspace_flags(parser)
    parser.add_argument("path", nargs="?", help="only changes of this file or folder")
    parser.add_argument("--tool", help="only changes made by this tool")
    parser.add_argument("-n", "--limit", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--before", metavar="ID", help="only changes older than this one")


def run(args: argparse.Namespace) -> int:
    """Print one page of the history."""
    redline = open_redline(args)
    label = label_for(redline)
    query = HistoryQuery(
        path=args.path,
        tool=args.tool,
        before_id=args.before,
        limit=max(1, args.limit) + 1,
        steps=NAMED,
    )
    found = list(redline.history.list(query))
    for operation in found[: args.limit]:
        out(headline(operation, label))
    for notice in redline.take_notices():
        out(paint(f"note: {notice}", "dim"))
    if not found:
        out("no changes yet")
    elif len(found) > args.limit:
        out(paint(f"more: {program()} log --before {found[args.limit - 1].id}", "dim"))
    return 0
