"""What a dry run of a command says about the change that it did not make."""

from __future__ import annotations

import argparse

from redline.app import Redline
from redline.cli.flags import origin_of
from redline.cli.terminal import err
from redline.core.changes import ChangeSet
from redline.services.commit import foresee


def note_refusal(
    args: argparse.Namespace, redline: Redline, change_set: ChangeSet, tool: str
) -> None:
    """Say what would keep the change of a dry run from being made, if anything would."""
    origin = origin_of(args, tool, "")
    for note in foresee(redline.approval, change_set, origin, has_consent=args.allow_guarded):
        err(f"note: {note}")
