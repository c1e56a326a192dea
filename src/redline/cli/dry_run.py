"""What a command says about a change before it is made, or instead."""

from __future__ import annotations

import argparse

from redline.cli.flags import NEEDS_FLAG, origin_of
from redline.cli.terminal import err
from redline.core.changes import ChangeSet
from redline.core.errors import GuardedWrite, RuleAsks
from redline.services.commit import foresee
from redline.wiring.workspace import Redline


def note_refusal(
    args: argparse.Namespace, redline: Redline, change_set: ChangeSet, tool: str
) -> None:
    """Say what would keep the change of a dry run from being made, if anything would."""
    origin = origin_of(args, tool, "")
    for note in foresee(redline.approval, change_set, origin, has_consent=args.allow_guarded):
        err(f"note: {note}")


def refuse_before_asking(
    args: argparse.Namespace, redline: Redline, change_set: ChangeSet, tool: str
) -> None:
    """Raise what would refuse the change, so that the person is not asked about it first.

    That a person must decide about it before it is made is only said.
    """
    try:
        redline.approval.check(change_set, origin_of(args, tool, ""))
    except RuleAsks:
        note_refusal(args, redline, change_set, tool)
    except GuardedWrite as refusal:
        if not args.allow_guarded:
            refusal.hint = NEEDS_FLAG
            raise
