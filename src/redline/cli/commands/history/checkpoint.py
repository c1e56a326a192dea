"""`redline checkpoint [NAME]`: name this moment, or list the points there are."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import add_workspace_flags, ago, open_redline, print_table
from redline.cli.flags import find_caller
from redline.cli.terminal import one_line, out
from redline.core.ports.history import Origin
from redline.services.history.revert import create_checkpoint
from redline.wiring.workspace import Redline

EXAMPLES = """examples:
  redline checkpoint before-refactoring    name this moment
  redline rewind before-refactoring        go back to it
  redline checkpoint                       list checkpoints and sessions
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument("name", nargs="?", help="what to call it; without it, list them")


def run(args: argparse.Namespace) -> int:
    """Make a checkpoint, or list the points to go back to."""
    with open_redline(args) as redline:
        return _mark(redline, args)


def _mark(redline: Redline, args: argparse.Namespace) -> int:
    if args.name is not None:
        client, session = find_caller()
        origin = Origin("checkpoint", client, summary=args.name, session=session)
        made = create_checkpoint(redline, args.name, origin)
        out(f"{made.id}  checkpoint {one_line(args.name)}")
        return 0
    rows = []
    for mark in redline.history.marks():
        is_named = mark.kind == "checkpoint"
        name = mark.origin.summary if is_named else mark.origin.session
        kind = "checkpoint" if is_named else "session"
        maker = one_line(mark.origin.who)
        rows.append(((kind, "dim"), (ago(mark.time), "dim"), (one_line(name), "bold"), (maker, "")))
    if not rows:
        out("no checkpoints yet")
    print_table(rows)
    return 0
