"""Where workspaces rest that no client calls for long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from redline.core.ports.many.workspaces import WorkspaceEntry

# How many bytes of a workspace are back, and how many there are.
Progress = Callable[[int, int], None]


class RestingPlace(Protocol):
    """Parks and wakes workspaces; Busy while another process does so, StoreUnavailable."""

    def note_use(self, entry: WorkspaceEntry, at: float) -> None:
        """Remember, also for other servers, that a workspace was called."""

    def is_used_since(self, entry: WorkspaceEntry, since: float, now: float) -> bool:
        """Whether it was called, changed or first seen later than *since*."""

    def is_half_parked(self, entry: WorkspaceEntry) -> bool:
        """Whether a park was interrupted before everything was removed here."""

    def rests_here(self, entry: WorkspaceEntry) -> bool:
        """Whether it was parked at this place, and is to be woken by a call."""

    def find(self, name: str) -> WorkspaceEntry | None:
        """The workspace of this name that rests here although no list of this server has it."""

    def park(self, entry: WorkspaceEntry) -> None:
        """Move it here; Busy when a server has it open."""

    def wake(self, entry: WorkspaceEntry, progress: Progress) -> None:
        """Bring it back; InvalidArgument when it is awake elsewhere."""
