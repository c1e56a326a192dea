"""`redline hooks install|remove|status CLIENT`: say which agent made a change."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator

from redline.cli.commands.history.view import print_table
from redline.cli.commands.server.client_files import ClientFile, locate
from redline.cli.flags import state_dir_from
from redline.cli.terminal import fail, out, paint
from redline.core.paths import Access
from redline.recorder.commands import hook_settings
from redline.recorder.wiring import hook_program
from redline.settings import Settings
from redline.wiring.workspace import Redline

_TOOL = "hooks"
_MAX_SETTINGS = 4 << 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("action", choices=("install", "remove", "status"), help="what to do")
    parser.add_argument(
        "client",
        nargs="?",
        choices=sorted(hook_settings.hook_clients(".")),
        help="which client (status: all)",
    )
    parser.add_argument("--workspace", default=".", metavar="DIR", help="default: this directory")
    parser.add_argument(
        "--user", action="store_true", help="in your own settings, for all workspaces"
    )
    parser.add_argument(
        "--state-dir", metavar="DIR", help="where the history is (default: outside the workspace)"
    )
    parser.epilog = (
        "The hooks tell the recorder (redline serve or redline watch) which tool a client runs,\n"
        "so that the history names the client for what its own tools change. They never hold up\n"
        "or fail the client."
    )


def run(args: argparse.Namespace) -> int:
    """Install, remove, or say what is installed."""
    clients = hook_settings.hook_clients(args.workspace)
    if args.action == "status":
        chosen = [clients[args.client]] if args.client else list(clients.values())
        print_table([row for client in chosen for row in _rows(client)])
        return 0
    if args.client is None:
        fail("Which client?", f"one of {', '.join(clients)}")
        return 2
    if os.name != "posix":
        fail("Hooks need Unix sockets, which this system does not have")
        return 1
    client = clients[args.client]
    path = client.user_file if args.user else client.file
    place = locate(client.title, path, args.workspace)
    if place is None:
        return 1
    file = ClientFile(client.title, *place, state_dir_from(args))
    with file.redline:
        if args.action == "remove":
            return _remove(client, file)
        return _install(client, file, hook_command(client.name, state_dir_from(args)))


def hook_command(client: str, state_dir: str | None) -> str:
    """Return what the client runs; it succeeds even when Redline is no longer there."""
    given = [os.path.abspath(state_dir)] if state_dir else []
    argv = [sys.executable, "-I", "-S", hook_program(), client, *given]
    return f"{shlex.join(argv)} 2>/dev/null || true"


def _install(client: hook_settings.HookClient, file: ClientFile, command: str) -> int:
    operation = file.change(
        lambda source: hook_settings.install(client, source, command), _TOOL, client.name
    )
    if not operation:
        out("already there")
        return 0
    file.say_written(operation)
    if client.note:
        out(paint(f"note: {client.note}", "dim"))
    return 0


def _remove(client: hook_settings.HookClient, file: ClientFile) -> int:
    if not hook_settings.installed_events(file.source):
        out("no hooks of Redline there")
        return 3
    undone = file.undo_latest(_TOOL, f"remove {client.name}")
    if undone:
        out(f"removed as change {undone}; restart {client.title}")
        return 0
    file.say_written(file.change(hook_settings.remove, _TOOL, f"remove {client.name}"))
    return 0


def _rows(client: hook_settings.HookClient) -> Iterator[list[tuple[str, str]]]:
    """Yield what each settings file of a client has, as cells of a table."""
    wanted = set(client.entries(""))
    for path in (client.file, client.user_file):
        found: set[str] = set()
        if os.path.isfile(path):
            with Redline(Settings(workspace=os.path.dirname(path), allow_any_root=True)) as redline:
                place = redline.workspace.resolve(os.path.basename(path), Access.READ)
                found = hook_settings.installed_events(redline.tree.read(place, _MAX_SETTINGS))
        state = "installed" if found >= wanted else "in part" if found else "not installed"
        yield [(client.name, ""), (state, ""), (path, "")]
