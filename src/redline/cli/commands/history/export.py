"""`redline export ID...`: changes as a patch, or as a git commit."""

from __future__ import annotations

import argparse
from functools import partial

from redline.cli.commands.history.view import add_workspace_flags, open_redline
from redline.cli.terminal import out, out_bytes
from redline.services.history.export import commit_to_git, load_in_order, patch_of
from redline.services.history.references import find_operation
from redline.wiring.command_line import open_committer
from redline.wiring.workspace import Redline

EXAMPLES = """A commit goes on top of HEAD; the index and the work tree stay as they are.

examples:
  redline export @ > change.patch                for git apply
  redline export @-1 @ --commit -m "Fix it"      a commit that says which tool and session made it
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument("ids", nargs="+", metavar="ID", help="the changes to export")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--patch", action="store_true", help="print a patch for git apply (default)")
    how.add_argument("--commit", action="store_true", help="commit them with git")
    parser.add_argument("-m", "--message", help="the commit's message; default: what was asked for")


def run(args: argparse.Namespace) -> int:
    """Print a patch or write a commit."""
    with open_redline(args) as redline:
        return _export(redline, args)


def _export(redline: Redline, args: argparse.Namespace) -> int:
    ids = [find_operation(redline.history, each) for each in args.ids]
    operations = load_in_order(redline, ids)
    top = redline.workspace.roots[0].path
    if not args.commit:
        out_bytes(patch_of(redline, partial(open_committer, top), operations))
        return 0
    asked = next((each.origin.summary for each in operations if each.origin.summary), "")
    message = args.message or asked or f"Apply change {operations[0].id}"
    committer = open_committer(top)
    out(f"commit {commit_to_git(redline, committer, operations, message)}")
    return 0
