"""`redline held [show|approve|refuse ID]`: changes that wait for a person."""

from __future__ import annotations

import argparse
import getpass
import json
import time
from datetime import UTC, datetime
from typing import Any

from redline.app import Redline
from redline.cli.commands.history.view import (
    MAX_NAMED,
    add_workspace_flags,
    ago,
    headline,
    label_for,
    open_redline,
    print_long,
    print_table,
    when,
)
from redline.cli.terminal import one_line, out, paint, paint_diff, program, standard_input
from redline.core.errors import InvalidArgument
from redline.core.ports.review import HeldChange, HeldState, Ruling
from redline.plan.describe import list_touched
from redline.services.review.held import (
    HeldView,
    approve_held,
    list_held,
    refuse_held,
    show_held,
)

EXAMPLES = """examples:
  redline held                             what waits for you
  redline held show 3fa2                   who wants what, which rule holds it, the diff
  redline held approve 3fa2                make the change, if its files are still the same
  redline held approve 3fa2 --content a.py < mine.py
                                           make it with your own content for one file
  redline held refuse 3fa2 --reason "use the feature flag instead"
                                           the agent gets the reason with its next answer

exit codes:
  0  done, or listed
  1  refused: the change is stale, expired or decided, or a rule denies it
  2  the command line is wrong
  3  there is no such held change
"""
_MAX_CONTENT = 16 << 20
_STYLES = {
    HeldState.WAITING: "yellow",
    HeldState.APPROVED: "green",
    HeldState.REFUSED: "red",
    HeldState.EXPIRED: "dim",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "approve", "refuse"), default="list"
    )
    parser.add_argument("id", nargs="?", help="which change; the start of its id is enough")
    parser.add_argument("--all", action="store_true", help="list decided and expired ones too")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why you refuse it")
    parser.add_argument(
        "--content",
        metavar="NAME",
        help="approve with what standard input holds as the content of the file NAME",
    )
    parser.add_argument("--by", metavar="NAME", help="who decides (default: your login)")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace) -> int:
    """List, show or decide."""
    if args.action != "list" and not args.id:
        raise InvalidArgument(f"Which one? redline held {args.action} ID", field="id")
    with open_redline(args) as redline:
        if args.action == "list":
            _print_list(redline, args)
        elif args.action == "show":
            _print_view(redline, show_held(redline, args.id), args.json)
        elif args.action == "approve":
            _approve(redline, args)
        else:
            held = refuse_held(redline, args.id, _person(args), args.reason)
            _report(args, {"id": held.id, "state": "refused"}, f"refused {held.id}")
    return 0


def _approve(redline: Redline, args: argparse.Namespace) -> None:
    edited = {args.content: standard_input(_MAX_CONTENT)} if args.content else None
    operation = approve_held(redline, args.id, _person(args), edited)
    facts = {"id": args.id, "state": "approved", "operation": operation.id}
    _report(args, facts, f"approved: {headline(operation, label_for(redline))}")


def _report(args: argparse.Namespace, facts: dict[str, Any], text: str) -> None:
    out(json.dumps(facts, indent=1) if args.json else text)


def _person(args: argparse.Namespace) -> str:
    if args.by:
        return str(args.by)
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise InvalidArgument("Your login has no name: pass --by NAME", field="by") from None


def _print_list(redline: Redline, args: argparse.Namespace) -> None:
    found = list_held(redline, decided=args.all)
    if args.json:
        out(json.dumps([_wire(redline, held) for held in found], indent=1))
        return
    if not found:
        out("nothing waits for you")
        return
    label, now = label_for(redline), time.time()
    rows = []
    for held in found:
        touched = list_touched(held.change_set, label, MAX_NAMED)
        more = len(held.change_set.steps) - len(touched)
        names = ", ".join(f"{each.action} {each.path}" for each in touched)
        state = held.state(now)
        rows.append(
            (
                (held.id, "yellow bold"),
                (state.value, _STYLES[state]),
                (ago(held.time), "dim"),
                (one_line(held.origin.client), "magenta"),
                (one_line(held.origin.tool), "cyan"),
                (names + (f" +{more} more" if more else ""), ""),
            )
        )
    print_table(rows)
    out(paint(f"look at one: {program()} held show ID", "dim"))


def _print_view(redline: Redline, view: HeldView, as_json: bool) -> None:
    held, origin = view.change, view.change.origin
    if as_json:
        files = [{**file.touched.wire(), "diff": file.diff} for file in view.files]
        out(json.dumps({**_wire(redline, held), "stale": list(view.stale), "files": files}))
        return
    who = f"{one_line(origin.client)} {one_line(origin.principal)}".strip()
    lines = [
        f"{paint(held.id, 'yellow', 'bold')}  {paint(view.state.value, _STYLES[view.state])}",
        f"wanted by  {who}, tool {one_line(origin.tool)}, {when(held.time)}",
        f"expires    {when(held.expires)}",
        *(f"held by    {_describe(ruling)}" for ruling in held.rulings),
    ]
    if held.decision is not None:
        by = one_line(held.decision.by)
        lines.append(
            f"decided by {by}, {when(held.decision.time)} {one_line(held.decision.reason)}"
        )
    if view.stale:
        lines.append(paint(f"stale: changed since: {', '.join(view.stale)}", "red"))
    lines.append("")
    diff = "".join(file.diff for file in view.files)
    print_long([*lines, *paint_diff(diff).splitlines()])


def _describe(ruling: Ruling) -> str:
    where = f"line {ruling.line}" if ruling.line else "default"
    reason = f": {one_line(ruling.reason)}" if ruling.reason else ""
    name = one_line(f"{ruling.path} {ruling.field}".strip())
    return f"{one_line(ruling.rule)} ({where}) for {name}{reason}"


def _wire(redline: Redline, held: HeldChange) -> dict[str, Any]:
    decision, origin = held.decision, held.origin
    touched = list_touched(held.change_set, label_for(redline))
    return {
        "id": held.id,
        "state": held.state(time.time()).value,
        "time": _iso(held.time),
        "expires": _iso(held.expires),
        "tool": origin.tool,
        "client": origin.client,
        "principal": origin.principal,
        "session": origin.session,
        "rules": [ruling.wire() for ruling in held.rulings],
        "files": [each.wire() for each in touched],
        "decided_by": decision.by if decision else None,
        "reason": decision.reason if decision else None,
        "operation": decision.operation if decision else None,
    }


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()
