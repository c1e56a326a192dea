"""Flags that several commands share, and the Settings they give."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from redline.settings import Settings, SettingsError, config_path, gather, load, read_config

if TYPE_CHECKING:
    import argparse

    from redline.core.changes import ChangeSet
    from redline.core.errors import PermissionRequired
    from redline.core.ports.history import Origin


# The session of every change that a person makes by a command.
TERMINAL = "terminal"
# The tool of the changes that `redline setup` makes.
SETUP = "setup"
# Variables that agents set for the commands they run; the second of a pair names the session.
# An agent that another one started comes first. Settings that a person makes are not among them.
AGENT_VARIABLES = (
    ("codex", "CODEX_THREAD_ID", "CODEX_THREAD_ID"),
    ("codex", "CODEX_SANDBOX", "CODEX_THREAD_ID"),
    ("gemini", "GEMINI_CLI", "GEMINI_SESSION_ID"),
    ("cursor", "CURSOR_AGENT", "CURSOR_CONVERSATION_ID"),
    ("claude-code", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"),
    ("VS Code", "VSCODE_AGENT", ""),
)
# Of agents that are not listed: claude-code_2-1_agent, goose.
_OTHER_AGENT = "AI_AGENT"
# The hint where a guarded file is refused.
NEEDS_FLAG = "pass --allow-guarded to change it anyway"


def find_caller(environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """Return the client and session of the agent whose shell runs this, else of the person."""
    for client, variable, named in AGENT_VARIABLES:
        if environment.get(variable):
            session = environment.get(named, "")
            is_plain = re.fullmatch(r"[\w.:-]{1,64}", session) is not None
            return client, session if is_plain else f"{client} shell"
    other = re.match(r"[A-Za-z][A-Za-z0-9.-]{1,39}", environment.get(_OTHER_AGENT, ""))
    return (other[0], f"{other[0]} shell") if other else ("command line", TERMINAL)


def positive(text: str) -> int:
    """Return a number of a flag that must be 1 or more."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"must be 1 or more: {text}")
    return number


def port_number(text: str) -> int:
    """Return the port that a flag names."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else -1
    if not 0 <= number <= 65535:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"must be 0 to 65535: {text}")
    return number


def add_workspace_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the directories to work in and for their history."""
    from redline.cli.root_actions import AddDirectory, SetWorkspace

    group = parser.add_argument_group("workspace")
    group.add_argument(
        "--workspace",
        "-w",
        metavar="DIR",
        action=SetWorkspace,
        default=None,
        help="the directory to work in (default: here; repeat for more roots)",
    )
    for flag, access in (("--allow-write", "changed"), ("--allow-read", "only read")):
        group.add_argument(
            flag,
            metavar="DIR",
            action=AddDirectory,
            dest="directories",
            default=None,
            help=f"another directory that may be {access} (repeatable)",
        )
    group.add_argument(
        "--allow-any-root",
        action="store_true",
        default=None,
        help="allow / or the home directory as a root",
    )
    group.add_argument(
        "--state-dir",
        metavar="DIR",
        help="where to keep the history (default: outside the workspace)",
    )
    group.add_argument("--config", metavar="FILE", help="a TOML file with any of these settings")


def add_settings(group: argparse._ArgumentGroup, flags: Mapping[str, str]) -> None:
    """Add flags of settings, each with its help: `--name VALUE`, or `--name` to turn one on."""
    for flag, text in flags.items():
        name, _, value = flag.partition(" ")
        if value:
            group.add_argument(name, metavar=value, help=text)
        else:
            group.add_argument(name, action="store_true", default=None, help=text)


def add_guarded_flag(parser: argparse.ArgumentParser) -> None:
    """Add the flag of commands that may change any file."""
    parser.add_argument(
        "--allow-guarded",
        action="store_true",
        help="also change files that your own tools execute, such as .git or .vscode/tasks.json",
    )
    add_owner_flag(parser)


def add_owner_flag(parser: argparse.ArgumentParser) -> None:
    """Add the flag by which a person goes past the policy."""
    parser.add_argument(
        "--as-owner",
        action="store_true",
        help="act as the owner of this machine and skip the rules of policy.toml",
    )


def origin_of(args: argparse.Namespace, tool: str, summary: str) -> Origin:
    """Return the origin of a command-line change; --allow-guarded is the person's consent."""
    from redline.core.ports.history import Origin

    def consent(refused: PermissionRequired, _: ChangeSet, /) -> bool | None:
        from redline.core.errors import GuardedWrite

        if not isinstance(refused, GuardedWrite):
            return None  # held: decided with `redline held`
        if not args.allow_guarded:
            refused.hint = NEEDS_FLAG
            raise refused
        return True

    client, session = find_caller()
    return Origin(tool, client, "", summary, session, consent, as_owner=bool(args.as_owner))


def settings_from(args: argparse.Namespace, *ignore: str) -> Settings:
    """Read Settings from flags, environment and config file; SettingsError if invalid."""
    names = set(Settings._fields) - {"config", *ignore}
    flags = {name: value for name, value in vars(args).items() if name in names}
    return load(flags, os.environ, _config(args))._replace(config=_config_path(args))


def state_dir_from(args: argparse.Namespace) -> str | None:
    """Return the state directory, found as the server finds it."""
    found = gather({"state_dir": getattr(args, "state_dir", None)}, os.environ, _config(args))
    state_dir: str | None = found.get("state_dir")
    return state_dir


def policy_from(args: argparse.Namespace) -> str | None:
    """Return the policy file that a flag or the config file names."""
    given = {"policy": getattr(args, "policy", None)}
    policy: str | None = gather(given, os.environ, _config(args)).get("policy")
    return policy


def _config(args: argparse.Namespace) -> dict[str, Any] | None:
    path = _config_path(args)
    return read_config(path) if path else None


def _config_path(args: argparse.Namespace) -> str | None:
    return getattr(args, "config", None) or config_path(os.environ)


def report_usage_error(failure: SettingsError | Exception) -> int:
    """Print what is wrong with the command line and return its exit code."""
    from redline.cli.terminal import fail

    fact, _, hint = str(failure).partition("\nhint: ")
    fail(fact, hint or None)
    return 2
