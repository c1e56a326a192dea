"""The body of undo and redo: show what will happen, then let it happen."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import add_workspace_flags, headline, label_for, open_redline
from redline.cli.flags import add_guarded_flag, origin_of
from redline.cli.terminal import out, paint_diff
from redline.plan.describe import diff_of


def add_flags(parser: argparse.ArgumentParser, verb: str) -> None:
    """The flags undo and redo take."""
    add_workspace_flags(parser)
    parser.add_argument("id", nargs="?", help=f"what to {verb}; default: the latest")
    add_guarded_flag(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")


def revert(args: argparse.Namespace, verb: str) -> int:
    """Carry out *verb* and show the difference it made."""
    redline = open_redline(args)
    label = label_for(redline)
    editor = redline.editor
    planned = (editor.plan_undo if verb == "undo" else editor.plan_redo)(args.id)
    out(paint_diff(diff_of(planned, label)).rstrip("\n"))
    if args.dry_run:
        return 0
    act = editor.undo if verb == "undo" else editor.redo
    operation = act(args.id, origin_of(args, verb, f"{verb} {args.id or 'latest'}"))
    out()
    out(headline(operation, label))
    return 0
