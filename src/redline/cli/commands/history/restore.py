"""`redline restore FILE --at POINT`: restore an earlier version."""

from __future__ import annotations

import argparse
import os

from redline.cli.commands.history.view import (
    add_workspace_flags,
    headline,
    label_for,
    note_beginning,
    open_redline,
)
from redline.cli.dry_run import note_refusal
from redline.cli.flags import add_guarded_flag, origin_of
from redline.cli.terminal import is_terminal, out, paint_diff
from redline.core.encodings.opening import configured_in
from redline.core.paths import Access
from redline.plan.describe import diff_of
from redline.services.history.lines import plan_restore, restore
from redline.services.history.references import find_point
from redline.wiring.workspace import Redline

EXAMPLES = """examples:
  redline restore src/app.py --at @-3      as it was right after that change
  redline restore src/app.py --at 1h       as it was an hour ago
"""


_UNCHANGED = "the file already is as it was then"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    add_guarded_flag(parser)
    parser.add_argument("file", metavar="FILE", help="a file of the workspace")
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")
    parser.add_argument("--quiet", "-q", action="store_true", help="do not show the diff")
    parser.add_argument("--at", metavar="POINT", required=True, help="a change, checkpoint or time")


def run(args: argparse.Namespace) -> int:
    """Give a file the content it had, as one change that can be undone."""
    with open_redline(args, near=args.file) as redline:
        return _restore(redline, args)


def _restore(redline: Redline, args: argparse.Namespace) -> int:
    place = redline.workspace.resolve(os.path.abspath(args.file), Access.WRITE)
    point = find_point(redline.history, args.at, inclusive=False)
    note_beginning(redline, args.at)
    if args.dry_run:
        planned = plan_restore(redline, place, point, args.file)
        if planned.is_empty:
            out(_UNCHANGED)
        else:
            diff = diff_of(
                planned, label_for(redline), configured_in(redline.tree), fold=is_terminal()
            )
            out(paint_diff(diff).rstrip("\n"))
            note_refusal(args, redline, planned, "restore")
        return 0
    origin = origin_of(args, "restore", f"restore {args.file} at {args.at}")
    operation = restore(redline, place, point, args.file, origin)
    if not operation.id:
        out(_UNCHANGED)
        return 0
    label = label_for(redline)
    if not args.quiet:
        diff = diff_of(operation.change_set, label, configured_in(redline.tree), fold=is_terminal())
        out(paint_diff(diff).rstrip("\n"))
    out(headline(operation, label))
    return 0
