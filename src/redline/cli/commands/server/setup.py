"""`redline setup`: connect every agent found on this machine to this project, or take it back."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from importlib.resources import files
from typing import NamedTuple

from redline.cli.commands.server.client_files import locate, missing_parents, warn_of_paths
from redline.cli.commands.server.clients import ClientConfig, known_clients
from redline.cli.commands.server.config import server_argv, with_entry, without_entry
from redline.cli.commands.server.exclusive import edit_tools_of, turn_off, turn_on
from redline.cli.flags import SETUP, TERMINAL, state_dir_from
from redline.cli.terminal import NOTHING_FOUND, ask, fail, out, paint, paint_diff, program
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.core.ports.history import Direction, HistoryQuery, Origin, Revert
from redline.plan.describe import diff_of
from redline.settings import Settings
from redline.wiring.command_line import greet_server
from redline.wiring.rooms import has_room
from redline.wiring.workspace import Redline

_NAME = "redline"
_MAX_CHANGES = 200
_SKILL = os.path.join(".claude", "skills", "redline", "SKILL.md")
# The programs by which a client is found, and its own directory in the person's home.
_SIGNS = {
    "claude-code": (("claude",), ".claude"),
    "claude-desktop": ((), ""),
    "codex": (("codex",), ".codex"),
    "cursor": (("cursor", "cursor-agent"), ".cursor"),
    "vscode": (("code", "codium"), ".vscode"),
    "windsurf": (("windsurf",), os.path.join(".codeium", "windsurf")),
    "gemini": (("gemini",), ".gemini"),
}

Edit = Callable[[bytes], bytes]


class ClientPart(NamedTuple):
    """What is added to one file, and how it is taken out again."""

    path: str
    add: Edit
    take_out: Edit


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = """examples:
  redline setup                    connect every agent that is found, after one question
  redline setup codex gemini       only these
  redline setup --exclusive        and turn their own edit tools off
  redline setup --remove           give every file back as it was
"""
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(_SIGNS))
    parser.add_argument("--workspace", default=".", metavar="DIR", help="default: this directory")
    parser.add_argument("--state-dir", metavar="DIR", help="where history lives")
    parser.add_argument(
        "--exclusive", action="store_true", help="turn the clients' own edit tools off"
    )
    parser.add_argument("--no-hooks", action="store_true", help="only the server and the skill")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", "-n", action="store_true", help="only show what it would do")
    parser.add_argument("--remove", action="store_true", help="take out what setup wrote")


def run(args: argparse.Namespace) -> int:
    """Show what changes, ask once, write, connect as each client does, and say what is left."""
    known = known_clients(args.workspace)
    unknown = [name for name in args.clients if name not in known]
    if unknown:
        fail(f"No such client: {unknown[0]}", f"one of {', '.join(_SIGNS)}")
        return 2
    clients = [known[n] for n in _SIGNS if n in args.clients or _is_here(known[n])]
    clients = [each for each in clients if not args.clients or each.name in args.clients]
    settings = Settings(
        workspace=os.path.abspath(args.workspace),
        state_dir=state_dir_from(args),
        allow_any_root=True,
        # The files that clients execute are what the person asks to have changed.
        sandbox="dangerous",
    )
    with Redline(settings) as redline:
        if args.remove:
            return _remove(args, redline, list(known.values()))
        return _connect(args, redline, clients)


def _is_here(client: ClientConfig) -> bool:
    """Return whether the client is on this machine, or the project has settings for it."""
    programs, folder = _SIGNS[client.name]
    home = os.path.expanduser("~")
    if folder and os.path.isdir(os.path.join(home, folder)):
        return True
    if os.path.exists(client.file if _is_project_file(client) else os.path.dirname(client.file)):
        return True
    places = [os.path.join(place, name) for place in os.get_exec_path() for name in programs]
    return any(os.access(place, os.X_OK) for place in places)


def _is_project_file(client: ClientConfig) -> bool:
    return client.file.startswith(os.path.join(client.here, ""))


def _hooks(args: argparse.Namespace, client: ClientConfig) -> Iterator[ClientPart]:
    """Yield the hooks that tell the recorder what the client does, if it has any."""
    from redline.recorder.commands.hook_settings import hook_clients, install, remove
    from redline.recorder.commands.hooks import hook_command

    hooks = hook_clients(args.workspace).get(client.name)
    if hooks is not None:
        command = hook_command(client.name, state_dir_from(args))
        yield ClientPart(hooks.file, lambda source: install(hooks, source, command), remove)


def _parts(args: argparse.Namespace, client: ClientConfig) -> Iterator[ClientPart]:
    """Yield what connects a client: server, hooks, skill, and its own tools turned off."""
    entry = client.entry(server_argv(client))
    add, take_out = partial(with_entry, client, _NAME, entry), partial(without_entry, client, _NAME)
    yield ClientPart(client.file, add, take_out)
    if has_room("recorder") and not args.no_hooks and os.name == "posix":
        yield from _hooks(args, client)
    if client.name == "claude-code":
        skill = files("redline").joinpath("skill.md").read_bytes()
        path = os.path.join(client.here, _SKILL)
        yield ClientPart(path, lambda _: skill, lambda source: b"" if source == skill else source)
    tools = edit_tools_of(client.name, args.workspace)
    if tools is not None and (args.exclusive or args.remove):
        yield ClientPart(tools.file, partial(turn_off, tools), partial(turn_on, tools))


def _connect(args: argparse.Namespace, redline: Redline, clients: Sequence[ClientConfig]) -> int:
    for client in clients:
        if not _is_project_file(client):
            out(f"{client.title}: not set up; its one file is for all projects.")
            where = shlex.quote(client.here)
            line = f"{program()} config {client.name} --workspace {where} --write"
            out(paint(f"  to give it this project alone: {line}", "dim"))
    chosen = [client for client in clients if _is_project_file(client)]
    if not chosen:
        fail("No agent was found for this project", f"name one: {program()} setup claude-code")
        return NOTHING_FOUND
    parts = [part for client in chosen for part in _parts(args, client)]
    changed = _plan(args, redline, parts, taken_out=False)
    if changed is None:
        return 1
    out(paint_diff(diff_of(changed, lambda path: path.relative)).rstrip("\n"))
    if args.dry_run:
        return 0
    names = ", ".join(client.title for client in chosen)
    if not changed.is_empty and not args.yes and not ask(f"Connect {names}?"):
        fail("Nothing was written", "pass --yes to write without a question")
        return 1
    if not changed.is_empty:
        operation = redline.editor.commit(changed, _origin(f"connect {names}"))
        out(f"written as change {operation.id}; {program()} setup --remove takes it back\n")
    warn_of_paths(changed, chosen[0].here)
    return max([_check(client) for client in chosen])


def _plan(
    args: argparse.Namespace, redline: Redline, parts: Sequence[ClientPart], *, taken_out: bool
) -> ChangeSet | None:
    """Plan all parts as one change; None, after saying why, where a link leads elsewhere."""
    steps: dict[str, Change] = {}
    for path in dict.fromkeys(part.path for part in parts):
        here = [part for part in parts if part.path == path]
        if taken_out and not os.path.lexists(path):
            continue
        if locate("The project", path, args.workspace) is None:
            return None
        place = redline.workspace.resolve(os.path.abspath(path), Access.WRITE)
        before = redline.tree.state(place)
        old = before if isinstance(before, FileState) else None
        source = (old.content or b"") if old else b""
        after = reduce(lambda s, part: (part.take_out if taken_out else part.add)(s), here, source)
        if after == source:
            continue
        made_whole = reduce(lambda s, part: part.add(s), here, b"") == source
        state = FileState.of(after, old.mode) if old else FileState.of(after)
        is_gone = taken_out and (made_whole or not after.strip())
        for parent in missing_parents(redline, place):
            steps.setdefault(parent.path.relative, parent)
        steps[path] = Change(place, old or ABSENT, ABSENT if is_gone else state)
    return ChangeSet(tuple(steps.values()))


def _check(client: ClientConfig) -> int:
    """Start the server as the client does, list its tools, and say what the person must do."""
    argv = [client.here if word == client.folder else word for word in server_argv(client)]
    try:
        count = greet_server(argv)
    except RedlineError as error:
        out(f"{client.title}: " + paint("does not connect", "red") + f": {error.message}")
        return 1
    out(f"{client.title}: " + paint(f"connects, {count} tools", "green"))
    if client.trust:
        out(f"  {client.trust}")
    return 0


def _remove(args: argparse.Namespace, redline: Redline, clients: Sequence[ClientConfig]) -> int:
    """Undo what setup did, which gives the bytes back; take out by name what is left."""
    done = [] if args.clients else list(_undo(redline))
    wanted = [each for each in clients if _is_project_file(each)]
    wanted = [each for each in wanted if not args.clients or each.name in args.clients]
    parts = [part for client in wanted for part in _parts(args, client)]
    left = _plan(args, redline, parts, taken_out=True)
    if left is None:
        return 1
    if not left.is_empty:
        done.append(redline.editor.commit(left, _origin("remove")).id)
    if not done:
        out("nothing to remove")
        return NOTHING_FOUND
    out(f"removed as change {', '.join(done)}; restart the agents that run")
    return 0


def _undo(redline: Redline) -> Iterator[str]:
    """Undo what setup wrote, file by file where one of them was changed since; yield the undos."""
    for operation in redline.history.list(HistoryQuery(limit=_MAX_CHANGES, tool=SETUP)):
        if operation.kind != "change" or operation.reverted_by:
            continue
        files = [each.path for each in operation.change_set.steps if isinstance(each, Change)]
        for paths in ((), *((path,) for path in reversed(files))):
            try:
                request = Revert(Direction.UNDO, (operation.id,), paths=paths)
                yield redline.editor.revert(request, _origin("remove")).id
            except RedlineError:
                continue  # what was changed since is taken out by name
            if not paths:
                break


def _origin(summary: str) -> Origin:
    return Origin(SETUP, "command line", "", summary, TERMINAL, None, as_owner=True)
