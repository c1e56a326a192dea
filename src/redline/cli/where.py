"""`redline where SYMBOL`: where a symbol is defined and used."""

from __future__ import annotations

import argparse
import re

from redline.cli.code_view import add_flags, file_line, open_reading, symbol_line
from redline.cli.terminal import fail, out, paint
from redline.code.definitions import Symbol, find_symbols
from redline.core.ports.code import IndexedSymbol

_SHOWN_FILES = 30
_SHOWN_LINES = 12


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("symbol", help="a name, or a qualified one such as Shop.open")
    add_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Print definitions, then the lines that use the name."""
    name = re.split(r"\.|::|#", args.symbol)[-1].removesuffix("()")
    with open_reading(args.workspace, args) as redline:
        redline.code_index.build()
        found = redline.code_index.definitions(name, 100)
        named = [row for row in found if find_symbols([_symbol(row)], args.symbol)] or found
        for row in named:
            out(file_line(redline, row.path))
            out(symbol_line(row.start, row.kind, row.signature or row.qualified, row.doc))
        uses, total = redline.code_index.uses(name, _SHOWN_FILES)
        if not named and not uses:
            fail(f"No such symbol: {args.symbol}")
            return 3
        out(paint(f"used on {total} lines:", "dim"))
        for use in uses:
            lines = ", ".join(map(str, use.lines[:_SHOWN_LINES]))
            more = ", ..." if len(use.lines) > _SHOWN_LINES else ""
            out(file_line(redline, use.path, lines + more))
    return 0


def _symbol(row: IndexedSymbol) -> Symbol:
    return Symbol(row.name, row.qualified, row.kind, row.line, row.start, row.end)
