"""What log, show, undo and redo share: opening the history and drawing an operation."""

from __future__ import annotations

import argparse
from datetime import datetime

from redline.app import Redline
from redline.cli.flags import state_dir_from
from redline.cli.terminal import one_line, paint
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation
from redline.plan.describe import Label, list_touched
from redline.services.names import display_name
from redline.settings import Settings

# How many files of an operation are named on its line.
MAX_NAMED = 3
_ACTION_STYLE = {"create": "green", "delete": "red", "edit": "yellow", "move": "blue"}


def add_workspace_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say whose history is meant."""
    parser.add_argument("--workspace", default=".", metavar="DIR", help="default: this directory")
    parser.add_argument(
        "--state-dir", metavar="DIR", help="where history lives, if not the default"
    )


def open_redline(args: argparse.Namespace) -> Redline:
    """The workspace the flags name."""
    return Redline(Settings(workspace=args.workspace, state_dir=state_dir_from(args)))


def label_for(redline: Redline) -> Label:
    """How paths are shown: relative to the workspace, absolute in other roots."""

    def label(path: WorkspacePath) -> str:
        return one_line(display_name(redline.workspace, path))

    return label


def headline(operation: Operation, label: Label) -> str:
    """One operation on one line."""
    places = list_touched(operation.change_set, label, MAX_NAMED)
    names = ", ".join(
        f"{paint(place.action, _ACTION_STYLE.get(place.action, 'dim'))} {place.path}"
        for place in places
    )
    more = f" +{operation.step_count - MAX_NAMED} more" if operation.step_count > MAX_NAMED else ""
    state = paint("  undone", "dim") if operation.reverted_by else ""
    ident = paint(operation.id, "yellow", *(() if operation.reverted_by else ("bold",)))
    time, tool = paint(when(operation.time), "dim"), paint(one_line(operation.origin.tool), "cyan")
    return f"{ident}  {time}  {tool}  {names}{more}{state}"


def when(moment: float) -> str:
    """A time in the reader's own zone."""
    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
