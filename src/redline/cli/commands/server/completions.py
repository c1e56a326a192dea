"""`redline completions SHELL`: the script a shell loads to complete commands and flags."""

from __future__ import annotations

import argparse

from redline.cli.terminal import out_bytes


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("shell", choices=["bash", "zsh", "tcsh"])


def run(args: argparse.Namespace) -> int:
    """Print the completion script, generated from the parser."""
    import shtab

    from redline.cli.main import build_parser

    out_bytes(shtab.complete(build_parser(), shell=args.shell).encode() + b"\n")
    return 0
