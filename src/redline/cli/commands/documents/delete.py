"""`redline delete FILE PATH`: without a key or list item."""

from __future__ import annotations

import argparse

from redline.cli.commands.documents.open_file import add_edit_flags, edit, exit_code_for
from redline.documents.base.path import read_path
from redline.documents.editing import DocEdit


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_edit_flags(parser, value=False)


def run(args: argparse.Namespace) -> int:
    """Delete the entry with its own comments."""
    return exit_code_for(args.file, lambda: edit(args, DocEdit("delete", read_path(args.path))))
