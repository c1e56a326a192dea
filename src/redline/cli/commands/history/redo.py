"""`redline redo [ID]`: take an undo back."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.revert import add_flags, revert


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_flags(parser, "redo")


def run(args: argparse.Namespace) -> int:
    """Take an undo back, all of its files or none."""
    return revert(args, "redo")
