"""`redline outline FILE`: the symbols of a file with their lines."""

from __future__ import annotations

import argparse
import os

from redline.cli.commands.code.view import file_line, open_reading, symbol_line
from redline.cli.terminal import fail, out
from redline.code.syntax.languages import language_of
from redline.core.encodings.opening import open_text
from redline.core.errors import IsADirectory
from redline.core.paths import Access


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("file")
    parser.add_argument("--state-dir", metavar="DIR", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Print one line per symbol, nested as in the file."""
    directory, name = os.path.split(args.file)
    if os.path.isdir(args.file):
        raise IsADirectory(args.file, hint="redline map lists a directory")
    with open_reading(directory or ".", args) as redline:
        path = redline.workspace.resolve(name, Access.READ, must_exist=True)
        language = language_of(name)
        if language is None:
            fail(f"No grammar is known for this kind of file: {args.file}")
            return 1
        text = open_text(redline.tree.read(path)).text
        symbols = redline.analysis.symbols(text, language)
        count = f"{len(symbols)} symbol{'' if len(symbols) == 1 else 's'}"
        out(file_line(redline, path, f"{language.name}, {count}"))
        for symbol in symbols:
            depth = symbol.qualified.count(".") - symbol.name.count(".")
            words = symbol.signature or symbol.name
            out(symbol_line(symbol.start, symbol.kind, words, symbol.doc, depth))
    return 0
