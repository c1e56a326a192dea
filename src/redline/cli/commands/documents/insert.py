"""`redline insert FILE PATH VALUE`: a new list item or key."""

from __future__ import annotations

import argparse

from redline.cli.commands.documents.open_file import add_edit_flags, edit_value, exit_code_for


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_edit_flags(parser, value=True)


def run(args: argparse.Namespace) -> int:
    """Insert before an index (the length appends), or add a key that is not there."""
    return exit_code_for(args.file, lambda: edit_value(args, "insert"))
