"""Ports of a server with many workspaces: their directory, parked copies, and current owners."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from redline.core.errors import InvalidArgument
from redline.core.ports.shared import CallSlots, SharedRate

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class WorkspaceEntry(NamedTuple):
    """One workspace of a server.

    `state_dir` and `policy` are None where the server's own settings apply. `parked_at` is the
    address of the store that holds a parked workspace; nothing is at `path` while it is parked.
    """

    name: str
    path: str
    state_dir: str | None = None
    read_only: bool = False
    policy: str | None = None
    parked_at: str = ""


class WorkspaceDirectory(Protocol):
    """The workspaces of a server; reloaded whenever they may have changed.

    Methods that change something raise InvalidArgument for an invalid name, and WriteFailed.
    """

    def list(self) -> Sequence[WorkspaceEntry]:
        """Return every workspace that is not archived, by name."""

    def find(self, name: str) -> WorkspaceEntry | None:
        """Return the workspace of this name."""

    def place(self, name: str) -> WorkspaceEntry:
        """Return the workspace of this name, or the entry a new one would get; InvalidArgument."""

    def create(self, name: str) -> WorkspaceEntry:
        """Create an empty workspace."""

    def list_archived(self) -> Sequence[str]:
        """Return the names of archived workspaces, in order."""

    def archive(self, name: str) -> None:
        """Stop serving a workspace; its files and its history stay."""

    def restore(self, name: str) -> WorkspaceEntry:
        """Serve an archived workspace again."""

    def mark_parked(self, name: str, address: str) -> None:
        """Record that a workspace is parked at *address*; "" means that it is back."""


def check_workspace_name(name: str) -> str:
    """Return *name*; InvalidArgument when no workspace can have it."""
    if not _NAME.fullmatch(name) or ".." in name:
        raise InvalidArgument(
            f"Not a name for a workspace: {name[:80]}",
            field="name",
            hint="use at most 64 letters, digits, dots, dashes and underscores, no dot first",
        )
    return name


def unknown_workspace(name: str) -> InvalidArgument:
    """Return the error for a name that no workspace has."""
    return InvalidArgument(f"There is no workspace of this name: {name[:80]}", field="name")


class ObjectStore(Protocol):
    """Objects beneath one address; StoreUnavailable when it cannot be reached."""

    def put(self, name: str, data: bytes) -> None:
        """Store an object, in place of one with this name."""

    def get(self, name: str, limit: int) -> bytes | None:
        """Return the object of this name; None when there is none.

        StoreUnavailable when it has more than *limit* bytes; it is not read.
        """

    def has(self, name: str) -> bool:
        """Return whether there is an object of this name."""

    def list(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with *prefix*."""

    def delete(self, name: str) -> None:
        """Remove an object; one that is gone already is no failure."""


# How many bytes of a workspace are back, and how many there are.
Progress = Callable[[int, int], None]


class RestingPlace(Protocol):
    """Parks and wakes workspaces; Busy while another process does so, StoreUnavailable."""

    def note_use(self, entry: WorkspaceEntry, at: float) -> None:
        """Record, for this and other servers, that a workspace was called."""

    def is_used_since(self, entry: WorkspaceEntry, since: float, now: float) -> bool:
        """Return whether it was called, changed or first seen later than *since*."""

    def is_half_parked(self, entry: WorkspaceEntry) -> bool:
        """Return whether a park was interrupted before everything was removed here."""

    def rests_here(self, entry: WorkspaceEntry) -> bool:
        """Return whether it was parked at this place, and is to be woken by a call."""

    def find(self, name: str) -> WorkspaceEntry | None:
        """The workspace of this name that rests here although no list of this server has it."""

    def park(self, entry: WorkspaceEntry) -> None:
        """Move it here; Busy when a server has it open."""

    def wake(self, entry: WorkspaceEntry, progress: Progress) -> None:
        """Bring it back; InvalidArgument when it is awake elsewhere."""


class Owner(NamedTuple):
    """The server that has a workspace.

    `address` is where other servers reach it. `number` is higher for each lease of a workspace, so
    that the journal can refuse a server that holds an older one.
    """

    server: str
    address: str
    number: int


class ServerGroup(Protocol):
    """The servers that share one store; StoreUnavailable where that cannot be reached.

    A server has a workspace while it holds its lease, which ends by itself a few seconds after the
    server or the store is gone.
    """

    @property
    def server(self) -> str:
        """The name of this server."""

    def start(
        self, address: str, lost: Callable[[str], None], wanted: Callable[[str], None]
    ) -> None:
        """Begin to keep leases; *address* is where others reach this server.

        *lost* is called, in another thread, with each workspace that this server has no more, and
        *wanted* with each that another server asks for.
        """

    def claim(self, entry: WorkspaceEntry) -> Owner | None:
        """Take the lease of a workspace; None when this server has it, else who has it."""

    def find_owner(self, workspace: str) -> Owner | None:
        """Who has a workspace now; None when no server does."""

    def holds(self, workspace: str) -> bool:
        """Return whether this server has a workspace for sure; the store is not asked."""

    def renew(self, workspace: str) -> bool:
        """Return whether this server has a workspace, or could take it again."""

    def give_back(self, workspace: str) -> None:
        """End the lease of a workspace, so that another server can take it at once."""

    def ask_for(self, workspace: str) -> bool:
        """Have the server that has a workspace give it back, unless it is in use there; whether
        no server has it. May take seconds."""

    def share_rate(self, kind: str, per_second: float, alone: Callable[..., float]) -> SharedRate:
        """Return a limit of requests over all servers; *alone* counts while the store is away."""

    @property
    def slots(self) -> CallSlots:
        """How many calls of a person run at once over all servers."""

    def sign(self, text: bytes) -> str:
        """Return what proves to other servers of the group that one of them wrote *text*."""

    def check_store(self) -> None:
        """Raise StoreUnavailable when the shared store cannot be reached."""

    def close(self) -> None:
        """End every lease."""
