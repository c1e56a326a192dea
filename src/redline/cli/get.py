"""`redline get FILE [PATH]`: the source text of a value."""

from __future__ import annotations

import argparse

from redline.cli.documents import add_flags, open_source, parsed, told_if_absent
from redline.cli.terminal import err, out_bytes
from redline.core.paths import Access
from redline.documents.path import parse_path


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_flags(parser)
    parser.add_argument("path", metavar="PATH", nargs="?", default="", help="default: everything")
    parser.add_argument("--json", action="store_true", help="print the value as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the value, exactly as it stands in the file."""
    return told_if_absent(args.file, lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    steps = parse_path(args.path)
    document = parsed(open_source(args, Access.READ), args)
    found = document.get(steps)
    data = found.data
    if args.json:
        data = _as_json(document.data(), steps)
    out_bytes(data if data.endswith(b"\n") else data + b"\n")
    for note in found.notes:
        err(f"note: {note}")
    return 0


def _as_json(value: object, steps: tuple[str | int, ...]) -> bytes:
    import json

    from redline.documents.query import plain

    for step in steps:
        value = value[step]  # type: ignore[index]  # the path was located in this document
    return json.dumps(plain(value), ensure_ascii=False).encode()
