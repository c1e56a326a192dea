"""`redline held [show|approve|refuse ID]`: changes and commands that wait for a person."""

from __future__ import annotations

import argparse
import getpass
import json
import time
from datetime import UTC, datetime
from typing import Any

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
from redline.cli.terminal import (
    ask_person,
    fail,
    one_line,
    out,
    paint,
    paint_diff,
    program,
    standard_input,
)
from redline.core.errors import InvalidArgument, PermissionDenied, UnknownHeld
from redline.core.ports.review import HeldChange, HeldState, PermissionQuestion, Ruling
from redline.plan.describe import list_touched
from redline.review.held import (
    HeldView,
    approve_held,
    list_held,
    list_questions,
    refuse_held,
    show_held,
)
from redline.services.questions import answer_question
from redline.wiring.workspace import Redline

EXAMPLES = """examples:
  redline held                             what waits for you
  redline held show 3fa2                   who wants what, which rule holds it, the diff;
                                           of a command, all that would run
  redline held approve 3fa2                make the change, if its files are still the same;
                                           let the command run, once
  redline held approve 3fa2 --content a.py < mine.py
                                           make it with your own content for one file
  redline held refuse 3fa2 --reason "use the feature flag instead"
                                           the agent gets the reason with its next answer

A decision is taken by a person: you are asked at your terminal, whatever standard input is. Where
there is no terminal, decide on the review page.

exit codes:
  0  done, or listed
  1  not decided: you did not say yes, there is no terminal, it is stale, expired or decided
     before, or a rule denies it
  2  the command line is wrong
  3  nothing of that id waits or was decided
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
    parser.add_argument("id", nargs="?", help="which one; the start of its id is enough")
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
    if args.reason and args.action != "refuse":
        raise InvalidArgument(
            "A reason goes with a refusal: redline held refuse ID", field="reason"
        )
    if args.content and args.action != "approve":
        raise InvalidArgument("Only an approval has contents: held approve ID", field="content")
    with open_redline(args) as redline:
        if args.action == "list":
            _print_list(redline, args)
            return 0
        found = _find_waiting(redline, args.id)
        if args.action == "show":
            if isinstance(found, HeldChange):
                _print_view(redline, show_held(redline, found.id), args.json)
            else:
                _print_question(found, args.json)
            return 0
        return _decide(redline, found, args)


def _decide(
    redline: Redline, found: HeldChange | PermissionQuestion, args: argparse.Namespace
) -> int:
    person, is_yes = _person(args), args.action == "approve"
    if args.content and not isinstance(found, HeldChange):
        raise InvalidArgument(f"A command has no contents: {found.id}", field="content")
    edited = {args.content: standard_input(_MAX_CONTENT)} if args.content else None
    if found.state(time.time()) is HeldState.WAITING and not _is_sure(redline, found, person, args):
        return 1
    state, operation = ("approved" if is_yes else "refused"), None
    said = f"{state} {found.id}"
    if not isinstance(found, HeldChange):
        answer_question(redline, found.id, person, is_allowed=is_yes, reason=args.reason)
    elif is_yes:
        done = approve_held(redline, found.id, person, edited)
        operation, said = done.id, f"approved: {headline(done, label_for(redline))}"
    else:
        refuse_held(redline, found.id, person, args.reason)
    facts = {"id": found.id, "state": state, **({"operation": operation} if operation else {})}
    _report(args, facts, said)
    return 0


def _is_sure(
    redline: Redline, found: HeldChange | PermissionQuestion, person: str, args: argparse.Namespace
) -> bool:
    """Show what is decided and ask the person; whether the answer was yes. PermissionDenied."""
    what = _summary(redline, found) if isinstance(found, HeldChange) else _question_text(found)
    answer = ask_person(f"{what}\n{args.action.capitalize()} it as {one_line(person)}?")
    if answer is None:
        raise PermissionDenied(
            f"A decision is taken at a terminal, and there is none here: {found.id}",
            hint="run this in a terminal, or decide on the review page: redline review",
        )
    if not answer:
        fail(f"Not decided: {found.id} still waits")
    return answer


def _summary(redline: Redline, held: HeldChange) -> str:
    who = f"{one_line(held.origin.client)} {one_line(held.origin.principal)}".strip()
    rules = [f"held by    {_describe(ruling)}" for ruling in held.rulings[:MAX_NAMED]]
    names = f"change     {_names(redline, held)}"
    wanted = f"wanted by  {who}, tool {one_line(held.origin.tool)}"
    return "\n".join([wanted, *_purpose(held), names, *rules])


def _purpose(held: HeldChange) -> list[str]:
    """Return the line that says what the change is for, if its maker said it."""
    return [f"for        {one_line(held.origin.summary)}"] if held.origin.summary else []


def _names(redline: Redline, held: HeldChange) -> str:
    touched = list_touched(held.change_set, label_for(redline), MAX_NAMED)
    more = len(held.change_set.steps) - len(touched)
    names = ", ".join(f"{each.action} {one_line(each.path)}" for each in touched)
    return names + (f" +{more} more" if more else "")


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
    found: list[HeldChange | PermissionQuestion] = []
    found += list_held(redline, decided=args.all)
    found += list_questions(redline, decided=args.all)
    found.sort(key=lambda each: each.time)
    if args.json:
        facts = [
            _wire(redline, each) if isinstance(each, HeldChange) else _question_wire(each)
            for each in found
        ]
        out(json.dumps(facts, indent=1))
        return
    if not found:
        out("nothing waits for you")
        return
    now = time.time()
    rows = []
    for each in found:
        state = each.state(now)
        if isinstance(each, HeldChange):
            origin, what = each.origin, _names(redline, each)
            client, tool = origin.client, origin.tool
        else:
            client, tool, what = each.client, each.tool, _first_line(each)
        rows.append(
            (
                (each.id, "yellow bold"),
                (state.value, _STYLES[state]),
                (ago(each.time), "dim"),
                (one_line(client), "magenta"),
                (one_line(tool), "cyan"),
                (what, ""),
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
        *_purpose(held),
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
        **_common_wire("change", held),
        "tool": origin.tool,
        "client": origin.client,
        "principal": origin.principal,
        "session": origin.session,
        "summary": origin.summary,
        "rules": [ruling.wire() for ruling in held.rulings],
        "files": [each.wire() for each in touched],
        "operation": decision.operation if decision else None,
    }


def _find_waiting(redline: Redline, ident: str) -> HeldChange | PermissionQuestion:
    """Return the held change or the question whose id starts with *ident*; UnknownHeld."""
    every: list[HeldChange | PermissionQuestion] = []
    every += list_held(redline, decided=True)
    every += list_questions(redline, decided=True)
    found = [each for each in every if each.id.startswith(ident)]
    if len(found) != 1:
        several = f": it could be {', '.join(each.id for each in found)}" if found else ""
        raise UnknownHeld(
            f"Nothing that waits has this id: {ident}{several}",
            hint="redline held lists what waits",
        )
    return found[0]


def _first_line(question: PermissionQuestion) -> str:
    """Return a question on one line: what would run, without the lines below it."""
    asked, _, described = question.message.partition("\n")
    return one_line(described.partition("\n")[0] or asked)


def _question_text(question: PermissionQuestion) -> str:
    """Return who asks, and all of what is asked."""
    who = f"{one_line(question.client)} {one_line(question.principal)}".strip()
    return f"wanted by  {who}, tool {one_line(question.tool)}\n{question.message}"


def _print_question(question: PermissionQuestion, as_json: bool) -> None:
    """Print one question."""
    if as_json:
        out(json.dumps(_question_wire(question)))
        return
    state = question.state(time.time())
    lines = [
        f"{paint(question.id, 'yellow', 'bold')}  {paint(state.value, _STYLES[state])}",
        f"asked      {when(question.time)}",
        f"expires    {when(question.expires)}",
    ]
    if question.decision is not None:
        by, reason = one_line(question.decision.by), one_line(question.decision.reason)
        lines.append(f"decided by {by}, {when(question.decision.time)} {reason}")
    print_long([*lines, *_question_text(question).split("\n")])


def _question_wire(question: PermissionQuestion) -> dict[str, Any]:
    """Return a question as JSON has it."""
    return {
        **_common_wire("command", question),
        "tool": question.tool,
        "client": question.client,
        "principal": question.principal,
        "session": question.session,
        "message": question.message,
    }


def _common_wire(kind: str, waiting: HeldChange | PermissionQuestion) -> dict[str, Any]:
    """Return what changes and questions have in common."""
    decision = waiting.decision
    return {
        "id": waiting.id,
        "kind": kind,
        "state": waiting.state(time.time()).value,
        "time": _iso(waiting.time),
        "expires": _iso(waiting.expires),
        "decided_by": decision.by if decision else None,
        "reason": decision.reason if decision else None,
    }


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()
