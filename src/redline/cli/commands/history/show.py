"""`redline show ID`: one change as a diff."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import (
    add_workspace_flags,
    headline,
    label_for,
    open_redline,
    print_long,
)
from redline.cli.terminal import (
    NOTHING_FOUND,
    fail,
    is_terminal,
    one_line,
    out_bytes,
    paint,
    paint_diff,
)
from redline.core.encodings.opening import configured_in
from redline.core.ports.history import HistoryQuery
from redline.plan.describe import diff_of
from redline.services.history.listing import BoundedDiff, name_reverted, number_hunks
from redline.services.history.references import find_operation
from redline.wiring.workspace import Redline

EXAMPLES = """examples:
  redline show          the latest change
  redline show @-2      the one two before it
  redline show ab12     by the start of its id
  redline show @ --html > change.html     one file that a browser shows, for a mail or a ticket
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument(
        "id", nargs="?", help="an id or the start of one, @ for the latest, @-2; default: @"
    )
    parser.add_argument("--html", action="store_true", help="print one self-contained page")


def run(args: argparse.Namespace) -> int:
    """Print the change and its diff."""
    with open_redline(args) as redline:
        return _show(redline, args)


def _show(redline: Redline, args: argparse.Namespace) -> int:
    history = redline.history
    if args.id is None and not history.list(HistoryQuery(limit=1, steps=0)):
        fail("no changes yet")
        return NOTHING_FOUND
    operation = history.get(find_operation(history, args.id or "@"))
    if args.html:
        from redline.review.page.diffs.standalone import write_page

        out_bytes(write_page(redline, operation).encode("utf-8", "replace"))
        return 0
    label, origin = label_for(redline), operation.origin
    lines = [headline(operation, label)]
    for name, value in (
        ("client", origin.client),
        ("principal", origin.principal),
        ("session", origin.session),
        ("asked", origin.summary),
        ("reverts", name_reverted(operation.reverts) if operation.reverts else ""),
        ("undone by", operation.reverted_by),
        *(("note", note) for note in operation.notes),
    ):
        if value:
            lines.append(f"{paint(f'{name}:', 'dim')} {one_line(value)}")
    whole = diff_of(operation.change_set, label, configured_in(redline.tree), fold=is_terminal())
    diff = number_hunks(BoundedDiff(whole, is_cut=False)).text
    print_long([*lines, "", paint_diff(diff).rstrip("\n")])
    return 0
