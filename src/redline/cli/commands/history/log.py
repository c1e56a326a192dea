"""`redline log`: what changed, newest first."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from typing import Any

from redline.cli.commands.history.view import (
    NO_PROMPTS,
    add_author_flags,
    add_workspace_flags,
    ago,
    author_from,
    describe_files,
    describe_turn,
    label_for,
    open_redline,
    path_from,
    print_table,
)
from redline.cli.flags import positive
from redline.cli.terminal import NOTHING_FOUND, hide_secrets, one_line, out, paint, program
from redline.core.line_diff import LineCounts
from redline.core.ports.history import HistoryQuery, Operation
from redline.plan.describe import Label, list_touched
from redline.services.history.lines import count_lines
from redline.services.history.references import find_operation, require_time
from redline.services.history.turns import (
    Turn,
    is_agents,
    list_turns,
    name_actor,
    name_agent,
)
from redline.wiring.command_line import list_workspaces
from redline.wiring.workspace import Redline

_LIMIT = 20
_TIMES = ("since", "until")

EXAMPLES = """examples:
  redline log                      the latest 20 changes, who made them, lines added and removed
  redline log -n 5 src/app.py      only changes of one file or folder
  redline log --mine               only what you changed at this terminal
  redline log --since 2h           only changes of the last two hours
  redline log --json               for programs
  redline log --all                every workspace of this machine
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    add_author_flags(parser)
    parser.add_argument("path", nargs="?", help="only changes to this file or folder")
    parser.add_argument("--tool", help="only changes made by this tool")
    parser.add_argument(
        "-n", "--limit", type=positive, default=_LIMIT, metavar="N", help="at most N (default 20)"
    )
    parser.add_argument("--since", metavar="TIME", help="only changes from then on: 2h, 3d, a date")
    parser.add_argument("--until", metavar="TIME", help="only changes up to then")
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
        turns = _turns_by_operation(redline, operations)
        rows = [_wire(redline, each, label, turns.get(each.id)) for each in operations]
        out(json.dumps(rows, indent=1))
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
    for name in ("workspace", "state_dir", "client", "principal", "session", "tool", *_TIMES):
        value = getattr(args, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", value]
    words += ["--mine"] * args.mine + (["-n", str(args.limit)] if args.limit != _LIMIT else [])
    return shlex.join([*words, "--before", last])


def _run_all(args: argparse.Namespace) -> int:
    found: list[dict[str, Any]] = []
    for settings in list_workspaces():
        with hide_secrets(Redline(settings, is_brief=True)) as redline:
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
    since, until = (_moment(args, name) for name in _TIMES)
    query = HistoryQuery(
        path=None if args.path is None else path_from(args, redline, args.path),
        tool=args.tool,
        since=since,
        until=until,
        before_id=find_operation(history, args.before) if args.before else None,
        limit=limit + 1,
        by=author_from(args),
    )
    found = list(history.list(query))
    return found[:limit], len(found) > limit


def _moment(args: argparse.Namespace, name: str) -> float | None:
    given = getattr(args, name)
    return None if given is None else require_time(given, name)


def _print(redline: Redline, operations: list[Operation]) -> None:
    label = label_for(redline)
    turns = _turns_by_operation(redline, operations)
    has_prompts = any(turn.prompt for turn in turns.values())
    rows: list[list[tuple[str, str]] | str] = []
    group = ""
    for operation in operations:
        turn = turns.get(operation.id)
        heading = _heading(turn) if turn else paint(name_actor(operation.origin), "bold")
        if has_prompts and heading != group:
            rows.append(group := heading)
        counts = _counts(redline, operation)
        origin = operation.origin
        rows.append(
            [
                (operation.id, "yellow" if operation.reverted_by else "yellow bold"),
                (ago(operation.time), "dim"),
                (one_line(origin.who), "magenta"),
                (one_line(origin.session), "dim"),
                (one_line(origin.tool), "cyan"),
                (f"+{counts.added}", "green"),
                (f"-{counts.removed}", "red"),
                (describe_files(operation, label), ""),
            ]
        )
    print_table(rows)
    if has_prompts and not all(turn.prompt for turn in turns.values()):
        out(paint(NO_PROMPTS, "dim"))


def _turns_by_operation(redline: Redline, listed: Sequence[Operation]) -> dict[str, Turn]:
    """Return the turn of each of the listed operations that an agent made."""
    if not any(is_agents(operation.origin) for operation in listed):
        return {}
    wanted = {operation.id for operation in listed}
    turns = list_turns(redline.history)
    return {op.id: turn for turn in turns for op in turn.operations if op.id in wanted}


def _heading(turn: Turn) -> str:
    session = paint(f"session {one_line(turn.session)}", "dim")
    return f"{paint(one_line(name_agent(turn.client)), 'bold')}  {describe_turn(turn)}  {session}"


def _counts(redline: Redline, operation: Operation) -> LineCounts:
    """Count the lines of all files."""
    return count_lines(redline.history.fill(operation.change_set))


def _wire(
    redline: Redline, operation: Operation, label: Label, turn: Turn | None = None
) -> dict[str, Any]:
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
        "git": operation.git,
        "turn": turn.opener if turn else None,
        "prompt": turn.words if turn else None,
        "reverts": operation.reverts,
        "reverted_by": operation.reverted_by,
        "added": counts.added,
        "removed": counts.removed,
        "files": [place.wire() for place in files],
        "files_total": operation.step_count,
    }
