"""`redline where SYMBOL`: where a symbol is defined and used."""

from __future__ import annotations

import argparse

from redline.app import Redline
from redline.cli.commands.code.view import file_line, symbol_line
from redline.cli.commands.history.view import add_workspace_flags, settings_for
from redline.cli.terminal import NOTHING_FOUND, fail, out, paint
from redline.code.references.targets import Certainty
from redline.core.cancellation import UNCANCELLABLE
from redline.services.code.lookup import CodeLookup
from redline.services.code.reference_query import Used
from redline.services.code.references import Finder, finder_of

_SHOWN_FILES = 30
_SHOWN_LINES = 12
# As much is read as for the largest answer of the tool.
_TOKENS = 50_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("symbol", help="a name, or a qualified one such as Shop.open")
    add_workspace_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Print definitions, then the lines that refer to them, possible ones with a question mark."""
    with Redline(settings_for(args)._replace(read_only=True)) as redline:
        redline.code_index.build()
        lookup = CodeLookup(redline, UNCANCELLABLE)
        found = lookup.definitions(args.symbol)
        for file, symbol in found:
            out(file_line(redline, file.path))
            words = symbol.signature or symbol.qualified
            out(symbol_line(symbol.start, symbol.kind, words, symbol.doc))
        finder = finder_of(lookup, args.symbol, None, _TOKENS)
        uses = list(finder.find())
        if not found and not uses:
            fail(f"No such symbol: {args.symbol}")
            return NOTHING_FOUND
        _show(redline, finder, uses)
    return 0


def _show(redline: Redline, finder: Finder, uses: list[Used]) -> None:
    marks = [reference.certainty for used in uses for reference in used.references]
    bound = marks.count(Certainty.BOUND)
    if not marks:
        out(paint("used nowhere else", "dim"))
        return
    lines = "1 line" if len(marks) == 1 else f"{len(marks)} lines"
    sure = f", {bound} of them for certain" if bound else ""
    out(paint(f"used on {lines}{sure}:", "dim"))
    ranked = sorted(
        uses, key=lambda used: all(r.certainty is not Certainty.BOUND for r in used.references)
    )
    for used in ranked[:_SHOWN_FILES]:
        shown = [
            f"{reference.line}{'?' if bound and reference.certainty is Certainty.POSSIBLE else ''}"
            for reference in used.references
        ]
        more = ", ..." if len(shown) > _SHOWN_LINES else ""
        out(file_line(redline, used.path, ", ".join(shown[:_SHOWN_LINES]) + more))
    left = len(uses) - _SHOWN_FILES
    if left > 0:
        out(paint(f"and {left} more files", "dim"))
    if finder.unread:
        out(paint(f"{finder.unread} files went by name: there are too many to read", "dim"))
