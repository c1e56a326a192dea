"""`redline undo [ID]`: take a change back."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.revert import add_flags, revert


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_flags(parser, "undo")


def run(args: argparse.Namespace) -> int:
    """Take a change back, all of its files or none."""
    return revert(args, "undo")
