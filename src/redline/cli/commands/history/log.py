"""`redline log`: what changed, newest first."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import (
    MAX_NAMED,
    add_workspace_flags,
    headline,
    label_for,
    open_redline,
)
from redline.cli.terminal import out, paint, program
from redline.core.ports.history import HistoryQuery
from redline.services.history.listing import list_page


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
        limit=max(1, args.limit),
        steps=MAX_NAMED,
    )
    page = list_page(redline.history, query)
    for operation in page.operations:
        out(headline(operation, label))
    for notice in redline.take_notices():
        out(paint(f"note: {notice}", "dim"))
    if not page.operations:
        out("no changes yet")
    elif page.next_before:
        out(paint(f"more: {program()} log --before {page.next_before}", "dim"))
    return 0
