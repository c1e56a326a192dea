"""`redline config CLIENT`: the entry that connects a client, printed or written."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from functools import partial

from redline.cli.commands.server.client_files import ClientFile, locate
from redline.cli.commands.server.clients import ClientConfig, known_clients
from redline.cli.terminal import out, paint, program
from redline.core.errors import CannotApply


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
    place = locate(client.title, client.file, args.workspace)
    if place is None:
        return 1
    file = ClientFile(client.title, *place)
    with file.redline:
        edit = partial(_entry_text, client, argv)
        operation = file.change(edit, "config", client.name)
        if not operation:
            out(f"already there: {client.file}")
            return 0
        file.say_written(operation)
    return 0


def _server_argv(args: argparse.Namespace) -> list[str]:
    program = os.path.abspath(sys.argv[0])
    named = os.path.basename(program).startswith("redline") and os.access(program, os.X_OK)
    # -P: a redline.py of the directory where the client starts this is not imported.
    start = [program] if named else [sys.executable, "-P", "-m", "redline"]
    tools = ["--tools", args.tools] if args.tools else []
    return [*start, "serve", "--stdio", "--workspace", os.path.abspath(args.workspace), *tools]


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
