"""`redline secrets list|allow|add|forget`: which values a model does not see."""

from __future__ import annotations

import argparse
import getpass
import sys
from typing import Any

from redline.cli.commands.history.view import add_workspace_flags, open_redline, print_table
from redline.cli.terminal import fail, one_line, out
from redline.core.errors import InvalidArgument
from redline.wiring.workspace import Redline

EXAMPLES = """examples:
  redline secrets list                  the masks that models were shown, and your decisions
  redline secrets allow 7f3a1b2c        a false alarm: show the value behind this mask
  redline secrets forget 7f3a1b2c       take that back, or take back what you added
  redline secrets add                   mask one more value, typed or piped in; only a salted
                                        hash of it is kept

exit codes:
  0  done
  2  there is no such mask, or the value is too short to be found again
"""
_SHORTEST = 6


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument("action", choices=("list", "allow", "add", "forget"))
    parser.add_argument("mask", nargs="?", help="allow, forget: the mask or the eight digits in it")


def run(args: argparse.Namespace) -> int:
    """List what was masked, or remember what a person says about a value."""
    with open_redline(args) as redline:
        if args.action == "list":
            return _list(redline)
        if args.action == "add":
            return _add(redline)
        if not args.mask:
            raise InvalidArgument(f"Which mask? redline secrets {args.action} MASK", field="mask")
        return _decide(redline, args.action, args.mask.strip("«»").rpartition(":")[2])


def _list(redline: Redline) -> int:
    known: dict[str, dict[str, Any]] = {}
    for line in redline.secret_ledger.lines():
        known.setdefault(line["hash"], dict(line))["what"] = line["what"]
    rows = []
    for digest, line in known.items():
        what = {"added": "masked, added", "allowed": "allowed"}.get(line["what"], "masked")
        rows.append(
            (
                (one_line(line.get("mask", "") or digest[:8]), "bold"),
                (what, "" if what == "allowed" else "dim"),
                (one_line(line.get("kind", "")), ""),
                (one_line(line.get("path", "")), "dim"),
            )
        )
    if rows:
        print_table(rows)
    else:
        out("no secret was masked here")
    return 0


def _add(redline: Redline) -> int:
    is_typed = sys.stdin.isatty()
    value = getpass.getpass("value: ") if is_typed else sys.stdin.readline().rstrip("\r\n")
    words = redline.secrets.split_words(value)
    if not any(len(word) >= _SHORTEST for word in words):
        fail(f"the value has no part of {_SHORTEST} characters or more to be found by")
        return 2
    for word in words:
        if len(word) >= _SHORTEST:
            digest = redline.secrets.digest(word)
            redline.secret_ledger.write("added", digest, kind="added")
            out(f"added {digest[:8]}; its value is masked from now on")
    return 0


def _decide(redline: Redline, action: str, name: str) -> int:
    found = {
        line["hash"]
        for line in redline.secret_ledger.lines()
        if len(name) >= 4 and (line["hash"].startswith(name) or f":{name}»" in line.get("mask", ""))
    }
    if len(found) != 1:
        fail(f"there is no such mask: {name}", "redline secrets list names them")
        return 2
    redline.secret_ledger.write("allowed" if action == "allow" else "forgotten", *found)
    out("its value is shown from now on" if action == "allow" else "forgotten")
    return 0
