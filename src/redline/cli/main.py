"""The `redline` command: a table of commands, each module imported when it runs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import argparse
    from types import SimpleNamespace

# Each module has configure(parser) and run(args) -> exit code.
COMMANDS = {
    "serve": (
        "redline.cli.commands.server.serve",
        "serve a workspace to agents over HTTP or stdio",
    ),
    "review": (
        "redline.cli.commands.server.review",
        "look at what agents did in the browser, and take it back",
    ),
    "watch": (
        "redline.cli.commands.history.watch",
        "record what other programs change, until interrupted",
    ),
    "status": ("redline.cli.commands.history.status", "show what changed since a point"),
    "log": ("redline.cli.commands.history.log", "list changes, newest first"),
    "show": ("redline.cli.commands.history.show", "show one change as a diff"),
    "diff": ("redline.cli.commands.history.diff", "show how files differ between two points"),
    "blame": ("redline.cli.commands.history.blame", "show which change made each line"),
    "undo": ("redline.cli.commands.history.undo", "undo a change, or a part of it"),
    "redo": ("redline.cli.commands.history.redo", "undo an undo"),
    "rewind": ("redline.cli.commands.history.rewind", "go back to a point in history"),
    "checkpoint": (
        "redline.cli.commands.history.checkpoint",
        "name this moment, or list the points to go back to",
    ),
    "restore": ("redline.cli.commands.history.restore", "restore an earlier version of a file"),
    "export": ("redline.cli.commands.history.export", "export changes as a patch or a commit"),
    "held": (
        "redline.cli.commands.review.held",
        "list changes that wait for you, and decide about them",
    ),
    "policy": (
        "redline.cli.commands.review.policy",
        "check the rules about changes, and say what they would do",
    ),
    "get": ("redline.cli.commands.documents.get", "read a value from a YAML, JSON or TOML file"),
    "set": (
        "redline.cli.commands.documents.set",
        "change a value, leaving everything else as it is",
    ),
    "insert": ("redline.cli.commands.documents.insert", "add a value to a list or a mapping"),
    "delete": ("redline.cli.commands.documents.delete", "remove a value"),
    "query": ("redline.cli.commands.documents.query", "find values by a pattern"),
    "instruct": (
        "redline.cli.commands.documents.instruct",
        "change a file by a plain English instruction",
    ),
    "json": (
        "redline.cli.commands.documents.json",
        "the same as instruct, with the instruction before the file",
    ),
    "map": ("redline.cli.commands.code.map", "list the most important files and symbols"),
    "outline": ("redline.cli.commands.code.outline", "list the symbols of a file"),
    "where": ("redline.cli.commands.code.where", "find where a symbol is defined and used"),
    "rewrite": (
        "redline.cli.commands.code.rewrite",
        "search and replace code by its syntax",
    ),
    "rename": ("redline.cli.commands.code.rename", "rename a symbol in all files"),
    "config": (
        "redline.cli.commands.server.config",
        "print or write an MCP client's configuration entry",
    ),
    "hooks": (
        "redline.cli.commands.server.hooks",
        "name the agent that changed a file: add hooks to a client's settings",
    ),
    "token": (
        "redline.cli.commands.server.token",
        "create, list and revoke tokens for a server's users",
    ),
    "workspace": (
        "redline.cli.commands.workspaces.workspace",
        "create, list, archive and move workspaces of a server that has many",
    ),
    "audit": ("redline.cli.commands.server.audit", "check that an audit log was not altered"),
    "doctor": (
        "redline.cli.commands.server.doctor",
        "check the sandbox, git, journal and limits of this machine",
    ),
    "bench-server": (
        "redline.cli.commands.measuring.bench_server",
        "try any MCP server that edits files: how fast, how exact",
    ),
    "demo": (
        "redline.cli.commands.server.demo",
        "watch a scripted session in a temporary workspace",
    ),
    "completions": (
        "redline.cli.commands.server.completions",
        "print shell completions for bash, zsh, fish or tcsh",
    ),
}

_SHORT_LIVED = {
    name for name, (module, _) in COMMANDS.items() if ".history." in module and name != "watch"
}

EXIT_CODES = """exit codes:
  0  done
  1  refused or failed; the reason is on stderr
  2  the command line or a setting is wrong
  3  nothing found, or nothing to do
  130  interrupted
"""


def run() -> NoReturn:
    """Run one command as the whole program.

    A command of the history ends at once: freeing every object it made takes a person's time.
    """
    code = main()
    if sys.argv[1:] and sys.argv[1] in _SHORT_LIVED:
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # which says what cannot be written
        os._exit(code)
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Import only the given command's module: a server start must not pay for the others.
    named = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    if arguments and not named and not arguments[0].startswith("-"):
        return _report_unknown(arguments[0])
    if named in _SHORT_LIVED or named == "serve":
        gc.disable()  # it ends before there is anything to collect; a server enables it again
    try:
        parsed = (_read_plainly(arguments[1:]) if named == "serve" else None) or _parse(
            arguments, named
        )
        if parsed is None:
            return 2
        code: int = import_module(COMMANDS[named][0]).run(parsed)
        _flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        return _report_error(error)
    return code


def _read_plainly(arguments: Sequence[str]) -> SimpleNamespace | None:
    from redline.cli.commands.server.serve import read_plainly

    return read_plainly(arguments)


def _parse(arguments: Sequence[str], command: str) -> argparse.Namespace | None:
    """Parse a command line; None when nothing can be run, which has been said."""
    from redline.cli.parser import build_parser, parse_intermixed

    parser = build_parser(command)
    parsed, unknown = parser.parse_known_args(arguments)
    if command and unknown and not any(each.startswith("-") for each in unknown):
        parsed, unknown = parse_intermixed(parser, arguments, command) or (parsed, unknown)
    if unknown:
        _report_unknown_arguments(parser, command, unknown)
        return None
    if parsed.command is None:
        parser.print_help()
        return None
    return parsed


def _report_unknown(command: str) -> int:
    """Print that there is no such command, and the nearest one; return the exit code."""
    from difflib import get_close_matches

    from redline.cli.terminal import fail

    near = get_close_matches(command, COMMANDS, 1)
    hint = f"did you mean {near[0]}?" if near else "redline --help lists the commands"
    fail(f"there is no such command: {command}", hint)
    return 2


def _report_unknown_arguments(
    parser: argparse.ArgumentParser, command: str, unknown: Sequence[str]
) -> None:
    """Print what a command does not take, and the nearest flag."""
    from difflib import get_close_matches

    from redline.cli.parser import flags_of
    from redline.cli.terminal import fail

    name = unknown[0].partition("=")[0]
    near = get_close_matches(name, flags_of(parser, command), 1) if name[:1] == "-" else []
    program = f"redline {command}".rstrip()
    hint = f"did you mean {near[0]}?" if near else f"{program} --help lists what it takes"
    if command in ("instruct", "json") and name[:1] != "-":
        hint = "put the instruction in quotes"
    fail(f"{program} does not take this: {' '.join(unknown)}", hint)


def _flush() -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        from redline.cli.terminal import end_without_output

        end_without_output(error)


def _report_error(error: Exception) -> int:
    """Print an error and return its exit code; raise anything that is not Redline's again."""
    # Imported here: a server that starts should not pay for messages it may never print.
    from redline.cli.flags import report_usage_error
    from redline.cli.terminal import (
        NO_DIRECTORY,
        err,
        fail,
        is_directory_gone,
        paint_diff,
    )
    from redline.cli.words import WORDS
    from redline.core.errors import ChangeHeld, HistoryError, InvalidArgument, RedlineError
    from redline.settings import SettingsError

    if isinstance(error, SettingsError):
        return report_usage_error(error)
    if not isinstance(error, RedlineError):
        if not is_directory_gone():
            raise error
        fail(*NO_DIRECTORY)
        return 1
    error.use_words(WORDS)
    if isinstance(error, ChangeHeld):
        error.hint = f"redline held approve {error.held_id} makes it, --as-owner asks no rule"

    fail(error.message, error.hint)
    diff = error.details.get("diff")
    if diff:
        err(paint_diff(str(diff)))
    if isinstance(error, HistoryError):
        return 3
    return 2 if isinstance(error, InvalidArgument) else 1


if __name__ == "__main__":
    run()
