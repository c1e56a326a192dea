"""`redline config CLIENT`: the entry that connects a client, printed or written."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys

from redline.app import Redline
from redline.cli.commands.server.clients import ClientConfig, known_clients
from redline.cli.terminal import fail, out, paint, paint_diff, program
from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState
from redline.core.errors import CannotApply
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Origin
from redline.plan.describe import diff_of
from redline.settings import Settings


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.add_argument("client", choices=sorted(known_clients(".")), help="which client")
    parser.add_argument(
        "--workspace", default=".", metavar="DIR", help="the directory the agent may change"
    )
    parser.add_argument("--tools", help="only these toolsets, comma separated")
    parser.add_argument("--write", action="store_true", help="write it into the client's file")


def run(args: argparse.Namespace) -> int:
    """Print the entry, or merge it into the client's file without touching the rest."""
    client = known_clients(args.workspace)[args.client]
    argv = _server_argv(args)
    if not args.write:
        return _print(client, argv)
    folder, name = os.path.split(client.file)
    if _belongs_to_workspace(client, args.workspace):
        folder, name = os.path.abspath(args.workspace), os.path.relpath(client.file, args.workspace)
        if os.path.realpath(client.file) != os.path.join(os.path.realpath(folder), name):
            fail(
                f"A link leads elsewhere: {client.file} -> {os.path.realpath(client.file)}",
                "replace the link by a file, or edit the file it names by hand",
            )
            return 1
    elif not os.path.isdir(folder):
        fail(f"{client.title} is not set up here: {folder}", "start it once, then try again")
        return 1
    return _write(client, argv, folder, name)


def _server_argv(args: argparse.Namespace) -> list[str]:
    program = os.path.abspath(sys.argv[0])
    named = os.path.basename(program).startswith("redline") and os.access(program, os.X_OK)
    # -P: a redline.py of the directory where the client starts this is not imported.
    start = [program] if named else [sys.executable, "-P", "-m", "redline"]
    tools = ["--tools", args.tools] if args.tools else []
    return [*start, "serve", "--stdio", "--workspace", os.path.abspath(args.workspace), *tools]


def _belongs_to_workspace(client: ClientConfig, workspace: str) -> bool:
    inside = os.path.join(os.path.abspath(workspace), "")
    return client.file.startswith(inside)


def _print(client: ClientConfig, argv: list[str]) -> int:
    out(paint(f"# {client.title}: {client.file}", "dim"))
    out(_entry_text(client, argv, b"").decode().rstrip("\n"))
    if client.command:
        out(paint(f"# or: {shlex.join([*client.command, *argv])}", "dim"))
    out(paint(f"# {program()} config {client.name} --write writes it there", "dim"))
    return 0


def _entry_text(client: ClientConfig, argv: list[str], source: bytes) -> bytes:
    """Return *source* with the entry; everything else stays byte for byte."""
    if client.format == "toml":
        return _toml_text(client, argv, source)
    entry = client.entry(argv)
    if not source.strip():
        return (json.dumps({client.key: {"redline": entry}}, indent=2) + "\n").encode()
    from redline.documents.json.document import JsonDocument

    document = JsonDocument(source, "jsonc")
    value = json.dumps(entry, indent=2)
    return document.set((client.key, "redline"), value, create_parents=True).after


def _toml_text(client: ClientConfig, argv: list[str], source: bytes) -> bytes:
    """Return *source* with one more table at its end."""
    import tomllib

    entry = client.entry(argv)
    known = tomllib.loads(source.decode()).get(client.key, {}).get("redline")
    if known is not None:
        if known == entry:
            return source
        raise CannotApply(
            f"{client.key}.redline exists already, with other values: {client.file}",
            hint="remove that table first, or edit it by hand",
        )
    lines = [f"[{client.key}.redline]", *(f"{k} = {json.dumps(v)}" for k, v in entry.items())]
    gap = b"\n" if source.endswith(b"\n") else b"\n\n"
    return (source + gap if source else b"") + ("\n".join(lines) + "\n").encode()


def _write(client: ClientConfig, argv: list[str], folder: str, name: str) -> int:
    redline = Redline(Settings(workspace=folder, allow_any_root=True))
    path = redline.workspace.resolve(name, Access.WRITE)
    before = redline.tree.state(path)
    source = before.content or b"" if isinstance(before, FileState) else b""
    after = _entry_text(client, argv, source)
    if after == source:
        out(f"already there: {client.file}")
        return 0
    old = before if isinstance(before, FileState) else ABSENT
    steps = [*_missing_parents(redline, path), Change(path, old, FileState.of(after))]
    change_set = ChangeSet(tuple(steps))
    # The person asked for exactly this file by running the command.
    origin = Origin("config", "command line", summary=client.name, consent=lambda *_: True)
    operation = redline.editor.commit(change_set, origin)
    out(paint_diff(diff_of(change_set, lambda place: place.relative)).rstrip("\n"))
    out(f"\nwritten as change {operation.id}; restart {client.title}")
    out(
        paint(
            f"to undo it: {program()} undo --allow-guarded --workspace {shlex.quote(folder)}",
            "dim",
        )
    )
    return 0


def _missing_parents(redline: Redline, path: WorkspacePath) -> list[Change]:
    above: list[WorkspacePath] = []
    parent = path.parent
    while parent.parts and redline.tree.stat(parent) is None:
        above.append(parent)
        parent = parent.parent
    return [Change(place, ABSENT, DirState()) for place in reversed(above)]
