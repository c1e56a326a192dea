"""`redline policy check|explain`: are the rules valid, and what would they do?"""

from __future__ import annotations

import argparse
import json

from redline.cli.commands.history.view import add_workspace_flags, open_redline, print_table
from redline.cli.terminal import fail, one_line, out, paint
from redline.core.errors import InvalidArgument, PolicyUnreadable
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.core.ports.review import Action
from redline.core.records import asdict
from redline.documents.base.path import parse_path
from redline.policy.ports import RuleOutcome
from redline.wiring.workspace import Redline

EXAMPLES = """examples:
  redline policy check                     is the policy valid, and how many rules has it?
  redline policy explain deploy/web.yaml   which rule decides about changes of this file
  redline policy explain deploy/web.yaml --field spec.replicas --client claude-code
                                           about one value in it, changed by one client
  redline policy explain .env --secret 3   why values of line 3 are masked for models

exit codes:
  0  the policy is valid; explain: a change would be allowed
  1  explain: a change would be held, or denied
  2  the policy cannot be used, or the command line is wrong
  3  there is no policy
"""
_STYLES = {Action.ALLOW: "green", Action.ASK: "yellow", Action.DENY: "red"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument("action", choices=("check", "explain"))
    parser.add_argument("path", nargs="?", help="explain: the file that would change")
    parser.add_argument(
        "--policy", metavar="FILE", help="default: policy.toml in the configuration directory"
    )
    parser.add_argument("--tool", default="", metavar="NAME", help="the tool that changes it")
    parser.add_argument("--client", default="", metavar="NAME", help="the client that asks for it")
    parser.add_argument("--principal", default="", metavar="NAME", help="the login behind it")
    parser.add_argument("--field", metavar="PATH", help="the value in it, such as spec.replicas")
    parser.add_argument(
        "--secret", metavar="LINE", type=int, help="explain: why values of this line are masked"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace) -> int:
    """Check the policy, or explain what it says about a file."""
    if args.action == "explain" and not args.path:
        raise InvalidArgument("Which file? redline policy explain PATH", field="path")
    with open_redline(args) as redline:
        try:
            policy = redline.policy.current()
        except PolicyUnreadable as error:
            fail(error.message)
            return 2
        if args.secret:
            return _explain_secret(redline, args)
        if policy is None:
            out(f"there is no policy, so everything is allowed: {one_line(redline.policy.path)}")
            return 3
        if args.action == "explain":
            return _explain(redline, args)
        facts = {
            "file": redline.policy.path,
            "rules": len(policy.rules),
            "default": policy.default.value,
            "expires_seconds": policy.expires,
        }
        if args.json:
            out(json.dumps(facts, indent=1))
        else:
            count = "1 rule" if len(policy.rules) == 1 else f"{len(policy.rules)} rules"
            out(f"{paint('valid', 'green')}: {one_line(redline.policy.path)}")
            out(f"{count}, then {policy.default.value}; held changes expire after"
                f" {policy.expires / 3600:g} h")  # fmt: skip
    return 0


def _explain_secret(redline: Redline, args: argparse.Namespace) -> int:
    """Print why values of one line of a file are masked, without the values."""
    place = redline.workspace.resolve(args.path, Access.READ)
    rows = redline.secrets.explain(place, redline.tree.read(place), args.secret)
    if args.json:
        out(json.dumps([row._asdict() for row in rows], indent=1))
    else:
        print_table([[(one_line(text), "") for text in row] for row in rows])
    if not rows:
        out(f"{one_line(args.path)}:{args.secret}: nothing is masked")
    return 1 if any(row.action != "allow" for row in rows) else 0


def _explain(redline: Redline, args: argparse.Namespace) -> int:
    origin = Origin(args.tool, args.client, args.principal)
    place = redline.workspace.resolve(args.path, Access.READ)
    steps = None if args.field is None else tuple(map(str, parse_path(args.field)))
    reports = redline.rules.explain(place, origin, steps)
    decided = reports[-1]
    if args.json:
        out(json.dumps([asdict(report) for report in reports], indent=1))
    else:
        print_table(
            [
                (
                    (f"line {report.line}" if report.line else "default", "dim"),
                    (one_line(report.rule), "bold"),
                    (report.outcome.value, "" if report.outcome is RuleOutcome.DECIDES else "dim"),
                    (report.action.value, _STYLES[report.action]),
                    (one_line(report.why), ""),
                )
                for report in reports
            ]
        )
        verdict = paint(decided.action.value, _STYLES[decided.action], "bold")
        is_open = any(report.outcome is RuleOutcome.MAY_DECIDE for report in reports)
        unless = ", unless a rule above that may decide does" if is_open else ""
        out(f"{one_line(args.path)}: {verdict}, by {one_line(decided.rule)}{unless}")
    return 0 if decided.action is Action.ALLOW else 1
