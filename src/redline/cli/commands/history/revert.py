"""What undo and redo share: show what will change, then change it."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import add_workspace_flags, headline, label_for, open_redline
from redline.cli.flags import add_guarded_flag, origin_of
from redline.cli.terminal import out, paint_diff
from redline.core.ports.history import Author, Direction
from redline.plan.describe import diff_of
from redline.services.history.revert import Wish, plan_revert, revert


def add_flags(parser: argparse.ArgumentParser, direction: Direction) -> None:
    """The flags undo and redo take."""
    add_workspace_flags(parser)
    parser.add_argument("id", nargs="?", help=f"what to {direction}; default: the latest")
    add_guarded_flag(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")


def run_revert(args: argparse.Namespace, direction: Direction) -> int:
    """Show the difference, and unless it is a dry run, make it."""
    redline = open_redline(args)
    label = label_for(redline)
    wish = Wish(direction, Author(principal=""), id=args.id)
    planned = plan_revert(redline, wish)
    out(paint_diff(diff_of(planned.change_set, label)).rstrip("\n"))
    if args.dry_run:
        return 0
    operation = revert(redline, wish, origin_of(args, direction.value, wish.summary))
    out()
    out(headline(operation, label))
    return 0
