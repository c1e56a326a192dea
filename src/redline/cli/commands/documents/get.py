"""`redline get FILE [PATH]`: the source text of a value."""

from __future__ import annotations

import argparse
import json

from redline.cli.commands.documents.open_file import (
    add_flags,
    exit_code_for,
    open_source,
    source_of,
)
from redline.cli.terminal import err, out_bytes
from redline.core.paths import Access
from redline.core.textfile import is_utf8
from redline.documents.base.path import read_path
from redline.documents.isolated import read_value as read_plain_value
from redline.services.documents import as_own_document, read_value


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_flags(parser)
    parser.add_argument("path", metavar="PATH", nargs="?", default="", help="default: everything")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the value as JSON")
    form.add_argument("--raw", "-r", action="store_true", help="print a string without its quotes")


def run(args: argparse.Namespace) -> int:
    """Print the value as it is in the file, so that it parses again."""
    return exit_code_for(args.file, lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    steps = read_path(args.path)
    opened = open_source(args, Access.READ)
    with opened.redline as redline:
        source = source_of(opened, args)
        found = read_value(redline, source, steps)
        data = as_own_document(found).encode() if is_utf8(found.data) else found.data
        if args.json or args.raw:
            value = read_plain_value(redline.confined, source, steps)
            if args.json:
                data = json.dumps(value, ensure_ascii=False).encode()
            elif isinstance(value, str):
                data = value.encode()
    out_bytes(data if data.endswith(b"\n") else data + b"\n")
    for note in found.notes:
        err(f"note: {note}")
    return 0
