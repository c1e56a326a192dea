"""The `redline` command: a table of commands, each module imported when it runs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from redline.wiring.rooms import ROOMS, has_room

if TYPE_CHECKING:
    import argparse
    from types import SimpleNamespace

# Each module has configure(parser) and run(args) -> exit code; `teams:` begins one of that room.
GROUPS = {
    "Work": {
        "read": ("tools", "read files, lines or one symbol"),
        "search": ("tools", "find lines by text or regular expression"),
        "find": ("tools", "list directories and find files"),
        "context": ("tools", "show definitions, references, outlines and structure"),
        "edit": ("tools", "replace quoted text in one or more files"),
        "patch": ("tools", "apply a patch from standard input or a file"),
        "write": ("tools", "create or replace a file"),
        "move": ("tools", "move, rename or copy files"),
        "remove": ("tools", "delete files and directories"),
        "run": ("tools", "run a command in the sandbox and record what it changes"),
        "rewrite": ("tools", "search and replace code by its syntax"),
        "rename": ("tools", "rename a symbol in all files"),
        "call": ("tools", "call any tool with JSON, as an MCP client does"),
        "get": ("documents.get", "read a value from a YAML, JSON or TOML file"),
        "set": ("documents.set", "change a value, leaving everything else as it is"),
        "insert": ("documents.insert", "add a value to a list or a mapping"),
        "delete": ("documents.delete", "remove a value"),
        "query": ("documents.query", "find values by a pattern"),
        "instruct": ("documents.instruct", "change values by an instruction"),
        "json": ("documents.json", "instruct, with the instruction before the file"),
    },
    "History": {
        "log": ("history.log", "list changes, newest first"),
        "show": ("history.show", "show one change as a diff"),
        "diff": ("history.diff", "show how files differ between two points"),
        "blame": ("history.blame", "show which change made each line"),
        "status": ("history.status", "show what changed since a point"),
        "undo": ("history.undo", "undo a change, or a part of it"),
        "redo": ("history.redo", "undo an undo"),
        "rewind": ("history.rewind", "go back to a point in history"),
        "restore": ("history.restore", "restore an earlier version of a file"),
        "checkpoint": ("history.checkpoint", "name this moment, or list the points to go back to"),
        "export": ("history.export", "export changes as a patch or a commit"),
        "watch": (
            "recorder:commands.watch",
            "record what other programs change, until interrupted",
        ),
    },
    "Review": {
        "review": ("review:commands.review", "review and undo what agents did, in the browser"),
        "held": ("review:commands.held", "approve or reject changes that wait for you"),
        "policy": ("policy:command", "check the rules about changes, and explain what they do"),
        "secrets": ("server.secrets", "list what models do not see, or take back a false alarm"),
    },
    "Agents": {
        "setup": ("server.setup", "connect the agents on this machine, or disconnect them"),
        "serve": ("server.serve", "serve a workspace to agents over HTTP or stdio"),
        "config": ("server.config", "print, write or remove one client's server entry"),
        "hooks": ("recorder:commands.hooks", "have one client say which agent changed a file"),
        "demo": ("server.demo", "watch a scripted session in a temporary workspace"),
        "doctor": ("server.doctor", "check the sandbox, git, journal and limits of this machine"),
        "completions": ("server.completions", "print completions for bash, zsh or fish"),
    },
    "Team": {
        "token": (
            "teams:commands.token",
            "create, list and revoke tokens for a server's users",
        ),
        "workspace": (
            "teams:commands.workspace",
            "create, list, archive and move workspaces",
        ),
        "audit": ("server.audit", "check that an audit log was not altered"),
    },
}


COMMANDS: dict[str, tuple[str, str]] = {}
# Commands that this installation lacks, with the room of each.
_ABSENT: dict[str, str] = {}
for _name, (_module, _summary) in (row for rows in GROUPS.values() for row in rows.items()):
    _room, _, _part = _module.rpartition(":")
    if _room and not has_room(_room):
        _ABSENT[_name] = _room
    else:
        _path = f"redline.{_room}.{_part}" if _room else f"redline.cli.commands.{_part}"
        COMMANDS[_name] = _path, _summary

_SHORT_LIVED = {
    name
    for name, (module, _) in COMMANDS.items()
    if ".history." in module or module.endswith(".tools")
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
    if not arguments or arguments in (["help"], ["--help"], ["-h"]):
        return _print_overview(0 if arguments else 2)
    arguments = _read_shorthand(arguments)
    # Import only the given command's module: a server start must not pay for the others.
    named = arguments[0] if arguments[0] in COMMANDS else ""
    if not named and not arguments[0].startswith("-"):
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


def _read_shorthand(arguments: list[str]) -> list[str]:
    """Return the plain form of `help COMMAND`, `version` and `-V`."""
    if arguments[0] in ("help", "--help", "-h"):
        return [arguments[1], "--help"]
    return ["--version"] if arguments[0] in ("version", "-V") else arguments


def _print_overview(code: int) -> int:
    from redline.cli.terminal import out, paint

    width = max(map(len, COMMANDS)) + 2
    out("Redline: exact, previewed, undoable edits for AI agents.\n")
    out("usage: redline COMMAND ...   redline help COMMAND   redline --version")
    for title, commands in GROUPS.items():
        out("\n" + paint(title, "bold"))
        for name, (_, summary) in commands.items():
            if name != "json" and name in COMMANDS:
                out(f"  {name:<{width}}{summary}")
    out("\n" + EXIT_CODES.rstrip())
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

    if command in _ABSENT:
        fail(f"redline {command} is not installed: it belongs to the room {_ABSENT[command]}")
        return 2
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
    from redline.cli.argument_names import WORDS
    from redline.cli.flags import report_usage_error
    from redline.cli.terminal import (
        NO_DIRECTORY,
        err,
        fail,
        is_directory_gone,
        paint_diff,
    )
    from redline.core.errors import ChangeHeld, HistoryError, InvalidArgument, RedlineError
    from redline.settings import SettingsError

    if isinstance(error, SettingsError):
        return report_usage_error(error)
    if not isinstance(error, RedlineError):
        room = (getattr(error, "name", None) or "").removeprefix("redline.").partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and room in ROOMS and not has_room(room):
            fail(f"this is not installed: it belongs to the room {room}")
            return 1
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
