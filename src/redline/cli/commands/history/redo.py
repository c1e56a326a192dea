"""`redline redo [ID]`: take an undo back."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.revert import add_flags, run_revert
from redline.core.ports.history import Direction


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_flags(parser, Direction.REDO)


def run(args: argparse.Namespace) -> int:
    """Take an undo back, all of its files or none."""
    return run_revert(args, Direction.REDO)
