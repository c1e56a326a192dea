"""`redline status`: where history lives, who serves it, and what changed since."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.compare import changes_since
from redline.cli.commands.history.view import (
    add_workspace_flags,
    ago,
    headline,
    label_for,
    open_redline,
    print_table,
)
from redline.cli.terminal import one_line, out, paint
from redline.core.changes import ChangeSet
from redline.core.errors import NothingToUndo
from redline.core.ports.history import HistoryQuery
from redline.plan.describe import list_touched
from redline.services.history.lines import count_lines
from redline.services.history.listing import FIRST_STEPS
from redline.wiring.rooms import has_room
from redline.wiring.workspace import Redline

EXAMPLES = """examples:
  redline status                          since the latest checkpoint or start of a session
  redline status --since @-5              since a change, a checkpoint, a session or a time
  redline status --since 2h               what changed in the last two hours
  redline status --since HEAD             what differs from the last commit
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument("--since", metavar="POINT", help="compare to a change, checkpoint or time")


def run(args: argparse.Namespace) -> int:
    """Print the workspace, its servers and the files that differ."""
    with open_redline(args) as redline:
        return _show(redline, args)


def _show_recorder(redline: Redline) -> None:
    """Print which process records what other programs change, and what that leaves out."""
    condition = redline.recorder()
    if condition is None:
        hint = ": start redline watch or redline serve" * has_room("recorder")
        out(f"changes by other programs are not recorded{hint}")
        return
    from redline.core.ports.recording import NOT_RECORDED

    out(f"recorded by process {condition.pid}, {ago(condition.started)}")
    out(paint(f"         but not {NOT_RECORDED}", "dim"))
    for limit in condition.limits:
        out(paint(f"         {one_line(limit)}", "yellow"))


def _show(redline: Redline, args: argparse.Namespace) -> int:
    history, label = redline.history, label_for(redline)
    try:
        found = changes_since(redline, args.since)
    except NothingToUndo:
        found = None
    out(f"workspace {one_line(redline.workspace.roots[0].path)}")
    for server in redline.servers():
        out(f"served   {one_line(server.address)} by process {server.pid}, {ago(server.started)}")
    for each in redline.measure_language_servers():
        size = f"{each.resident / 1e6:.0f} MB of at most {each.limit / 1e9:.1f} GB"
        out(f"checker  {each.name} by process {each.pid}, {size}")
    _show_recorder(redline)
    if found is None:
        out("no changes yet")
        return 0
    changed, name = found
    for latest in history.list(HistoryQuery(limit=1, steps=FIRST_STEPS)):
        out(f"latest   {headline(latest, label)}")
    if not changed.steps:
        out(f"nothing differs since {one_line(name)}")
        return 0
    out(paint(f"changed since {one_line(name)}:", "bold"))
    rows = []
    for step in changed.steps:
        one = ChangeSet((step,))
        counts = count_lines(one)
        (place,) = list_touched(one, label)
        rows.append(
            (
                (f"  {place.action}", "cyan"),
                (f"+{counts.added}", "green"),
                (f"-{counts.removed}", "red"),
                (place.path, ""),
            )
        )
    print_table(rows)
    return 0
