"""The argument parser: what every command takes, its help and its usage."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from redline._version import __version__
from redline.cli.main import COMMANDS


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Build the parser; import only *command*'s module (None imports all, "" none)."""
    parser = _Parser(
        prog="redline",
        formatter_class=Help,
    )
    parser.add_argument("--version", action="version", version=f"redline {__version__}")
    # With prog given, argparse need not format a usage line to start.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog=parser.prog
    )
    for name, (module, summary) in COMMANDS.items():
        if name != command and command in COMMANDS:
            continue
        sub = commands.add_parser(
            name,
            help=summary,
            description=summary[:1].upper() + summary[1:] + ".",
            formatter_class=Help,
        )
        if command != "":
            import_module(module).configure(sub)
    return parser


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line as every other error is: the fact, then how to repair it."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and what the command takes; end the program."""
        from redline.cli.terminal import fail

        taken = [each for each in self._actions if each.required or not each.option_strings]
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, taken, [], prefix="")
        usage = " ".join(formatter.format_help().split())
        hint = _nearest_choice(message) or f"{usage} [flags]; {self.prog} --help lists them"
        fail(message[:1].upper() + message[1:], hint)
        sys.exit(2)


def _nearest_choice(message: str) -> str:
    """Return the hint for a word that is nearly one of the choices that *message* lists."""
    given, _, listed = message.partition("invalid choice: ")[2].partition(" (choose from ")
    names = [name.strip(" '") for name in listed.rstrip(")").split(",") if name]
    word = given.strip("'")
    from difflib import get_close_matches  # late: most commands are spelled right

    near = [name for name in names if name.startswith(word)] or get_close_matches(word, names, 1)
    near = near or [name for name in names if name.replace("-", "") == word.replace("-", "")]
    return f"did you mean {near[0]}?" if word and near else ""


class Help(argparse.RawDescriptionHelpFormatter):
    """Finds the terminal width without shutil, which would slow down every server start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns())


def _columns() -> int:
    try:
        return max(40, int(os.environ["COLUMNS"]) - 2)
    except (KeyError, ValueError):
        pass
    try:
        return max(40, os.get_terminal_size(sys.__stdout__.fileno()).columns - 2)  # type: ignore[union-attr]
    except (OSError, AttributeError, ValueError):
        return 78


def flags_of(parser: argparse.ArgumentParser, command: str) -> list[str]:
    """Return every flag that *parser* knows for *command*."""
    actions = list(parser._actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and command:
            actions += action.choices[command]._actions
    return [flag for action in actions for flag in action.option_strings]


def parse_intermixed(
    parser: argparse.ArgumentParser, arguments: Sequence[str], command: str
) -> tuple[argparse.Namespace, list[str]] | None:
    """Parse with flags between the positional arguments, of which argparse loses optional ones.

    None for a command that has commands of its own, or passes the rest of its line on.
    """
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    chosen: argparse.ArgumentParser = commands.choices[command]
    try:
        return chosen.parse_known_intermixed_args(
            arguments[1:], argparse.Namespace(command=command)
        )
    except TypeError:
        return None
