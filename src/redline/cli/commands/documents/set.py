"""`redline set FILE PATH VALUE`: change a value, every other byte kept."""

from __future__ import annotations

import argparse

from redline.cli.commands.documents.open_file import add_edit_flags, edit_value, exit_code_for


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_edit_flags(parser, value=True)
    parser.add_argument("--create-parents", action="store_true", help="build missing levels")


def run(args: argparse.Namespace) -> int:
    """Replace the value, or add the key."""
    return exit_code_for(args.file, lambda: edit_value(args, "set"))
