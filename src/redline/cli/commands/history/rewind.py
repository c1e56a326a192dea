"""`redline rewind POINT`: go back to a point in history."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.revert import OWN, add_flags, run_revert
from redline.cli.commands.history.view import add_author_flags, author_from
from redline.core.ports.history import Direction
from redline.services.history.revert import Wish

EXAMPLES = """POINT is a checkpoint's name, a session (its start), a change (right after it),
a time such as 2026-11-15T09:00, or a while ago such as 30m, 2h or 1d. Changes of other programs
that nothing recorded stay.

examples:
  redline rewind before-refactoring      back to a checkpoint
  redline rewind @-3                     back to right after that change
  redline rewind 1h --client my-agent    take back what one client did in the last hour
  redline rewind 2h --dry-run            only show the diff
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_flags(parser)
    add_author_flags(parser)
    parser.add_argument("point", metavar="POINT", help="where to go back to")


def run(args: argparse.Namespace) -> int:
    """Take back everything since a point as one change, all of it or nothing."""
    wish = Wish(Direction.UNDO, OWN, to=args.point, by=author_from(args))
    return run_revert(args, wish)
