"""`redline map [DIR]`: the files and symbols the rest of a repository leans on most."""

from __future__ import annotations

import argparse
import sys

from redline.cli.commands.code.view import file_line, open_reading, symbol_line
from redline.cli.terminal import out, paint


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("directory", nargs="?", default=".", help="default: this directory")
    parser.add_argument("-n", "--files", type=int, default=25, help="how many files (default 25)")
    parser.add_argument("-s", "--symbols", type=int, default=6, help="symbols per file (default 6)")
    parser.add_argument("--state-dir", metavar="DIR", help="where the index lives")


def run(args: argparse.Namespace) -> int:
    """Bring the index up to date and print the best-connected files."""
    with open_reading(args.directory, args) as redline:
        redline.code_index.build(_progress if sys.stderr.isatty() else None)
        files, total = redline.code_index.structure(None, max(1, args.files), max(0, args.symbols))
        for file, symbols in files:
            noun = "line" if file.lines == 1 else "lines"
            out(file_line(redline, file.path, f"{file.language}, {file.lines} {noun}"))
            for symbol in symbols:
                out(symbol_line(symbol.start, symbol.kind, symbol.qualified, symbol.doc))
        left = total - len(files)
        if left > 0:
            out(paint(f"and {left} more files; --files shows more of them", "dim"))
        if not files:
            out("no code files")
    return 0


def _progress(done: int, total: int) -> None:
    end = "\r" if done < total else "\r\x1b[K"
    print(f"indexing {done} of {total} files", end=end, file=sys.stderr, flush=True)
