"""Park workspaces by themselves that no client calls for long."""

from __future__ import annotations

from collections.abc import Callable
from time import time

from redline.teams.ports import RestingPlace, WorkspaceDirectory, WorkspaceEntry

# Calls are noted this often at most, or ten times within the time after which one is parked.
_NOTE_SECONDS = 3600.0


class IdleWorkspaces:
    """Knows which workspaces had no call for *after* seconds; *clock* is the time of day."""

    def __init__(
        self,
        directory: WorkspaceDirectory,
        place: RestingPlace,
        after: float,
        clock: Callable[[], float] = time,
    ) -> None:
        self.place = place
        self._directory = directory
        self._after = after
        self._clock = clock
        self._noted: dict[str, float] = {}

    def note_use(self, entry: WorkspaceEntry) -> None:
        """Remember that a workspace was called."""
        now = self._clock()
        if now - self._noted.get(entry.name, 0.0) >= min(_NOTE_SECONDS, self._after / 10):
            self.place.note_use(entry, now)
            self._noted[entry.name] = now

    def find_due(self) -> list[WorkspaceEntry]:
        """Return the workspaces to park now, including those an interruption left half parked."""
        return [entry for entry in self._directory.list() if self._is_due(entry)]

    def park(self, name: str) -> None:
        """Park a workspace if it is still due; Busy, StoreUnavailable."""
        entry = self._directory.find(name)
        if entry is not None and self._is_due(entry):
            self.place.park(entry)

    def _is_due(self, entry: WorkspaceEntry) -> bool:
        if entry.parked_at:
            return self.place.rests_here(entry) and self.place.is_half_parked(entry)
        now = self._clock()
        return not self.place.is_used_since(entry, now - self._after, now)
