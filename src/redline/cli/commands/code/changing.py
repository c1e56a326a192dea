"""What the commands that change code share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from redline.app import Redline, locate_workspace
from redline.cli.flags import add_guarded_flag, origin_of, state_dir_from
from redline.cli.foresight import note_refusal
from redline.cli.terminal import err, out, paint_diff, program
from redline.core.cancellation import UNCANCELLABLE
from redline.core.changes import ChangeSet
from redline.core.encodings.opening import configured_in
from redline.plan.describe import diff_of
from redline.services.checking.check import Checked, check_change
from redline.services.commit import commit_plan
from redline.services.names import display_name


def add_change_flags(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of commands that change code."""
    add_guarded_flag(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")
    parser.add_argument(
        "--check", action="store_true", help="run the project's formatters and checkers on it"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="do not show the diff")
    parser.add_argument("--workspace", metavar="DIR", default=".", help="default: this directory")
    parser.add_argument(
        "--state-dir", metavar="DIR", help="where history lives, if not the default"
    )


def open_changing(args: argparse.Namespace) -> Redline:
    """Open the workspace that the command's directory lies in."""
    settings = locate_workspace(args.workspace, state_dir_from(args))
    return Redline(settings._replace(allow_any_root=True))


def carry_out(
    args: argparse.Namespace,
    redline: Redline,
    plan: Callable[[], ChangeSet],
    tool: str,
    summary: str,
) -> int:
    """Commit what *plan* returns and show it; with --dry-run only show it."""
    origin = origin_of(args, tool, summary[:200])
    latest: list[Checked] = []

    def plan_checked() -> ChangeSet:
        latest[:] = [check_change(redline, plan(), origin, UNCANCELLABLE)]
        return latest[0].change_set

    wanted = plan_checked if args.check else plan
    if args.dry_run:
        changed = wanted()
    else:
        changed = commit_plan(redline.editor, wanted, origin, UNCANCELLABLE).change_set
    if not args.quiet or args.dry_run:
        label = partial(display_name, redline.workspace)
        diff = diff_of(changed, label, configured_in(redline.tree))
        out(paint_diff(diff).rstrip("\n"))
    if args.dry_run:
        note_refusal(args, redline, changed, tool)
    else:
        count = len(changed.steps)
        out(f"Changed {count} file{'' if count == 1 else 's'}; {program()} undo takes it back.")
    for done in latest:
        for line in (*(f"new problem: {each}" for each in done.problems), *done.notes):
            err(line)
    return 0
