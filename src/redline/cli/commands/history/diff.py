"""`redline diff [A [B]]`: how files differ between two points."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.compare import changes_since
from redline.cli.commands.history.view import (
    add_workspace_flags,
    label_for,
    open_redline,
    print_long,
)
from redline.cli.terminal import is_terminal, paint_diff
from redline.core.encodings.opening import configured_in
from redline.plan.describe import diff_of
from redline.services.history.lines import difference
from redline.services.history.references import find_point
from redline.wiring.workspace import Redline

EXAMPLES = """A and B are changes (right after them), checkpoints, sessions (their start) or times.

examples:
  redline diff                  since the latest checkpoint or start of a session
  redline diff @-3              since that change
  redline diff @-3 @-1          between two changes
  redline diff 2h               in the last two hours
  redline diff HEAD             since the last commit
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument("start", nargs="?", metavar="A", help="compare from here")
    parser.add_argument("end", nargs="?", metavar="B", help="to here; default: now")


def run(args: argparse.Namespace) -> int:
    """Print the difference as a unified diff."""
    with open_redline(args) as redline:
        return _show(redline, args)


def _show(redline: Redline, args: argparse.Namespace) -> int:
    if args.end is None:
        changed, _ = changes_since(redline, args.start)
    else:
        start, end = (
            find_point(redline.history, text, inclusive=False) for text in (args.start, args.end)
        )
        changed = difference(redline, start, end)
    diff = diff_of(changed, label_for(redline), configured_in(redline.tree), fold=is_terminal())
    if diff:
        print_long([paint_diff(diff).rstrip("\n")])
    return 0
