"""`redline query FILE EXPRESSION`: values by RFC 9535 JSONPath."""

from __future__ import annotations

import argparse

from redline.cli.commands.documents.open_file import (
    add_flags,
    exit_code_for,
    open_source,
    source_of,
)
from redline.cli.flags import positive
from redline.cli.terminal import NOTHING_FOUND, out, paint
from redline.core.call_scope import UNCANCELLABLE
from redline.core.paths import Access
from redline.core.wording import visible
from redline.documents.base.path import as_jsonpath, render_path
from redline.documents.query import Match
from redline.services.documents import query_source


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_flags(parser)
    parser.add_argument("expression", metavar="EXPRESSION", help="for example '$.services.*.image'")
    parser.add_argument("--paths", action="store_true", help="print only the paths")
    parser.add_argument(
        "--limit", type=positive, default=1000, metavar="N", help="at most N matches (default 1000)"
    )


def run(args: argparse.Namespace) -> int:
    """Print each match with its line, path and source."""
    return exit_code_for(args.file, lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    opened = open_source(args, Access.READ)
    with opened.redline as redline:
        source = source_of(opened, args)
        wanted = as_jsonpath(args.expression)
        matches, total = query_source(redline, source, wanted, args.limit, UNCANCELLABLE)
    for match in matches:
        out(render_path(match.path) if args.paths else _line(match))
    if total > len(matches):
        out(paint(f"... {total - len(matches)} more; raise --limit", "dim"))
    return 0 if matches else NOTHING_FOUND


def _line(match: Match) -> str:
    where = render_path(match.path) or "(root)"
    if match.slice is None:
        return paint(where, "cyan")
    text, _ = visible(match.slice.text)
    return f"{paint(str(match.slice.line), 'dim')}: {paint(where, 'cyan')} = {text}"
