"""`redline set FILE PATH VALUE`: change a value, every other byte kept."""

from __future__ import annotations

import argparse

from redline.cli.commands.documents.open_file import add_edit_flags, edit, told_if_absent
from redline.documents.base.path import parse_path
from redline.documents.editing import DocEdit


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_edit_flags(parser, value=True)
    parser.add_argument("--create-parents", action="store_true", help="build missing levels")


def run(args: argparse.Namespace) -> int:
    """Replace the value, or add the key."""
    return told_if_absent(
        args.file, lambda: edit(args, DocEdit("set", parse_path(args.path), args.value, args.json))
    )
