"""Several servers that work as one: who has a workspace, and how the others know each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from redline.core.ports.many.shared import CallSlots, SharedRate
from redline.core.ports.many.workspaces import WorkspaceEntry


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
        """Whether this server has a workspace for sure; the store is not asked."""

    def renew(self, workspace: str) -> bool:
        """Whether this server has a workspace, or could take it again."""

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
