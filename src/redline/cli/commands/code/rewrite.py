"""`redline rewrite PATTERN [REPLACEMENT]`: search and replace code by its syntax."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from typing import Any

from redline.app import Redline
from redline.cli.commands.code.changing import (
    add_change_flags,
    carry_out,
    open_changing,
)
from redline.cli.terminal import NOTHING_FOUND, err, fail, one_line, out
from redline.core.cancellation import UNCANCELLABLE
from redline.core.changes import ChangeSet
from redline.core.errors import InvalidArgument, NoMatch
from redline.core.paths import Access
from redline.services.code.rewrite import RewriteRequest, Rewritten, plan_rewrite
from redline.services.names import display_name


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = """examples:
  redline rewrite 'print($A)' 'log.info($A)' --language python
  redline rewrite 'foo($$$ARGS)' --language go                 # only list the places
  redline rewrite '$F($A)' 'run($F, $A)' --file a.py --where '{"F": {"regex": "^old_"}}'

exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 nothing matches
"""
    parser.add_argument("pattern", help="code with $A for one node, $$$ARGS for several")
    parser.add_argument("replacement", nargs="?", help="left out: only list the places")
    parser.add_argument("--language", metavar="NAME", default="", help="needed without --file")
    parser.add_argument("--file", metavar="PATH", default=".", help="a file or directory")
    parser.add_argument("--glob", action="append", default=[], help="only files like this; !x not")
    parser.add_argument("--rule", metavar="JSON", help="more of the rule: kind, inside, has, not")
    parser.add_argument("--where", metavar="JSON", help="constraints of single metavariables")
    add_change_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Show what changes, and change it."""
    request = RewriteRequest(
        args.pattern,
        args.replacement,
        args.language,
        tuple(args.glob),
        _object(args.rule, "--rule"),
        _object(args.where, "--where"),
    )
    is_reading = args.replacement is None or args.dry_run
    access = Access.READ if is_reading else Access.WRITE
    with open_changing(args) as redline:
        place = redline.workspace.resolve(os.path.abspath(args.file), Access.READ, must_exist=True)
        latest: list[Rewritten] = []

        def plan() -> ChangeSet:
            latest[:] = [plan_rewrite(redline, place, request, access, UNCANCELLABLE)]
            return latest[0].change_set

        if request.fix is not None:
            return _replace(args, redline, plan)
        plan()
        for found in latest[0].found:
            name = display_name(redline.workspace, found.path)
            out(f"{name}:{found.line}:{one_line(found.text)}")
        for note in latest[0].notes:
            err(f"note: {note}")
        if not latest[0].found:
            fail("Nothing matches the pattern")
            return NOTHING_FOUND
    return 0


def _replace(args: argparse.Namespace, redline: Redline, plan: Callable[[], ChangeSet]) -> int:
    try:
        return carry_out(args, redline, plan, "rewrite", args.pattern)
    except NoMatch as error:
        fail(error.message)
        return NOTHING_FOUND


def _object(text: str | None, flag: str) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidArgument(f"{flag} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidArgument(f"{flag} must be a JSON object")
    return value
