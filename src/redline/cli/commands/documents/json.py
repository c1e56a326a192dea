"""`redline json "INSTRUCTION" FILE`: `redline instruct` with its arguments the other way round."""

from __future__ import annotations

import argparse

from redline.cli.commands.documents.instruct import add_flags, run

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this command."""
    parser.add_argument("instruction", metavar="INSTRUCTION", help="what to change, in English")
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    add_flags(parser)
