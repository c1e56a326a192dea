"""Moves workspaces to an object store and back: by a command, or by a server when they are idle."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from redline.core.errors import Busy, InvalidArgument
from redline.core.extras import lacks_extra
from redline.settings import Settings, SettingsError
from redline.teams.wiring.workspaces import open_one

if TYPE_CHECKING:
    from redline.teams.adapters.parked.moving import MovedWorkspace, MoveReport
    from redline.teams.adapters.parked.signing import ParkKeys
    from redline.teams.idle import IdleWorkspaces
    from redline.teams.ports import Progress, WorkspaceDirectory, WorkspaceEntry

_DAY = 86_400.0


def park_workspace(
    directory: WorkspaceDirectory,
    name: str,
    address: str,
    settings: Settings,
    *,
    again: bool = False,
    wait: float = 0.0,
) -> MoveReport:
    """Put a workspace into an object store and remove it here.

    Busy when a server still has it open after *wait* seconds, or while it is moved already.
    """
    from redline.teams.adapters.parked.move_lock import moving_alone
    from redline.teams.adapters.parked.moving import park
    from redline.teams.adapters.parked.objects import open_objects

    entry = directory.place(name)
    store = open_objects(address)
    moved = _describe(entry)
    with moving_alone(moved.root):
        directory.mark_parked(name, address)  # from now on no server opens it
        try:
            _wait_for_servers(moved.state_dir, wait)
            if os.path.isdir(entry.path):
                with open_one(entry, settings) as redline:
                    redline.tree  # noqa: B018  settles what a crash left half done
            return park(moved, store, open_keys(settings), again=again)
        except BaseException:
            if os.path.isdir(entry.path):  # nothing has happened
                directory.mark_parked(name, entry.parked_at)
            raise


def wake_workspace(
    directory: WorkspaceDirectory,
    name: str,
    address: str,
    settings: Settings,
    *,
    again: bool = False,
    progress: Progress = lambda _done, _all: None,
) -> MoveReport:
    """Bring a workspace back from where it is parked, or from *address*; Busy as when parking."""
    from redline.teams.adapters.parked.move_lock import moving_alone
    from redline.teams.adapters.parked.moving import wake
    from redline.teams.adapters.parked.objects import open_objects

    entry = directory.place(name)
    where = address or entry.parked_at
    if not where:
        raise InvalidArgument(
            f"Nothing says where this workspace is parked: {name}",
            field="name",
            hint="pass the address too",
        )
    moved = _describe(entry)
    with moving_alone(moved.root):
        store, keys = open_objects(where), open_keys(settings)
        report = wake(moved, store, keys, again=again, progress=progress)
        directory.mark_parked(name, "")
    return report


def open_keys(settings: Settings) -> ParkKeys:
    """Return the key that signs what this server parks, and those that it trusts."""
    if missing := lacks_extra("teams", "cryptography"):
        raise SettingsError(f"Parked workspaces are signed, which needs an extra: {missing}")
    from redline.adapters.files.own_places import state_home
    from redline.teams.adapters.parked.signing import ParkKeys

    home = os.path.join(settings.state_dir or state_home(), ".server")
    return ParkKeys(home, settings.park_trust)


def open_idle(directory: WorkspaceDirectory, settings: Settings) -> IdleWorkspaces | None:
    """Return which workspaces are parked by themselves; None where the settings say none."""
    from redline.teams.adapters.parked.objects import open_objects
    from redline.teams.idle import IdleWorkspaces

    if not settings.park_to:
        return None
    # An address or a key that cannot be used is refused at the start.
    open_objects(settings.park_to)
    open_keys(settings)
    place = IdleStore(directory, settings.park_to, settings)
    return IdleWorkspaces(directory, place, settings.park_after_days * _DAY)


class IdleStore:
    """Each idle workspace at an address of its own beneath *address*; see `RestingPlace`."""

    def __init__(self, directory: WorkspaceDirectory, address: str, settings: Settings) -> None:
        self._directory = directory
        self._address = address.rstrip("/")
        self._settings = settings

    def note_use(self, entry: WorkspaceEntry, at: float) -> None:
        """Note the time of a call beside the history."""
        from redline.teams.adapters.last_call import note_call

        note_call(_describe(entry).state_dir, at)

    def is_used_since(self, entry: WorkspaceEntry, since: float, now: float) -> bool:
        """Return whether it was called, changed or first seen later than *since*."""
        from redline.teams.adapters.last_call import read_last_call
        from redline.teams.adapters.parked.snapshot import find_change

        state_dir = _describe(entry).state_dir
        last = read_last_call(state_dir)
        if last is None:
            self.note_use(entry, now)  # its time begins when it is first seen
        if last is None or last > since:
            return True
        # Other programs may work there without a call.
        for top in (os.path.join(state_dir, "journal"), entry.path):
            changed = find_change(top, since)
            if changed is not None:
                self.note_use(entry, changed)  # so that the next look is short
                return True
        return False

    def is_half_parked(self, entry: WorkspaceEntry) -> bool:
        """Return whether a park was interrupted before everything was removed here."""
        from redline.teams.adapters.parked.moving import is_half_parked

        return is_half_parked(_describe(entry))

    def rests_here(self, entry: WorkspaceEntry) -> bool:
        """Return whether it was parked beneath this address, under its own name."""
        return entry.parked_at == self._address_of(entry.name)

    def find(self, name: str) -> WorkspaceEntry | None:
        """The workspace of this name that rests here although no list of this server has it."""
        from redline.teams.adapters.parked.manifest import load_state
        from redline.teams.adapters.parked.objects import open_objects

        try:
            entry = self._directory.place(name)
        except InvalidArgument:
            return None
        address = self._address_of(name)
        found = load_state(open_objects(address))
        if found is None or found.awake_at or found.name != name or not found.is_signed:
            return None
        return entry._replace(parked_at=address)

    def park(self, entry: WorkspaceEntry) -> None:
        """Move it here; Busy when a server has it open."""
        _wait_for_servers(_describe(entry).state_dir, 0.0)  # before any server notices
        park_workspace(self._directory, entry.name, self._address_of(entry.name), self._settings)

    def wake(self, entry: WorkspaceEntry, progress: Progress) -> None:
        """Bring it back; InvalidArgument when it is awake elsewhere."""
        wake_workspace(
            self._directory, entry.name, entry.parked_at, self._settings, progress=progress
        )
        self.note_use(entry, time.time())

    def _address_of(self, name: str) -> str:
        return f"{self._address}/{name}"


def _describe(entry: WorkspaceEntry) -> MovedWorkspace:
    import socket

    from redline.adapters.files.platform import state_dir_of
    from redline.teams.adapters.parked.moving import MovedWorkspace

    path = os.path.realpath(entry.path)
    owner = f"{socket.gethostname()}:{path}"
    return MovedWorkspace(entry.name, path, entry.state_dir or state_dir_of(path), owner)


def _wait_for_servers(state_dir: str, seconds: float) -> None:
    """Wait until no server has the workspace open; Busy."""
    from redline.adapters.files.registry import list_servers

    end = time.monotonic() + seconds
    while os.path.isdir(state_dir) and (servers := list_servers(state_dir)):
        if time.monotonic() > end:
            raise Busy(
                f"A server has the workspace open: {servers[0].address}",
                hint="stop it, or wait until its calls have ended",
            )
        time.sleep(0.2)
