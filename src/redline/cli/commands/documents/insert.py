"""`redline insert FILE PATH VALUE`: a new list item or key."""

from __future__ import annotations

import argparse

from redline.cli.commands.documents.open_file import add_edit_flags, edit, told_if_absent
from redline.documents.base.path import parse_path
from redline.documents.editing import DocEdit


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_edit_flags(parser, value=True)


def run(args: argparse.Namespace) -> int:
    """Insert before an index (the length appends), or add a key that is not there."""
    return told_if_absent(
        args.file,
        lambda: edit(args, DocEdit("insert", parse_path(args.path), args.value, args.json)),
    )
