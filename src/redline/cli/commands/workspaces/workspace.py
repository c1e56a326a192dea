"""`redline workspace ACTION`: the workspaces of a server that has many."""

from __future__ import annotations

import argparse
import os

from redline.cli.flags import report_usage_error, settings_from
from redline.cli.terminal import err, fail, one_line, out, paint
from redline.core.ports.teams import WorkspaceDirectory
from redline.settings import Settings, SettingsError
from redline.wiring.workspace_moving import open_keys, park_workspace, wake_workspace
from redline.wiring.workspace_set import open_directory

EXAMPLES = """examples:
  redline workspace list --workspaces /srv/workspaces
  redline workspace create billing --workspaces /srv/workspaces
  redline workspace archive billing --workspaces /srv/workspaces
  redline workspace restore billing --workspaces /srv/workspaces
  redline workspace park billing s3://bucket/billing --workspaces /srv/workspaces
  redline workspace wake billing --workspaces /srv/workspaces
  redline workspace key --workspaces /srv/workspaces
  redline serve --workspaces /srv/workspaces

--workspaces is a folder with a directory for each workspace, or a TOML file:

  root = "/srv/workspaces"           # where new ones are made
  [workspaces.billing]
  path = "/srv/billing"
  policy = "/etc/redline/billing.toml"   # optional, as are state_dir and read_only

A running server follows. Set REDLINE_WORKSPACES instead of the flag.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, summary in (
        ("list", "list workspaces"),
        ("create", "make an empty workspace"),
        ("archive", "stop serving a workspace; its files and history stay"),
        ("restore", "serve an archived workspace again"),
        ("park", "put a workspace and its history into an object store, and remove it here"),
        ("wake", "bring a parked workspace back, here or on another machine"),
        ("key", "print the key that signs what is parked here"),
    ):
        action = actions.add_parser(name, help=summary)
        if name not in ("list", "key"):
            action.add_argument("name", help="the workspace")
        if name in ("park", "wake"):
            action.add_argument(
                "url",
                nargs="?" if name == "wake" else None,
                default="",
                help="s3://BUCKET/PREFIX, gs://..., az://... or file:///DIRECTORY",
            )
            action.add_argument(
                "--again", action="store_true", help="although another copy is parked or awake"
            )
            action.add_argument(
                "--trust",
                metavar="KEY",
                dest="park_trust",
                action="append",
                help="the key of the server that parked it (repeatable; see redline workspace key)",
            )
        if name == "park":
            action.add_argument(
                "--wait",
                type=float,
                default=30.0,
                metavar="SECONDS",
                help="how long to wait until servers have closed it (default: 30)",
            )
        action.add_argument("--workspaces", metavar="DIR|FILE", help="where they are")
        action.add_argument("--state-dir", metavar="DIR", help="as given to redline serve")
        action.add_argument("--config", metavar="FILE", help="a TOML file with settings")


def run(args: argparse.Namespace) -> int:
    """Change or list workspaces."""
    try:
        settings = settings_from(args)
        if settings.workspaces is None:
            raise SettingsError("Which workspaces? Pass --workspaces or set REDLINE_WORKSPACES")
    except SettingsError as failure:
        return report_usage_error(failure)
    directory = open_directory(settings)
    if args.action == "list":
        return _list(directory)
    if args.action == "create":
        out(directory.create(args.name).path)
    elif args.action == "archive":
        directory.archive(args.name)
        out(f"archived {args.name}")
    elif args.action == "restore":
        out(directory.restore(args.name).path)
    elif args.action == "key":
        out(open_keys(settings).own)
    else:
        return _move(directory, args, settings)
    return 0


def _move(directory: WorkspaceDirectory, args: argparse.Namespace, settings: Settings) -> int:
    try:
        if args.action == "park":
            options = {"again": args.again, "wait": args.wait}
            done = park_workspace(directory, args.name, args.url, settings, **options)
        else:
            done = wake_workspace(directory, args.name, args.url, settings, again=args.again)
    except OSError as failure:
        fail(f"Cannot {args.action} {args.name}: {failure.strerror}: {failure.filename}")
        return 1
    what = "parked" if args.action == "park" else "woke"
    out(
        f"{what} {args.name}: {done.files} file{'' if done.files == 1 else 's'},"
        f" {done.moved_bytes} bytes moved"
    )
    return 0


def _list(directory: WorkspaceDirectory) -> int:
    entries = directory.list()
    for entry in entries:
        where = f"parked at {entry.parked_at}" if entry.parked_at else os.path.abspath(entry.path)
        out(f"{paint(one_line(entry.name), 'bold')}  {one_line(where)}")
    archived = directory.list_archived()
    for name in archived:
        out(f"{paint(one_line(name), 'bold')}  archived")
    if not entries and not archived:
        err("There are no workspaces yet; redline workspace create NAME makes one")
        return 3
    return 0
