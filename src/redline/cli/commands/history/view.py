"""What the history commands share: opening the workspace and drawing operations."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from redline.cli.flags import find_caller, policy_from, state_dir_from
from redline.cli.terminal import (
    err,
    escape_for_terminal,
    fit,
    hide_secrets,
    one_line,
    out,
    paint,
    terminal_width,
)
from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Author, Operation
from redline.plan.describe import Label, name_first
from redline.services.history.listing import describe_without_files
from redline.services.history.references import first_after
from redline.services.history.turns import Turn
from redline.services.names import display_name
from redline.settings import Settings
from redline.wiring.command_line import locate_workspace, page_text
from redline.wiring.workspace import Redline

# How many files of an operation are named on its line.
MAX_NAMED = 3
_ACTION_STYLE = {"create": "green", "delete": "red", "edit": "yellow", "move": "blue"}
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_WEEK = 7 * 86400
# What a person reads below turns that no prompt opened.
NO_PROMPTS = "turns without a prompt are told apart by pauses: redline hooks install CLIENT"


def add_workspace_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say whose history is meant."""
    parser.add_argument(
        "--workspace", metavar="DIR", help="default: found from this directory upwards"
    )
    parser.add_argument(
        "--state-dir", metavar="DIR", help="where the history is (default: outside the workspace)"
    )


def add_author_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that choose operations by who made them."""
    group = parser.add_argument_group("whose changes")
    group.add_argument(
        "--mine",
        action="store_true",
        help="only your changes, or those of the agent that runs this command",
    )
    group.add_argument("--client", metavar="NAME", help="only changes by this client")
    group.add_argument("--principal", metavar="NAME", help="only changes by this login")
    group.add_argument("--session", metavar="NAME", help="only changes in this session")


def author_from(args: argparse.Namespace) -> Author | None:
    """Return whose changes the flags choose; None for everyone's."""
    if args.mine:
        if args.client is not None or args.principal is not None:
            raise InvalidArgument("--mine excludes --client and --principal", field="mine")
        return Author(args.session, find_caller()[0], "")
    found = Author(args.session, args.client, args.principal)
    return None if found == Author() else found


def settings_for(args: argparse.Namespace, near: str | None = None) -> Settings:
    """Return the settings of the workspace that is named, or that a file or this directory is in.

    *near* is the file that the command is about.
    """
    state_dir, policy = state_dir_from(args), policy_from(args)
    here = "." if near is None else os.path.dirname(os.path.realpath(near))
    found = locate_workspace(args.workspace or here, state_dir)._replace(policy=policy)
    if args.workspace is not None and os.path.realpath(args.workspace) != found.workspace:
        return Settings(workspace=args.workspace, state_dir=state_dir, policy=policy)
    return found


def open_redline(
    args: argparse.Namespace, near: str | None = None, *, is_brief: bool = True
) -> Redline:
    """Open the workspace that the flags name, or that *near* lies in."""
    return hide_secrets(Redline(settings_for(args, near), is_brief=is_brief))


def path_from(args: argparse.Namespace, redline: Redline, text: str) -> str:
    """Return a path as the person means it: from this directory, or as diffs name it.

    With --workspace, and where only the workspace has it, it is relative to the workspace.
    """
    inside = os.path.join(redline.workspace.roots[0].path, text)
    here = os.path.abspath(text)
    if args.workspace is None and (os.path.lexists(here) or not os.path.lexists(inside)):
        return here
    return inside


def label_for(redline: Redline) -> Label:
    """Return how paths are shown: relative to the workspace, absolute in other roots."""

    def label(path: WorkspacePath) -> str:
        return one_line(display_name(redline.workspace, path))

    return label


def note_beginning(redline: Redline, point: str) -> None:
    """Say where the history begins if *point* is a time before that."""
    first = first_after(redline.history, point)
    if first is not None:
        err(f"note: the history begins with {first.id}, {when(first.time)}: nothing older is known")


def headline(operation: Operation, label: Label) -> str:
    """Return one operation on one line."""
    ident = paint(operation.id, "yellow", *(() if operation.reverted_by else ("bold",)))
    time, tool = paint(when(operation.time), "dim"), paint(one_line(operation.origin.tool), "cyan")
    return f"{ident}  {time}  {tool}  {describe_files(operation, label)}"


def describe_files(operation: Operation, label: Label) -> str:
    """Return the first files of an operation and what happened to each."""
    if not operation.step_count:
        return paint(one_line(describe_without_files(operation)), "magenta")
    places, rest = name_first(operation.change_set, label, MAX_NAMED)
    rest += operation.left_out
    names = ", ".join(
        f"{paint(place.action, _ACTION_STYLE.get(place.action, 'dim'))} {place.path}"
        for place in places
    )
    more = f" +{rest} more" if rest else ""
    state = paint("  undone", "dim") if operation.reverted_by else ""
    git = paint(f"  {one_line(operation.git)}", "magenta") if operation.git else ""
    return f"{names}{more}{git}{state}"


def describe_turn(turn: Turn) -> str:
    """Return the first words of a turn's prompt in quotes, or say that none was heard."""
    return f"\u201c{one_line(turn.words)}\u201d" if turn.prompt else "(no prompt)"


def print_table(table: Sequence[Sequence[tuple[str, str]] | str]) -> None:
    """Print rows of (text, style) cells, all columns but the last aligned, in the pager if long.

    A text is a heading of its own line.

    On a terminal a row that is too wide for it is cut.
    """
    rows = [row for row in table if not isinstance(row, str)]
    widths = [max(len(row[n][0]) for row in rows) for n in range(len(rows[0]) - 1)] if rows else []
    lines = []
    for row in table:
        if isinstance(row, str):
            lines.append(row)
            continue
        cells = [
            paint(text, *style.split()) + " " * (width - len(text))
            for (text, style), width in zip(row[:-1], widths, strict=True)
        ]
        text, style = row[-1]
        lines.append("  ".join([*cells, paint(text, *style.split()) if style else text]))
    columns = terminal_width()
    print_long([fit(line, columns) for line in lines] if columns else lines)


def print_long(lines: Sequence[str]) -> None:
    """Print lines, through the pager where a person reads more than fits the screen."""
    if sys.stdout is not None and sys.stdout.isatty():
        height = os.get_terminal_size(sys.stdout.fileno()).lines
        text = "\n".join(escape_for_terminal(line) for line in lines) + "\n"
        if text.count("\n") >= height and page_text(text):
            return
    for line in lines:
        out(line)


def when(moment: float) -> str:
    """Return a time in the reader's own zone."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))


def ago(moment: float) -> str:
    """Return how long ago something happened, or its date if that is over a week."""
    seconds = max(0.0, time.time() - moment)
    if seconds >= _WEEK:
        return when(moment)[:10]
    size, unit = next(((s, u) for s, u in _UNITS if seconds >= s), (1, "s"))
    return f"{int(seconds // size)} {unit} ago"
