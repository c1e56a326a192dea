"""`redline log`: what changed, newest first."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import Any

from redline.app import Redline, list_workspaces
from redline.cli.commands.history.view import (
    MAX_NAMED,
    add_author_flags,
    add_workspace_flags,
    ago,
    author_from,
    describe_files,
    label_for,
    open_redline,
    path_from,
    print_table,
)
from redline.cli.flags import positive
from redline.cli.terminal import NOTHING_FOUND, one_line, out, paint, program
from redline.core.ports.history import HistoryQuery, Operation
from redline.plan.describe import Label, list_touched
from redline.services.history.lines import LineCounts, count_lines
from redline.services.history.references import find_operation

_LIMIT = 20

EXAMPLES = """examples:
  redline log                      the latest 20 changes, who made them, lines added and removed
  redline log -n 5 src/app.py      only changes of one file or folder
  redline log --mine               only what you changed at this terminal
  redline log --json               for programs
  redline log --all                every workspace of this machine
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    add_author_flags(parser)
    parser.add_argument("path", nargs="?", help="only changes of this file or folder")
    parser.add_argument("--tool", help="only changes made by this tool")
    parser.add_argument(
        "-n", "--limit", type=positive, default=_LIMIT, metavar="N", help="how many (default 20)"
    )
    parser.add_argument("--before", metavar="ID", help="only changes older than this one")
    parser.add_argument("--all", action="store_true", help="every workspace of this machine")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace) -> int:
    """Print one page of the history."""
    if args.all:
        return _run_all(args)
    with open_redline(args) as redline:
        return _list(redline, args)


def _list(redline: Redline, args: argparse.Namespace) -> int:
    operations, more = _page(redline, args)
    if args.json:
        label = label_for(redline)
        out(json.dumps([_wire(redline, each, label) for each in operations], indent=1))
        return 0
    _print(redline, operations)
    for notice in redline.take_notices():
        out(paint(f"note: {notice}", "dim"))
    if not operations:
        is_empty = not redline.history.list(HistoryQuery(limit=1, steps=0))
        out("no changes yet" if is_empty else "no change matches")
    elif more:
        out(paint(f"more: {_next_page(args, operations[-1].id)}", "dim"))
    return 0 if operations else NOTHING_FOUND


def _next_page(args: argparse.Namespace, last: str) -> str:
    """Return the command that lists what follows, with the same filters."""
    words = [program(), "log", *([args.path] if args.path else [])]
    for name in ("workspace", "state_dir", "client", "principal", "session", "tool"):
        value = getattr(args, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", value]
    words += ["--mine"] * args.mine + (["-n", str(args.limit)] if args.limit != _LIMIT else [])
    return shlex.join([*words, "--before", last])


def _run_all(args: argparse.Namespace) -> int:
    found: list[dict[str, Any]] = []
    for settings in list_workspaces():
        with Redline(settings, is_brief=True) as redline:
            operations, _ = _page(redline, args)
            if args.json:
                rows = [_wire(redline, each, label_for(redline)) for each in operations]
                found.append({"workspace": settings.workspace, "changes": rows})
            elif operations:
                out(paint(one_line(settings.workspace), "bold"))
                _print(redline, operations)
                out()
    if args.json:
        out(json.dumps(found, indent=1))
    return 0


def _page(redline: Redline, args: argparse.Namespace) -> tuple[list[Operation], bool]:
    history = redline.history
    limit = args.limit
    query = HistoryQuery(
        path=None if args.path is None else path_from(args, redline, args.path),
        tool=args.tool,
        before_id=find_operation(history, args.before) if args.before else None,
        limit=limit + 1,
        steps=MAX_NAMED,
        by=author_from(args),
    )
    found = list(history.list(query))
    return found[:limit], len(found) > limit


def _print(redline: Redline, operations: list[Operation]) -> None:
    label = label_for(redline)
    rows = []
    for operation in operations:
        counts = _counts(redline, operation)
        origin = operation.origin
        rows.append(
            (
                (operation.id, "yellow" if operation.reverted_by else "yellow bold"),
                (ago(operation.time), "dim"),
                (one_line(origin.who), "magenta"),
                (one_line(origin.session), "dim"),
                (one_line(origin.tool), "cyan"),
                (f"+{counts.added}", "green"),
                (f"-{counts.removed}", "red"),
                (describe_files(operation, label), ""),
            )
        )
    print_table(rows)


def _counts(redline: Redline, operation: Operation) -> LineCounts:
    """Count the lines of the files that were read: of a huge change, the first ones."""
    return count_lines(redline.history.fill(operation.change_set))


def _wire(redline: Redline, operation: Operation, label: Label) -> dict[str, Any]:
    from datetime import UTC, datetime  # only programs ask for this

    counts, origin = _counts(redline, operation), operation.origin
    files = list_touched(operation.change_set, label)
    return {
        "id": operation.id,
        "time": datetime.fromtimestamp(operation.time, UTC).isoformat(),
        "kind": operation.kind,
        "tool": origin.tool,
        "client": origin.client,
        "principal": origin.principal,
        "session": origin.session,
        "summary": origin.summary,
        "reverts": operation.reverts,
        "reverted_by": operation.reverted_by,
        "added": counts.added,
        "removed": counts.removed,
        "files": [place.wire() for place in files],
        "files_total": operation.step_count,
    }
