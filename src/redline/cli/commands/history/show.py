"""`redline show ID`: one change as a diff."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import add_workspace_flags, headline, label_for, open_redline
from redline.cli.terminal import fail, one_line, out, paint, paint_diff
from redline.core.errors import NothingToUndo
from redline.plan.describe import diff_of
from redline.services.history.listing import latest_id


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_workspace_flags(parser)
    parser.add_argument("id", nargs="?", help="as `redline log` prints it; default: the latest")


def run(args: argparse.Namespace) -> int:
    """Print the change and its diff."""
    redline = open_redline(args)
    try:
        wanted = latest_id(redline.history) if args.id is None else args.id
    except NothingToUndo:
        fail("no changes yet")
        return 1
    operation = redline.history.get(wanted)
    label = label_for(redline)
    out(headline(operation, label))
    for name, value in (
        ("client", operation.origin.client),
        ("asked", operation.origin.summary),
        ("reverts", operation.reverts),
        ("undone by", operation.reverted_by),
        *(("note", note) for note in operation.notes),
    ):
        if value:
            out(f"{paint(f'{name}:', 'dim')} {one_line(value)}")
    out()
    out(paint_diff(diff_of(operation.change_set, label)).rstrip("\n"))
    return 0
