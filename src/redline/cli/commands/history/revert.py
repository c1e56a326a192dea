"""What undo, redo and rewind share: show what will change, then change it."""

from __future__ import annotations

import argparse
from dataclasses import replace

from redline.app import Redline
from redline.cli.commands.history.view import (
    add_workspace_flags,
    headline,
    label_for,
    note_beginning,
    open_redline,
    path_from,
)
from redline.cli.flags import add_guarded_flag, origin_of
from redline.cli.foresight import note_refusal
from redline.cli.terminal import out, paint, paint_diff
from redline.core.encodings.opening import configured_in
from redline.core.ports.history import Author, Direction, Operation
from redline.plan.describe import diff_of
from redline.services.history.revert import Wish, plan_revert, revert

# A person at a terminal owns what every client of this login did.
OWN = Author(principal="")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that every command of these takes."""
    add_workspace_flags(parser)
    add_guarded_flag(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")
    parser.add_argument("--quiet", "-q", action="store_true", help="do not show the diff")


def run_revert(args: argparse.Namespace, wish: Wish) -> int:
    """Show the difference, and unless it is a dry run, make it."""
    with open_redline(args) as redline:
        return _revert(redline, args, wish)


def _revert(redline: Redline, args: argparse.Namespace, wish: Wish) -> int:
    wish = replace(wish, paths=tuple(path_from(args, redline, path) for path in wish.paths))
    if wish.to is not None:
        note_beginning(redline, wish.to)
    planned = plan_revert(redline, wish)
    if args.dry_run or not args.quiet:
        _show(redline, planned)
    tool = "undo" if wish.direction is Direction.REWIND else wish.direction.value
    if args.dry_run:
        note_refusal(args, redline, planned.change_set, tool)
        return 0
    operation = revert(redline, wish, origin_of(args, tool, wish.summary))
    if not args.quiet:
        out()
    out(headline(operation, label_for(redline)))
    return 0


def _show(redline: Redline, planned: Operation) -> None:
    found = diff_of(planned.change_set, label_for(redline), configured_in(redline.tree))
    out(paint_diff(found).rstrip("\n") or "the files already are as they would become")
    if planned.merged:
        out(paint("merged: later changes of the same files are kept", "cyan"))
