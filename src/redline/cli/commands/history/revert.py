"""What undo, redo and rewind share: show what will change, then change it."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import (
    add_workspace_flags,
    headline,
    label_for,
    note_beginning,
    open_redline,
    path_from,
)
from redline.cli.dry_run import note_refusal
from redline.cli.flags import SETUP, add_guarded_flag, origin_of
from redline.cli.terminal import err, is_terminal, out, paint, paint_diff
from redline.core.encodings.opening import configured_in
from redline.core.errors import GuardedWrite
from redline.core.ports.history import Author, Direction, Operation
from redline.core.records import replace
from redline.plan.describe import diff_of
from redline.services.history.revert import Wish, plan_revert, revert
from redline.wiring.workspace import Redline

# A person at a terminal owns what every client of this login did.
OWN = Author(principal="")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that every command of these takes."""
    add_workspace_flags(parser)
    add_guarded_flag(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")
    parser.add_argument("--quiet", "-q", action="store_true", help="do not show the diff")


def run_revert(args: argparse.Namespace, wish: Wish) -> int:
    """Make the difference and show it; a dry run only shows it."""
    with open_redline(args) as redline:
        return _revert(redline, args, wish)


def _revert(redline: Redline, args: argparse.Namespace, wish: Wish) -> int:
    wish = replace(wish, paths=tuple(path_from(args, redline, path) for path in wish.paths))
    if wish.to is not None:
        note_beginning(redline, wish.to)
    tool = "undo" if wish.direction is Direction.REWIND else wish.direction.value
    if args.dry_run:
        planned = plan_revert(redline, wish)
        _show(redline, planned)
        _say_notes(planned)
        note_refusal(args, redline, planned.change_set, tool)
        return 0
    # Shown only when it has happened: a refusal must not follow a diff.
    try:
        operation = revert(redline, wish, origin_of(args, tool, wish.summary))
    except GuardedWrite as refused:
        if _is_of_setup(redline, wish):
            refused.hint = "to disconnect your agents: redline setup --remove"
        raise
    if not args.quiet:
        _show(redline, replace(operation, change_set=redline.history.fill(operation.change_set)))
        out()
    out(headline(operation, label_for(redline)))
    _say_notes(operation)
    return 0


def _is_of_setup(redline: Redline, wish: Wish) -> bool:
    """Return whether `redline setup` made the change that is to be reverted."""
    reverted = plan_revert(redline, wish).reverts
    if not reverted:
        return False
    return redline.history.get(reverted.partition(",")[0], 0).origin.tool == SETUP


def _say_notes(operation: Operation) -> None:
    for note in operation.notes:
        err(f"note: {note}")


def _show(redline: Redline, operation: Operation) -> None:
    found = diff_of(
        operation.change_set, label_for(redline), configured_in(redline.tree), fold=is_terminal()
    )
    out(paint_diff(found).rstrip("\n") or "the files already are as they would become")
    if operation.merged:
        out(paint("merged: later changes of the same files are kept", "cyan"))
