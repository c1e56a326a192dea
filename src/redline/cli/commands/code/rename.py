"""`redline rename SYMBOL NEW`: rename a symbol and every reference that is bound to it."""

from __future__ import annotations

import argparse
import os

from redline.cli.commands.code.changing import (
    add_change_flags,
    carry_out,
    open_changing,
)
from redline.cli.terminal import err
from redline.core.cancellation import UNCANCELLABLE
from redline.core.changes import ChangeSet
from redline.core.paths import Access
from redline.services.code.rename import Renamed, RenameRequest, plan_symbol_rename


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("symbol", help="a name, or a qualified one such as Shop.open")
    parser.add_argument("new_name", metavar="NEW", help="its new name")
    parser.add_argument("--file", metavar="PATH", help="the file that defines it")
    parser.add_argument("--line", type=int, help="its line, if several have the name")
    parser.add_argument(
        "--possible",
        action=argparse.BooleanOptionalAction,
        help="uncertain references too; --no-possible leaves them as they are",
    )
    add_change_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Show what changes, and change it."""
    access = Access.READ if args.dry_run else Access.WRITE
    with open_changing(args) as redline:
        redline.code_index.build()
        place = None
        if args.file:
            place = redline.workspace.resolve(
                os.path.abspath(args.file), Access.READ, must_exist=True
            )
        request = RenameRequest(args.symbol, args.new_name, place, args.line, args.possible)
        latest: list[Renamed] = []

        def plan() -> ChangeSet:
            latest[:] = [plan_symbol_rename(redline, request, access, UNCANCELLABLE)]
            return latest[0].change_set

        code = carry_out(args, redline, plan, "rename", f"{args.symbol} to {args.new_name}")
        for where in latest[0].possible:
            err(f"note: a possible reference was not renamed: {where}")
    return code
