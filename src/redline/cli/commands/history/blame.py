"""`redline blame FILE`: which operation made each line."""

from __future__ import annotations

import argparse
import os

from redline.cli.commands.history.view import add_workspace_flags, ago, open_redline, print_table
from redline.cli.terminal import one_line
from redline.core.paths import Access, show_name
from redline.services.history.lines import BlamedLine, blame
from redline.wiring.workspace import Redline

EXAMPLES = """Lines that no recorded change made are marked with a dot.

examples:
  redline blame src/app.py
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument("file", metavar="FILE", help="a file of the workspace")


def run(args: argparse.Namespace) -> int:
    """Print every line with when, by whom and by which operation it was made."""
    with open_redline(args, near=args.file) as redline:
        return _show(redline, args)


def _show(redline: Redline, args: argparse.Namespace) -> int:
    place = redline.workspace.resolve(os.path.abspath(args.file), Access.READ, must_exist=True)
    print_table([_row(number, line) for number, line in enumerate(blame(redline, place), 1)])
    return 0


def _row(number: int, line: BlamedLine) -> tuple[tuple[str, str], ...]:
    text = one_line(show_name(line.text.decode("utf-8", "surrogateescape").rstrip("\r\n")))
    made = line.operation
    if made is None:
        return ((".", "dim"), ("", ""), ("", ""), (str(number), "dim"), (text, ""))
    return (
        (made.id, "yellow"),
        (ago(made.time), "dim"),
        (one_line(made.origin.who), "magenta"),
        (str(number), "dim"),
        (text, ""),
    )
