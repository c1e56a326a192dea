"""Connects many workspaces to one server: where they are, and what each brings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.app import Redline
from redline.core.errors import Busy, InvalidArgument
from redline.settings import Settings, SettingsError

if TYPE_CHECKING:
    from redline.adapters.workspaces.parked.moving import MovedWorkspace, MoveReport
    from redline.core.ports.many.workspaces import WorkspaceDirectory, WorkspaceEntry
    from redline.web.access import ReviewAccess
    from redline.web.workspaces.front import FrontPages


def open_directory(settings: Settings) -> WorkspaceDirectory:
    """Open the folder or the list of workspaces that the settings name."""
    from redline.adapters.workspaces.folder import FolderOfWorkspaces
    from redline.adapters.workspaces.listed import ListedWorkspaces

    where = settings.workspaces or ""
    if os.path.isdir(where):
        return FolderOfWorkspaces(where, settings.state_dir)
    return ListedWorkspaces(where, settings.state_dir)


def check_apart(directory: WorkspaceDirectory) -> None:
    """Refuse workspaces that lie in each other, or where every command can read; SettingsError."""
    from redline.adapters.sandbox.visible_paths import is_beneath, readable

    shown = readable(os.environ.get("PATH", ""))
    paths = sorted((os.path.realpath(entry.path), entry.name) for entry in directory.list())
    for number, (path, name) in enumerate(paths):
        if any(is_beneath(path, each) for each in shown):
            raise SettingsError(f"Every command can read the directory of {name}: {path}")
        for other, inner in paths[number + 1 :]:
            if is_beneath(other, path):
                raise SettingsError(f"Workspaces must not lie in each other: {name} and {inner}")


def open_one(entry: WorkspaceEntry, settings: Settings) -> Redline:
    """Open one of many workspaces."""
    own = settings._replace(
        workspace=entry.path,
        workspaces=None,
        state_dir=entry.state_dir,
        read_only=settings.read_only or entry.read_only,
        policy=entry.policy or settings.policy,
    )
    redline = Redline(own, name=entry.name)
    redline.require_policy()
    return redline


def open_audit_log(path: str) -> Callable[[dict[str, Any]], None]:
    """Open the file that audit lines go to."""
    from redline.adapters.audit_file import open_audit_file

    return open_audit_file(path)


def build_front(
    access: ReviewAccess, directory: WorkspaceDirectory, shut: Callable[[str], bool]
) -> FrontPages:
    """Return the first page of a server with many workspaces."""
    from redline.web.workspaces.front import FrontPages

    return FrontPages(access, directory, shut)


def park_workspace(
    directory: WorkspaceDirectory,
    name: str,
    address: str,
    settings: Settings,
    *,
    again: bool,
    wait: float,
) -> MoveReport:
    """Put a workspace into an object store and remove it here.

    Busy when a server still has it open after *wait* seconds.
    """
    from redline.adapters.workspaces.parked.moving import park
    from redline.adapters.workspaces.parked.objects import open_objects

    entry = directory.place(name)
    store = open_objects(address)
    moved = _describe(entry)
    directory.mark_parked(name, address)  # from now on no server opens it
    try:
        _wait_for_servers(moved.state_dir, wait)
        if os.path.isdir(entry.path):
            with open_one(entry, settings) as redline:
                redline.tree  # noqa: B018  settles what a crash left half done
        return park(moved, store, again=again)
    except BaseException:
        if os.path.isdir(entry.path):  # nothing has happened
            directory.mark_parked(name, entry.parked_at)
        raise


def wake_workspace(
    directory: WorkspaceDirectory, name: str, address: str, *, again: bool
) -> MoveReport:
    """Bring a workspace back from where it is parked, or from *address*."""
    from redline.adapters.workspaces.parked.moving import wake
    from redline.adapters.workspaces.parked.objects import open_objects

    entry = directory.place(name)
    where = address or entry.parked_at
    if not where:
        raise InvalidArgument(
            f"Nothing says where this workspace is parked: {name}",
            field="name",
            hint="pass the address too",
        )
    report = wake(_describe(entry), open_objects(where), again=again)
    directory.mark_parked(name, "")
    return report


def _describe(entry: WorkspaceEntry) -> MovedWorkspace:
    import socket

    from redline.adapters.files.platform import state_dir_of
    from redline.adapters.workspaces.parked.moving import MovedWorkspace

    path = os.path.realpath(entry.path)
    owner = f"{socket.gethostname()}:{path}"
    return MovedWorkspace(entry.name, path, entry.state_dir or state_dir_of(path), owner)


def _wait_for_servers(state_dir: str, seconds: float) -> None:
    """Wait until no server has the workspace open; Busy."""
    import time

    from redline.adapters.files.registry import list_servers

    end = time.monotonic() + seconds
    while os.path.isdir(state_dir) and (servers := list_servers(state_dir)):
        if time.monotonic() > end:
            raise Busy(
                f"A server has the workspace open: {servers[0].address}",
                hint="stop it, or wait until its calls have ended",
            )
        time.sleep(0.2)
