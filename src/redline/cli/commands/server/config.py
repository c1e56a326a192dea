"""`redline config CLIENT`: the entry that connects a client, printed, written or removed."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from redline.cli.commands.server.client_files import ClientFile, locate
from redline.cli.commands.server.clients import ClientConfig, known_clients
from redline.cli.commands.server.exclusive import EditTools, edit_tools_of, turn_off, turn_on
from redline.cli.flags import state_dir_from
from redline.cli.terminal import fail, out, paint, program
from redline.core.errors import CannotApply

_TOOL = "config"
_TOOLS = "agent"
_UNCHANGED = 3
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}\Z")

Edit = Callable[[bytes], bytes]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("client", choices=sorted(known_clients(".")), help="which client")
    parser.add_argument(
        "--workspace", default=".", metavar="DIR", help="the directory the agent may change"
    )
    parser.add_argument(
        "--tools",
        default=_TOOLS,
        help="toolsets to serve, separated by commas (default: agent; all: all but agent)",
    )
    parser.add_argument(
        "--name", default="redline", help="what the client calls the server (default: redline)"
    )
    parser.add_argument("--http", metavar="URL", help="connect to a running server (redline serve)")
    parser.add_argument(
        "--token", metavar="TEXT", help="with --http: the bearer token (redline token)"
    )
    parser.add_argument(
        "--exclusive",
        action="store_true",
        help="turn the client's own edit tools off, so that it edits with Redline",
    )
    parser.add_argument("--write", action="store_true", help="write the entry to the client's file")
    parser.add_argument(
        "--remove",
        action="store_true",
        help="take the entry out; with --exclusive, turn the client's tools on again instead",
    )


def run(args: argparse.Namespace) -> int:
    """Print the entry, merge it into the client's file without touching the rest, or remove it."""
    client = known_clients(args.workspace)[args.client]
    tools = edit_tools_of(client.name, args.workspace)
    wrong = _wrong_flags(args, client, tools)
    if wrong:
        fail(*wrong)
        return 2
    if args.remove:
        return _remove(args, client, tools if args.exclusive else None)
    entry = (
        client.http_entry(args.http, args.token)
        if args.http
        else client.entry(server_argv(client, args.tools))
    )
    if not args.write:
        return _print(args, client, entry)
    return _write(args, client, entry, tools if args.exclusive else None)


def _write(
    args: argparse.Namespace,
    client: ClientConfig,
    entry: dict[str, Any],
    tools: EditTools | None,
) -> int:
    """Write the entry, and turn *tools* off."""
    add: Edit = partial(with_entry, client, args.name, entry)
    changes = [(client.file, add)]
    if tools is not None:
        changes.append((tools.file, partial(turn_off, tools)))
    for path, edit in changes:
        done = _change(args, client.title, path, edit, client.name)
        if done == _UNCHANGED:
            out(f"already there: {path}")
        elif done:
            return done
    if client.trust:
        out(client.trust)
    if tools is not None:
        _say_exclusive(args, client, tools)
    return 0


def _wrong_flags(
    args: argparse.Namespace, client: ClientConfig, tools: EditTools | None
) -> tuple[str, str] | None:
    """Return what is wrong with the flags and a hint, or None."""
    if not _NAME.match(args.name):
        return f"Not a name for a server: {args.name}", "use letters, digits, - and _"
    if args.http and not client.url_key:
        return f"{client.title} starts servers itself", "leave --http out"
    if args.token and not args.http:
        return "--token goes with --http", "name the server: --http URL"
    if args.http and not _is_address(args.http):
        return f"Not an address: {args.http}", "for example http://127.0.0.1:8000/mcp"
    if args.exclusive and tools is None:
        return (
            f"{client.title} has no setting that turns its own edit tools off",
            "leave --exclusive out; what its tools change is recorded all the same",
        )
    if not args.remove:
        return _wrong_tools(args.tools)
    return None


def _is_address(text: str) -> bool:
    try:
        found = urlsplit(text)
        return found.scheme in ("http", "https") and bool(found.hostname) and found.port != 0
    except ValueError:
        return False


def _wrong_tools(given: str) -> tuple[str, str] | None:
    from redline.server.calls.catalog import CatalogError, load_toolsets

    try:
        load_toolsets([name.strip() for name in given.split(",") if name.strip()])
    except CatalogError as error:
        return str(error), "name toolsets, comma separated"
    return None


def server_argv(client: ClientConfig, tools: str = _TOOLS) -> list[str]:
    """Return the command that starts Redline for *client*, as its entry has it."""
    program = os.path.abspath(sys.argv[0])
    named = os.path.basename(program).startswith("redline") and os.access(program, os.X_OK)
    # -P: a redline.py of the directory where the client starts this is not imported.
    start = [program] if named else [sys.executable, "-P", "-m", "redline"]
    if client.folder and named and _is_on_path(program):
        start = [os.path.basename(program)]
    place = client.folder or client.here
    return [*start, "serve", "--stdio", "--workspace", place, "--tools", tools]


def _is_on_path(program: str) -> bool:
    """Return whether the name of *program* alone starts it, so that others can use the entry."""
    name = os.path.basename(program)
    places = (os.path.join(folder, name) for folder in os.get_exec_path())
    found = next((place for place in places if os.access(place, os.X_OK)), None)
    return found is not None and os.path.samefile(found, program)


def _print(args: argparse.Namespace, client: ClientConfig, entry: dict[str, Any]) -> int:
    out(paint(f"# {client.title}: {client.file}", "dim"))
    out(with_entry(client, args.name, entry, b"").decode().rstrip("\n"))
    if client.command and "command" in entry:
        start = [args.name if word == "NAME" else word for word in client.command]
        # What is typed here need not be a file that others share, with the client's variable in it.
        words = [client.here if word == client.folder else word for word in entry["args"]]
        line = shlex.join([*start, entry["command"], *words])
        out(paint(f"# or: {line}", "dim"))
    tools = edit_tools_of(client.name, args.workspace) if args.exclusive else None
    if tools is not None:
        out(paint(f"# {client.title}: {tools.file}", "dim"))
        out(turn_off(tools, b"").decode().rstrip("\n"))
    line = shlex.join([program(), *sys.argv[1:], "--write"])
    out(paint(f"# {line} writes it there", "dim"))
    return 0


def _change(
    args: argparse.Namespace,
    title: str,
    path: str,
    edit: Edit,
    summary: str,
    *,
    is_removal: bool = False,
) -> int:
    """Change a settings file and say so; return 0, 1 when it cannot be, 3 when nothing changed.

    A removal from a file that holds nothing else, and was created for that, removes the file.
    """
    place = locate(title, path, args.workspace)
    if place is None:
        return 1
    file = ClientFile(title, *place, state_dir_from(args))
    with file.redline:
        if is_removal and edit(file.source) != file.source:
            undone = file.undo_latest(_TOOL, summary, if_created=True)
            if undone:
                out(f"removed {path} as change {undone}; restart {title}")
                return 0
        operation = file.change(edit, _TOOL, summary)
        if not operation:
            return _UNCHANGED
        file.say_written(operation)
    return 0


def _say_exclusive(args: argparse.Namespace, client: ClientConfig, tools: EditTools) -> None:
    back = f"{program()} config {client.name} --exclusive --remove"
    where = shlex.quote(os.path.abspath(args.workspace))
    verb = "is" if len(tools.names) == 1 else "are"
    out(f"{client.title} no longer edits by itself: {', '.join(tools.names)} {verb} off")
    out(paint("its shell can still write; redline watch records that", "dim"))
    if tools.note:
        out(paint(tools.note, "dim"))
    out(paint(f"to turn them on again: {back} --workspace {where}", "dim"))


def _remove(args: argparse.Namespace, client: ClientConfig, tools: EditTools | None) -> int:
    path = tools.file if tools is not None else client.file
    edit: Edit = partial(without_entry, client, args.name)
    if tools is not None:
        edit = partial(turn_on, tools)
    done = _change(args, client.title, path, edit, f"remove {client.name}", is_removal=True)
    if done == _UNCHANGED:
        out(f"nothing to remove: {path}")
    return done


def with_entry(client: ClientConfig, name: str, entry: dict[str, Any], source: bytes) -> bytes:
    """Return *source* with the entry; everything else stays byte for byte."""
    known = _servers(client, source).get(name)
    if known == entry:
        return source
    if known is not None and _workspace_of(client, known) != _workspace_of(client, entry):
        raise CannotApply(
            f"{client.key}.{name} exists already, for something else: {client.file}",
            hint="choose another --name, or take it out first with --remove",
        )
    if client.format == "toml":
        return _with_table(client, name, entry, without_entry(client, name, source))
    if source.strip() in (b"", b"{}"):
        return (json.dumps({client.key: {name: entry}}, indent=2) + "\n").encode()
    from redline.documents.json.document import JsonDocument
    from redline.documents.json.layout import indent_unit

    document, indent = JsonDocument(source, "jsonc"), indent_unit(source)
    if not _servers(client, source):
        return document.set((client.key,), json.dumps({name: entry}, indent=indent)).after
    return document.set((client.key, name), json.dumps(entry, indent=indent)).after


def _with_table(client: ClientConfig, name: str, entry: dict[str, Any], source: bytes) -> bytes:
    """Return *source* with one more table at its end."""
    lines = [f"[{client.key}.{name}]", *(f"{k} = {_as_toml(v)}" for k, v in entry.items())]
    gap = b"\n" if source.endswith(b"\n") else b"\n\n"
    return (source + gap if source else b"") + ("\n".join(lines) + "\n").encode()


def _as_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {json.dumps(v)}" for k, v in value.items()) + " }"
    return json.dumps(value)


def without_entry(client: ClientConfig, name: str, source: bytes) -> bytes:
    """Return *source* without the entry; everything else stays byte for byte."""
    servers = _servers(client, source)
    if name not in servers:
        return source
    if client.format == "toml":
        from redline.documents.toml.document import TomlDocument

        # A table of tables is there only as long as one of them is.
        place = (client.key, name) if len(servers) > 1 else (client.key,)
        after = TomlDocument(source).delete(place).after
        # The empty line before a table at the end came with it.
        return after[:-1] if after.endswith(b"\n\n") and not source.endswith(b"\n\n") else after
    from redline.documents.json.document import JsonDocument

    return JsonDocument(source, "jsonc").delete((client.key, name)).after


def _servers(client: ClientConfig, source: bytes) -> dict[str, Any]:
    """Return the servers that a file has by name."""
    if not source.strip():
        return {}
    data: Any
    if client.format == "toml":
        from redline.documents.toml.document import TomlDocument

        data = TomlDocument(source).data()
    else:
        from redline.documents.json.document import JsonDocument

        data = JsonDocument(source, "jsonc").data()
    found = data.get(client.key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _workspace_of(client: ClientConfig, entry: object) -> object:
    """Return which workspace or address an entry is for."""
    if not isinstance(entry, dict):
        return entry
    args = entry.get("args")
    if isinstance(args, list) and "--workspace" in args[:-1]:
        named = args[args.index("--workspace") + 1]
        return client.here if named == client.folder else named
    return {key: value for key, value in entry.items() if key != "command"}
