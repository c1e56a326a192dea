"""`redline rewind POINT`: go back to a point in history."""

from __future__ import annotations

import argparse
import sys

from redline.cli.commands.history.revert import OWN, add_flags, run_revert
from redline.cli.commands.history.view import (
    MAX_NAMED,
    NO_PROMPTS,
    add_author_flags,
    ago,
    author_from,
    describe_turn,
    label_for,
    open_redline,
    print_table,
)
from redline.cli.terminal import ask_number, is_terminal, one_line, out, paint, program
from redline.core.changes import ChangeSet
from redline.core.errors import NothingToUndo
from redline.core.ports.history import Author, Direction
from redline.plan.describe import name_first
from redline.services.history.lines import count_lines
from redline.services.history.revert import Wish
from redline.services.history.turns import Turn, list_turns, name_agent, turns_of
from redline.wiring.workspace import Redline

# How many turns are offered.
_OFFERED = 9

EXAMPLES = """POINT is a prompt (@prompt is the latest, @prompt-2 the second before it; @turn
also counts what a pause opened where a client has no hooks), a
checkpoint's name, a session (its start), a change (right after it), a time such as
2026-11-15T09:00, or a while ago such as 30m, 2h or 1d. Without POINT the latest prompts are listed,
and at a terminal you choose one. Going back to a prompt takes back what its session did since, and
keeps everybody else's work. Changes of other programs that nothing recorded stay.

examples:
  redline rewind                         list the latest prompts, and choose one
  redline rewind @prompt                 back to before your last prompt
  redline rewind before-refactoring      back to a checkpoint
  redline rewind @-3                     back to right after that change
  redline rewind 1h --client my-agent    take back what one client did in the last hour
  redline rewind 2h --dry-run            only show the diff
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_flags(parser)
    add_author_flags(parser)
    parser.add_argument("point", nargs="?", metavar="POINT", help="where to go back to")


def run(args: argparse.Namespace) -> int:
    """Take back everything since a point as one change, all of it or nothing."""
    by = author_from(args)
    if args.point is None:
        args.point = _offer(args, by)
        if args.point is None:
            return 0
    return run_revert(args, Wish(Direction.UNDO, OWN, to=args.point, by=by))


def _offer(args: argparse.Namespace, by: Author | None) -> str | None:
    """List the latest turns and what going back to before each takes back; return the choice."""
    with open_redline(args) as redline:
        turns = turns_of(list_turns(redline.history, steps=None), by)[-_OFFERED:]
        if not turns:
            raise NothingToUndo(
                "No agent has changed anything yet", hint="name a point: redline rewind 1h"
            )
        print_table([_row(redline, turn, back) for back, turn in enumerate(reversed(turns))])
    if not all(turn.prompt for turn in turns):
        out(paint(NO_PROMPTS, "dim"))
    if not (is_terminal() and sys.stdin.isatty()):
        out(paint(f"go back to before one: {program()} rewind @turn-N", "dim"))
        return None
    chosen = ask_number("Go back to before which?", len(turns))
    return f"@turn-{chosen - 1}" if chosen and chosen <= len(turns) else None


def _row(redline: Redline, turn: Turn, back: int) -> list[tuple[str, str]]:
    steps = tuple(step for each in turn.operations for step in each.change_set.steps)
    counts = count_lines(redline.history.fill(ChangeSet(steps)))
    undone = all(each.reverted_by for each in turn.operations) and bool(turn.operations)
    names, more = name_first(ChangeSet(steps), label_for(redline), MAX_NAMED)
    files = ", ".join(dict.fromkeys(place.path for place in names)) + (" ..." if more else "")
    state = "  undone" if undone else ""
    return [
        (str(back + 1), "yellow bold"),
        (f"@turn-{back}" if back else "@turn", "yellow"),
        (ago(turn.time), "dim"),
        (one_line(name_agent(turn.client)), "magenta"),
        (f"+{counts.added}", "green"),
        (f"-{counts.removed}", "red"),
        (f"{describe_turn(turn)}  {one_line(files) or 'no changes'}{state}", ""),
    ]
