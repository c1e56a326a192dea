"""`redline undo [ID]`: take a change back."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.revert import add_flags, run_revert
from redline.core.ports.history import Direction


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_flags(parser, Direction.UNDO)


def run(args: argparse.Namespace) -> int:
    """Take a change back, all of its files or none."""
    return run_revert(args, Direction.UNDO)
