"""`redline undo [ID]`: take a change back."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.revert import OWN, add_flags, run_revert
from redline.core.ports.history import Direction
from redline.services.history.revert import Wish

_DEFAULT = "what to undo; default: your own latest change, by any local client"
EXAMPLES = """examples:
  redline undo                       your own latest change; later edits of other lines stay
  redline undo ab12 --dry-run        only show what undoing that one would do
  redline undo @-1 --paths a.py      only its changes of one file
  redline undo @-1 --hunks 1,3       only parts of its diff, as `redline show` numbers them
  redline undo --turn @prompt-1      what was done for the prompt before the last, and only that
  redline undo --session 1f2e3d4c    everything one session of an agent did
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_flags(parser)
    parser.add_argument("id", nargs="?", help=_DEFAULT)
    parser.add_argument("--paths", nargs="+", default=(), metavar="FILE", help="only these files")
    parser.add_argument(
        "--hunks", type=_numbers, default=(), metavar="N,N", help="only these hunks"
    )
    parser.add_argument("--session", metavar="NAME", help="every change of this session")
    parser.add_argument("--turn", metavar="@prompt-N", help="only what was done for this prompt")


def run(args: argparse.Namespace) -> int:
    """Take a change back, all of it or nothing."""
    wish = Wish(
        Direction.UNDO,
        OWN,
        id=args.id,
        paths=args.paths,
        hunks=args.hunks,
        session=args.session,
        turn=args.turn,
    )
    return run_revert(args, wish)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers such as 1,3: {text}") from None
