"""`redline redo [ID]`: take an undo back."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.revert import OWN, add_flags, run_revert
from redline.core.ports.history import Direction
from redline.services.history.revert import Wish

EXAMPLES = """examples:
  redline redo          the latest undo
  redline redo ab12     one undo, or the change it took back
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_flags(parser)
    parser.add_argument("id", nargs="?", help="what to redo; default: the latest undo")


def run(args: argparse.Namespace) -> int:
    """Take an undo back, all of it or nothing."""
    return run_revert(args, Wish(Direction.REDO, OWN, id=args.id))
